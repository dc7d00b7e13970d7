// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See fused_cross_entropy.hpp. A block works on a row; its second pass finds the row in the L2
// cache.
#include "common/kernels/fused_cross_entropy.hpp"
#include "common/kernels/launch.cuh"
#include "common/kernels/warp.cuh"

namespace ref {
namespace {

constexpr int kLogitPack = 8;
constexpr int kFusedThreads = 1024;
constexpr int kRowWarps = kFusedThreads / kWarpSize;

struct SoftmaxStatistics {
  float largest, sum;  // sum of exp(x - largest)
};

// The whole block gets the statistics of `classes` elements at x, summed in a fixed order.
__device__ SoftmaxStatistics block_statistics(const __nv_bfloat16* x, int classes) {
  float largest = -INFINITY;
  float sum = 0;
  for (int c = static_cast<int>(threadIdx.x) * kLogitPack; c < classes;
       c += kFusedThreads * kLogitPack) {
    const Pack<__nv_bfloat16, kLogitPack> value = load<kLogitPack>(x, c);
    float pack_largest = largest;
#pragma unroll
    for (int j = 0; j < kLogitPack; ++j) {
      if (c + j < classes) pack_largest = fmaxf(pack_largest, to_float(value.v[j]));
    }
    sum *= __expf(largest - pack_largest);
    largest = pack_largest;
#pragma unroll
    for (int j = 0; j < kLogitPack; ++j) {
      if (c + j < classes) sum += __expf(to_float(value.v[j]) - largest);
    }
  }
  __shared__ float warp_largest[kRowWarps];
  const float in_warp = warp_max(largest);
  if (threadIdx.x % kWarpSize == 0) warp_largest[threadIdx.x / kWarpSize] = in_warp;
  __syncthreads();
  const float in_block = warp_max(warp_largest[threadIdx.x % kWarpSize]);
  // A thread without a column has -inf, so it adds exp(-inf) = 0.
  return {in_block, block_sum(sum * __expf(largest - in_block))};
}

template <bool WithGradient>
__global__ void __launch_bounds__(kFusedThreads)
    cross_entropy_kernel(__nv_bfloat16* x, const std::int32_t* __restrict__ target,
                         float* __restrict__ losses, float scale, int classes, int pitch) {
  __nv_bfloat16* row = x + static_cast<std::size_t>(blockIdx.x) * pitch;
  const int wanted = target[blockIdx.x];
  const float wanted_logit = to_float(row[wanted]);
  const SoftmaxStatistics s = block_statistics(row, classes);
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(s.sum) - (wanted_logit - s.largest);
  if constexpr (WithGradient) {
    const float factor = 1.0f / s.sum;
    for (int c = static_cast<int>(threadIdx.x) * kLogitPack; c < pitch;
         c += kFusedThreads * kLogitPack) {
      Pack<__nv_bfloat16, kLogitPack> value = load<kLogitPack>(row, c);
#pragma unroll
      for (int j = 0; j < kLogitPack; ++j) {
        const float p = __expf(to_float(value.v[j]) - s.largest) * factor;
        const float dx = scale * (p - (c + j == wanted ? 1.0f : 0.0f));
        value.v[j] = from_float<__nv_bfloat16>(c + j < classes ? dx : 0.0f);
      }
      store<kLogitPack>(row, c, value);
    }
  }
}

__global__ void __launch_bounds__(kFusedThreads)
    mean_kernel(const float* __restrict__ values, float* __restrict__ mean, int n) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kFusedThreads) sum += values[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *mean = sum / static_cast<float>(n);
}

}  // namespace

void padded_cross_entropy(cudaStream_t stream, const __nv_bfloat16* x, const std::int32_t* target,
                          float* losses, const ClassifierSizes& s) {
  // Without a gradient the kernel does not write x.
  cross_entropy_kernel<false><<<static_cast<unsigned>(s.rows), kFusedThreads, 0, stream>>>(
      const_cast<__nv_bfloat16*>(x), target, losses, 0, s.classes, s.pitch);
  check_launch();
}

void padded_cross_entropy_with_gradient(cudaStream_t stream, __nv_bfloat16* x,
                                        const std::int32_t* target, float* losses,
                                        float gradient_scale, const ClassifierSizes& s) {
  cross_entropy_kernel<true><<<static_cast<unsigned>(s.rows), kFusedThreads, 0, stream>>>(
      x, target, losses, gradient_scale, s.classes, s.pitch);
  check_launch();
}

void mean(cudaStream_t stream, const float* values, float* mean, int n) {
  mean_kernel<<<1, kFusedThreads, 0, stream>>>(values, mean, n);
  check_launch();
}

}  // namespace ref
