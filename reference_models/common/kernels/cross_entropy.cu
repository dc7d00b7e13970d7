// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See cross_entropy.hpp. A block works on a row, whose logits it reads once: each thread keeps a
// running maximum and the sum of exp relative to it.
#include <cmath>

#include "common/kernels/cross_entropy.hpp"
#include "common/kernels/launch.cuh"
#include "common/kernels/warp.cuh"

namespace ref {
namespace {

constexpr unsigned kClassThreads = 512;

struct RunningSum {
  float largest = -INFINITY;
  float sum = 0;  // of exp(x - largest)

  __device__ void add(float other_largest, float other_sum) {
    const float both = fmaxf(largest, other_largest);
    if (both == -INFINITY) return;
    sum = sum * __expf(largest - both) + other_sum * __expf(other_largest - both);
    largest = both;
  }
};

__device__ RunningSum warp_combine(RunningSum value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const float largest = __shfl_xor_sync(0xffffffffu, value.largest, offset);
    const float sum = __shfl_xor_sync(0xffffffffu, value.sum, offset);
    value.add(largest, sum);
  }
  return value;
}

template <int N>
__global__ void row_loss_kernel(const __half* __restrict__ logits,
                                const std::int32_t* __restrict__ targets,
                                float* __restrict__ row_losses, float* __restrict__ log_sums,
                                int classes) {
  __shared__ RunningSum warps[kClassThreads / kWarpSize];
  const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * classes;
  RunningSum mine;
  for (int c = static_cast<int>(threadIdx.x) * N; c < classes;
       c += static_cast<int>(kClassThreads) * N) {
    const auto value = load<N>(logits, begin + c);
    float largest = __half2float(value.v[0]);
#pragma unroll
    for (int j = 1; j < N; ++j) largest = fmaxf(largest, __half2float(value.v[j]));
    float sum = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) sum += __expf(__half2float(value.v[j]) - largest);
    mine.add(largest, sum);
  }
  mine = warp_combine(mine);
  if (threadIdx.x % kWarpSize == 0) warps[threadIdx.x / kWarpSize] = mine;
  __syncthreads();
  if (threadIdx.x >= kWarpSize) return;
  mine = warp_combine(threadIdx.x < kClassThreads / kWarpSize ? warps[threadIdx.x] : RunningSum{});
  if (threadIdx.x != 0) return;
  const float log_sum = mine.largest + logf(mine.sum);
  const std::int32_t target = targets[blockIdx.x];
  log_sums[blockIdx.x] = log_sum;
  row_losses[blockIdx.x] = target < 0 ? 0.0f : log_sum - __half2float(logits[begin + target]);
}

__global__ void mean_loss_kernel(const float* __restrict__ row_losses,
                                 const std::int32_t* __restrict__ targets,
                                 __half* __restrict__ loss, float* __restrict__ count_out,
                                 int rows) {
  float sum = 0;
  float count = 0;
  for (int row = static_cast<int>(threadIdx.x); row < rows;
       row += static_cast<int>(kClassThreads)) {
    sum += row_losses[row];
    count += targets[row] < 0 ? 0.0f : 1.0f;
  }
  sum = block_sum(sum);
  count = fmaxf(block_sum(count), 1.0f);
  if (threadIdx.x != 0) return;
  *loss = __float2half_rn(sum / count);
  *count_out = count;
}

// grid (chunks of a row, rows)
template <int N>
__global__ void logit_gradient_kernel(const __half* __restrict__ logits,
                                      const std::int32_t* __restrict__ targets,
                                      const __half* __restrict__ dloss,
                                      const float* __restrict__ log_sums,
                                      const float* __restrict__ count, __half* __restrict__ dlogits,
                                      int classes) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  if (col >= classes) return;
  const std::size_t at = static_cast<std::size_t>(blockIdx.y) * classes + col;
  const std::int32_t target = targets[blockIdx.y];
  Pack<__half, N> out{};
  if (target >= 0) {
    const float log_sum = log_sums[blockIdx.y];
    const float factor = __half2float(*dloss) / *count;
    const auto value = load<N>(logits, at);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float probability = __expf(__half2float(value.v[j]) - log_sum);
      out.v[j] = __float2half_rn((probability - (col + j == target ? 1.0f : 0.0f)) * factor);
    }
  }
  store<N>(dlogits, at, out);
}

template <int N>
void launch_backward(cudaStream_t stream, const __half* logits, const std::int32_t* targets,
                     const __half* dloss, const CrossEntropyState& state, __half* dlogits, int rows,
                     int classes) {
  const unsigned per_block = kThreads * N;
  const dim3 grid((static_cast<unsigned>(classes) + per_block - 1) / per_block,
                  static_cast<unsigned>(rows));
  logit_gradient_kernel<N><<<grid, kThreads, 0, stream>>>(logits, targets, dloss, state.log_sums,
                                                          state.count, dlogits, classes);
  check_launch();
}

}  // namespace

void cross_entropy(cudaStream_t stream, const __half* logits, const std::int32_t* targets,
                   __half* loss, const CrossEntropyState& state, int rows, int classes) {
  const auto kernel = classes % 8 == 0 ? row_loss_kernel<8> : row_loss_kernel<1>;
  kernel<<<static_cast<unsigned>(rows), kClassThreads, 0, stream>>>(
      logits, targets, state.row_losses, state.log_sums, classes);
  check_launch();
  mean_loss_kernel<<<1, kClassThreads, 0, stream>>>(state.row_losses, targets, loss, state.count,
                                                    rows);
  check_launch();
}

void cross_entropy_backward(cudaStream_t stream, const __half* logits, const std::int32_t* targets,
                            const __half* dloss, const CrossEntropyState& state, __half* dlogits,
                            int rows, int classes) {
  classes % 8 == 0
      ? launch_backward<8>(stream, logits, targets, dloss, state, dlogits, rows, classes)
      : launch_backward<1>(stream, logits, targets, dloss, state, dlogits, rows, classes);
}

}  // namespace ref
