// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What every layer needs from the GPU: a stream and a cuBLAS handle on it.
#pragma once

#include "common/blas.hpp"
#include "common/gpu_check.hpp"

namespace ref {

/// A separate stream. Used by one thread.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

struct Gpu {
  Stream stream;
  Blas blas{stream};
};

/// Sets n elements to zero, without a kernel of ours.
template <typename T>
void clear(cudaStream_t stream, T* data, std::size_t n) {
  check(cudaMemsetAsync(data, 0, n * sizeof(T), stream));
}

}  // namespace ref
