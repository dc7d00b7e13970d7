// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the model are built from and work with.
#pragma once

#include <cuda_bf16.h>

#include <prof/annotate.hpp>

#include "common/blas_lt.hpp"
#include "common/gpu.hpp"
#include "gpt/config.hpp"

namespace ref {

/// One GPU's stream and cublasLt on it. `gpu` must outlive it. Used by one thread.
struct GptContext {
  explicit GptContext(Gpu& gpu) : stream(gpu.stream.get()), blas(stream) {}
  cudaStream_t stream;
  BlasLt blas;
};

inline constexpr auto kBfloat16 = prof::DType::bfloat16;
inline constexpr auto kFloat32 = prof::DType::float32;
inline constexpr auto kInt32 = prof::DType::int32;

/// Sets n elements to zero.
inline void clear(const GptContext& context, __nv_bfloat16* data, std::size_t n) {
  check(cudaMemsetAsync(data, 0, n * sizeof(__nv_bfloat16), context.stream));
}

}  // namespace ref
