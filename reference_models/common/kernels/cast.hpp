// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Changing a tensor's element type.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "common/cpu_tensor.hpp"

namespace ref {

/// out[i] = in[i], rounded to nearest even; n elements.
void cast(cudaStream_t stream, const float* in, __half* out, std::size_t n);
void cast(cudaStream_t stream, const __half* in, float* out, std::size_t n);
void cast(cudaStream_t stream, const __nv_bfloat16* in, float* out, std::size_t n);
void cast(cudaStream_t stream, const std::int64_t* in, __half* out, std::size_t n);
void cast(cudaStream_t stream, const std::int64_t* in, std::int32_t* out, std::size_t n);

namespace cpu {
inline Tensor cast_to_half(Tensor x) {
  for (double& value : x) value = round_to_half(value);
  return x;
}
}  // namespace cpu

}  // namespace ref
