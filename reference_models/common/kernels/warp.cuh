// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and maxima over the 32 lanes of a warp and over the warps of a block, in a fixed order.
#pragma once

#include <cuda_runtime_api.h>

namespace ref {

constexpr int kWarpSize = 32;

/// Returns the sum over the warp to every lane.
__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

/// Every lane gets the largest value of the warp.
__device__ inline float warp_max(float value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

/// Every thread gets the sum over a one-dimensional block of whole warps, 1024 threads at most. The
/// whole block must call it.
__device__ inline float block_sum(float value) {
  __shared__ float sums[kWarpSize];
  const unsigned warps = blockDim.x / kWarpSize;
  value = warp_sum(value);
  __syncthreads();  // an earlier call's sums may still be read
  if (threadIdx.x % kWarpSize == 0) sums[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_sum(threadIdx.x % kWarpSize < warps ? sums[threadIdx.x % kWarpSize] : 0.0f);
}

}  // namespace ref
