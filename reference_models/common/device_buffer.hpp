// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Device memory with an owner. Sizes are in elements.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "common/gpu_check.hpp"

namespace ref {

/// Elements of a tensor of this shape.
template <typename... Ints>
[[nodiscard]] constexpr std::size_t volume(Ints... sizes) {
  return (std::size_t{1} * ... * static_cast<std::size_t>(sizes));
}

/// Owns `size` elements of device memory, 256-byte aligned, contents undefined at first.
/// Throws GpuError when memory is short.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  /// A copy of `values`.
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    // The copy may still be in progress, and our own streams do not wait for it.
    check(cudaDeviceSynchronize());
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// A copy on the host. Waits for the whole device.
  [[nodiscard]] std::vector<T> download() const {
    std::vector<T> values(size_);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  /// The first element, once `stream` has reached this point.
  [[nodiscard]] T read_first(cudaStream_t stream) const {
    T value{};
    check(cudaMemcpyAsync(&value, data_, sizeof value, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return value;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ref
