// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See update.hpp.
#include "common/kernels/launch.cuh"
#include "common/kernels/update.hpp"

namespace ref {
namespace {

constexpr int kGrowthInterval = 2000;  // steps
constexpr float kMaxScale = 65536.0f;

// grad and out may alias, so neither is __restrict__.
template <typename T>
__global__ void unscale_kernel(const T* grad, float* out, std::size_t n, ScalerState* state,
                               bool divide) {
  const float factor = divide ? 1.0f / state->scale : 1.0f;
  bool finite = true;
  for_each_pack<4>(n, [&](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    const Pack<T, kWidth> from = load<kWidth>(grad, i);
    Pack<float, kWidth> to;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      to.v[j] = to_float(from.v[j]) * factor;
      finite = finite && isfinite(to.v[j]);
    }
    store<kWidth>(out, i, to);
  });
  if (!finite) state->found_infinite = 1;  // all who write, write the same
}

__global__ void sgd_kernel(float* __restrict__ param, const float* __restrict__ grad,
                           __half* __restrict__ half, std::size_t n, float rate,
                           const ScalerState* __restrict__ state) {
  if (state->found_infinite != 0) return;
  for_each_pack<4>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    Pack<float, kWidth> value = load<kWidth>(param, i);
    const Pack<float, kWidth> gradient = load<kWidth>(grad, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) value.v[j] -= rate * gradient.v[j];
    store<kWidth>(param, i, value);
    if (half == nullptr) return;
    Pack<__half, kWidth> rounded;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) rounded.v[j] = __float2half_rn(value.v[j]);
    store<kWidth>(half, i, rounded);
  });
}

__global__ void adjust_scale_kernel(ScalerState* state) {
  if (state->found_infinite != 0) {
    state->scale = fmaxf(state->scale * 0.5f, 1.0f);
    state->good_steps = 0;
  } else if (++state->good_steps == kGrowthInterval) {
    state->scale = fminf(state->scale * 2.0f, kMaxScale);
    state->good_steps = 0;
  }
}

template <typename T>
void launch_unscale(cudaStream_t stream, const T* grad, float* out, std::size_t n,
                    ScalerState* state, bool divide) {
  unscale_kernel<<<blocks_for(n / 4 + 1), kThreads, 0, stream>>>(grad, out, n, state, divide);
  check_launch();
}

}  // namespace

void unscale(cudaStream_t stream, const __half* grad, float* out, std::size_t n, ScalerState* state,
             bool divide) {
  launch_unscale(stream, grad, out, n, state, divide);
}
void unscale(cudaStream_t stream, const float* grad, float* out, std::size_t n, ScalerState* state,
             bool divide) {
  launch_unscale(stream, grad, out, n, state, divide);
}

void sgd(cudaStream_t stream, float* param, const float* grad, __half* half, std::size_t n,
         float rate, const ScalerState* state) {
  sgd_kernel<<<blocks_for(n / 4 + 1), kThreads, 0, stream>>>(param, grad, half, n, rate, state);
  check_launch();
}

void adjust_scale(cudaStream_t stream, ScalerState* state) {
  adjust_scale_kernel<<<1, 1, 0, stream>>>(state);
  check_launch();
}

}  // namespace ref
