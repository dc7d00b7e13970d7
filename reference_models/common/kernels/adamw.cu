// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See adamw.hpp. The norm is taken in two stages: blocks to partial sums, then one block.
#include "common/kernels/adamw.hpp"
#include "common/kernels/launch.cuh"
#include "common/kernels/warp.cuh"

namespace ref {
namespace {

constexpr int kGradientPack = 8;
constexpr int kNormThreads = 512;
constexpr float kNormEpsilon = 1e-6f;

__global__ void grad_squares_kernel(const __nv_bfloat16* __restrict__ grad, std::size_t n,
                                    float* __restrict__ partial) {
  float sum = 0;
  for (std::size_t i = first_item() * kGradientPack; i < n; i += item_stride() * kGradientPack) {
    const Pack<__nv_bfloat16, kGradientPack> value = load<kGradientPack>(grad, i);
#pragma unroll
    for (int j = 0; j < kGradientPack; ++j) sum += to_float(value.v[j]) * to_float(value.v[j]);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void grad_norm_kernel(const float* __restrict__ partial, AdamwState* state) {
  const float sum = block_sum(partial[threadIdx.x]);
  if (threadIdx.x == 0) state->grad_norm = sqrtf(sum);
}

__global__ void begin_adamw_kernel(AdamwState* state, float limit, float beta1, float beta2,
                                   bool clip) {
  const float factor = limit / (state->grad_norm + kNormEpsilon);
  state->coefficient = clip && factor < 1.0f ? factor : 1.0f;
  const int step = ++state->step;
  state->correction_m = 1.0f / (1.0f - powf(beta1, static_cast<float>(step)));
  state->correction_v = 1.0f / (1.0f - powf(beta2, static_cast<float>(step)));
}

__global__ void adamw_kernel(float* __restrict__ param, const __nv_bfloat16* __restrict__ grad,
                             float* __restrict__ m, float* __restrict__ v,
                             __nv_bfloat16* __restrict__ copy, std::size_t n, AdamwOptions o,
                             float weight_decay, const AdamwState* __restrict__ state) {
  const float coefficient = state->coefficient;
  const float correction_m = state->correction_m;
  const float correction_v = state->correction_v;
  for (std::size_t i = first_item() * kGradientPack; i < n; i += item_stride() * kGradientPack) {
    const Pack<__nv_bfloat16, kGradientPack> gradient = load<kGradientPack>(grad, i);
    Pack<float, kGradientPack> value = load<kGradientPack>(param, i);
    Pack<float, kGradientPack> first = load<kGradientPack>(m, i);
    Pack<float, kGradientPack> second = load<kGradientPack>(v, i);
    Pack<__nv_bfloat16, kGradientPack> rounded;
#pragma unroll
    for (int j = 0; j < kGradientPack; ++j) {
      const float g = to_float(gradient.v[j]) * coefficient;
      first.v[j] = o.beta1 * first.v[j] + (1.0f - o.beta1) * g;
      second.v[j] = o.beta2 * second.v[j] + (1.0f - o.beta2) * g * g;
      const float direction =
          first.v[j] * correction_m / (sqrtf(second.v[j] * correction_v) + o.epsilon);
      value.v[j] -= o.learning_rate * (direction + weight_decay * value.v[j]);
      rounded.v[j] = from_float<__nv_bfloat16>(value.v[j]);
    }
    store<kGradientPack>(param, i, value);
    store<kGradientPack>(m, i, first);
    store<kGradientPack>(v, i, second);
    store<kGradientPack>(copy, i, rounded);
  }
}

}  // namespace

void grad_norm(cudaStream_t stream, const __nv_bfloat16* grad, std::size_t n, float* partial,
               AdamwState* state) {
  grad_squares_kernel<<<kGradNormScratch, kNormThreads, 0, stream>>>(grad, n, partial);
  check_launch();
  grad_norm_kernel<<<1, kGradNormScratch, 0, stream>>>(partial, state);
  check_launch();
}

void begin_adamw(cudaStream_t stream, AdamwState* state, float limit, const AdamwOptions& options,
                 bool clip) {
  begin_adamw_kernel<<<1, 1, 0, stream>>>(state, limit, options.beta1, options.beta2, clip);
  check_launch();
}

void adamw(cudaStream_t stream, float* param, const __nv_bfloat16* grad, float* m, float* v,
           __nv_bfloat16* copy, std::size_t n, const AdamwOptions& options, float weight_decay,
           const AdamwState* state) {
  adamw_kernel<<<blocks_for(n / kGradientPack), kThreads, 0, stream>>>(
      param, grad, m, v, copy, n, options, weight_decay, state);
  check_launch();
}

}  // namespace ref
