// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Filling a tensor with zeros or with random numbers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace ref {

/// Sets n elements to zero.
void zero(cudaStream_t stream, float* out, std::size_t n);
void zero(cudaStream_t stream, __half* out, std::size_t n);

/// out[i] = center + scale * random_symmetric(seed, stream_id, i), rounded to fp16 values, so that
/// the fp16 copy of a parameter starts out equal to it.
void fill_random(cudaStream_t stream, float* out, std::size_t n, float scale, std::uint64_t seed,
                 std::uint64_t stream_id, float center = 0);
/// out[i] = center + scale * random_symmetric(seed, stream_id, i), rounded.
void fill_random(cudaStream_t stream, __nv_bfloat16* out, std::size_t n, float center, float scale,
                 std::uint64_t seed, std::uint64_t stream_id);

}  // namespace ref
