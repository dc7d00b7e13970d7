// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See bce.hpp. The mean is taken in two stages: blocks to partial sums, then one block.
#include "common/kernels/bce.hpp"
#include "common/kernels/launch.cuh"

namespace ref {
namespace {

constexpr int kFinalThreads = 128;

// The sum over the block, in a fixed order; valid in thread 0. `Threads` is a power of two.
template <int Threads>
__device__ float loss_block_sum(float value) {
  __shared__ float sums[Threads];
  sums[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

__global__ void bce_partial_kernel(const float* __restrict__ x, const float* __restrict__ target,
                                   float* __restrict__ partial, int count) {
  float sum = 0;
#pragma unroll 4
  for (std::size_t i = first_item(); i < static_cast<std::size_t>(count); i += item_stride()) {
    sum += fmaxf(x[i], 0.0f) - x[i] * target[i] + log1pf(expf(-fabsf(x[i])));
  }
  sum = loss_block_sum<kThreads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void bce_final_kernel(const float* __restrict__ partial, float* __restrict__ loss,
                                 int partials, int count) {
  float sum = 0;
  for (int i = threadIdx.x; i < partials; i += kFinalThreads) sum += partial[i];
  sum = loss_block_sum<kFinalThreads>(sum);
  if (threadIdx.x == 0) *loss = sum / static_cast<float>(count);
}

__global__ void bce_backward_kernel(const float* __restrict__ x, const float* __restrict__ target,
                                    const float* __restrict__ dloss, float* __restrict__ dx,
                                    int count) {
  const float scale = *dloss / static_cast<float>(count);
  for (std::size_t i = first_item(); i < static_cast<std::size_t>(count); i += item_stride()) {
    dx[i] = scale * (1.0f / (1.0f + expf(-x[i])) - target[i]);
  }
}

}  // namespace

void bce_with_logits(cudaStream_t stream, const float* x, const float* target, float* loss,
                     float* scratch, int count) {
  const unsigned blocks =
      std::min(blocks_for(static_cast<std::size_t>(count)), unsigned{kBceScratch});
  bce_partial_kernel<<<blocks, kThreads, 0, stream>>>(x, target, scratch, count);
  check_launch();
  bce_final_kernel<<<1, kFinalThreads, 0, stream>>>(scratch, loss, static_cast<int>(blocks), count);
  check_launch();
}

void bce_with_logits_backward(cudaStream_t stream, const float* x, const float* target,
                              const float* dloss, float* dx, int count) {
  bce_backward_kernel<<<blocks_for(static_cast<std::size_t>(count)), kThreads, 0, stream>>>(
      x, target, dloss, dx, count);
  check_launch();
}

}  // namespace ref
