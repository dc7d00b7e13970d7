// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GrowingBlock: an array that begins in memory of its owner and moves to larger blocks of
// MappedMemory when it is full, so that a thread takes address space for its actual use rather than
// for the most that a thread could need. Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "collectors/core/mapped_memory.hpp"

namespace prof::collectors {

template <typename T>
class GrowingBlock {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingBlock() = default;
  GrowingBlock(const GrowingBlock&) = delete;
  GrowingBlock& operator=(const GrowingBlock&) = delete;

  /// To be called before any use. The memory outlives the block; `limit`: maximum number of
  /// elements.
  void attach(T* first, std::uint32_t count, std::uint32_t limit) noexcept {
    data_ = first_ = first;
    size_ = first_size_ = count;
    limit_ = limit;
  }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] T& operator[](std::uint32_t index) const noexcept { return data_[index]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_; }

  /// Makes room for at least `count` elements; new ones have default values. False: out of memory,
  /// or the limit is lower.
  bool grow(std::uint32_t count) noexcept {
    if (count > limit_ || size_ == limit_) return false;
    const std::uint32_t size = std::min(limit_, std::max(count, size_ * kFactor));
    try {
      T* const larger = MappedAllocator<T>().allocate(size);
      std::memcpy(static_cast<void*>(larger), data_, size_ * sizeof(T));
      std::uninitialized_value_construct(larger + size_, larger + size);
      T* const smaller = std::exchange(data_, larger);
      release(smaller, std::exchange(size_, size));
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  /// Returns to the owner's memory. The contents are lost.
  void shrink() noexcept {
    release(data_, size_);
    data_ = first_;
    size_ = first_size_;
  }

 private:
  static constexpr std::uint32_t kFactor = 4;

  void release(T* data, std::uint32_t size) noexcept {
    if (data != first_) MappedAllocator<T>().deallocate(data, size);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  T* first_ = nullptr;
  std::uint32_t first_size_ = 0, limit_ = 0;
};

}  // namespace prof::collectors
