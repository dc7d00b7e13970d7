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
  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

struct Gpu {
  Stream stream;
  Blas blas{stream.get()};
};

}  // namespace ref
