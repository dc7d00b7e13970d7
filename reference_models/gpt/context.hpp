// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the model are built from and work with.
#pragma once

#include "common/blas_lt.hpp"
#include "common/describe.hpp"
#include "common/gpu.hpp"
#include "common/ranges.hpp"
#include "gpt/config.hpp"

namespace ref {

/// One GPU's stream and cublasLt on it. `gpu` must outlive it. Used by one thread.
struct GptContext {
  explicit GptContext(Gpu& gpu) : stream(gpu.stream), blas(stream) {}
  cudaStream_t stream;
  BlasLt blas;
};

}  // namespace ref
