// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See gelu.hpp.
#include "common/kernels/gelu.hpp"

#include "common/kernels/bias.hpp"
#include "common/kernels/launch.cuh"

namespace ref {
namespace {

constexpr float kSqrtHalf = 0.70710678118654752f;
constexpr float kSqrtHalfOverPi = 0.39894228040143268f;  // of the normal density
constexpr float kTanhScale = 0.79788456080286536f;       // sqrt(2 / pi)
constexpr float kTanhCubic = 0.044715f;

struct ErfGelu {
  __device__ static float value(float x) { return 0.5f * x * (1.0f + erff(x * kSqrtHalf)); }
  __device__ static float derivative(float x) {
    return 0.5f * (1.0f + erff(x * kSqrtHalf)) + x * kSqrtHalfOverPi * __expf(-0.5f * x * x);
  }
};

struct TanhGelu {
  __device__ static float tanh_of(float x) {
    return tanhf(kTanhScale * (x + kTanhCubic * x * x * x));
  }
  __device__ static float value(float x) { return 0.5f * x * (1.0f + tanh_of(x)); }
  __device__ static float derivative(float x) {
    const float t = tanh_of(x);
    const float slope = kTanhScale * (1.0f + 3.0f * kTanhCubic * x * x);
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * slope;
  }
};

template <int N>
__global__ void bias_gelu_kernel(const __half* __restrict__ x, const __half* __restrict__ bias,
                                 __half* __restrict__ y, unsigned packs, unsigned packs_per_row) {
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    const auto value = load<N>(x, std::size_t{p} * N);
    const auto shift = load<N>(bias, std::size_t{p % packs_per_row} * N);
    Pack<__half, N> out;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      out.v[j] =
          __float2half_rn(ErfGelu::value(__half2float(value.v[j]) + __half2float(shift.v[j])));
    }
    store<N>(y, std::size_t{p} * N, out);
  }
}

// dy and dx may be the same array.
template <int N>
__global__ void bias_gelu_backward_kernel(const __half* dy, const __half* __restrict__ x,
                                          const __half* __restrict__ bias, __half* dx,
                                          unsigned packs, unsigned packs_per_row) {
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    const auto value = load<N>(x, std::size_t{p} * N);
    const auto shift = load<N>(bias, std::size_t{p % packs_per_row} * N);
    auto gradient = load<N>(dy, std::size_t{p} * N);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float input = __half2float(value.v[j]) + __half2float(shift.v[j]);
      gradient.v[j] = __float2half_rn(__half2float(gradient.v[j]) * ErfGelu::derivative(input));
    }
    store<N>(dx, std::size_t{p} * N, gradient);
  }
}

template <typename T>
__global__ void gelu_tanh_kernel(const T* x, T* y, std::size_t n) {
  for_each_pack<16 / sizeof(T)>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto value = load<kWidth>(x, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      value.v[j] = from_float<T>(TanhGelu::value(to_float(value.v[j])));
    }
    store<kWidth>(y, i, value);
  });
}

template <typename T>
__global__ void gelu_tanh_backward_kernel(const T* dy, const T* __restrict__ x, T* dx,
                                          std::size_t n) {
  for_each_pack<16 / sizeof(T)>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    const auto value = load<kWidth>(x, i);
    auto gradient = load<kWidth>(dy, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      gradient.v[j] =
          from_float<T>(to_float(gradient.v[j]) * TanhGelu::derivative(to_float(value.v[j])));
    }
    store<kWidth>(dx, i, gradient);
  });
}

template <int N>
void launch_bias_gelu(cudaStream_t stream, const __half* x, const __half* bias, __half* y, int rows,
                      int cols) {
  const unsigned packs = as_index(static_cast<std::size_t>(rows) * cols / N);
  bias_gelu_kernel<N><<<blocks_for(packs), kThreads, 0, stream>>>(x, bias, y, packs,
                                                                  static_cast<unsigned>(cols / N));
  check_launch();
}

template <int N>
void launch_bias_gelu_backward(cudaStream_t stream, const __half* dy, const __half* x,
                               const __half* bias, __half* dx, int rows, int cols) {
  const unsigned packs = as_index(static_cast<std::size_t>(rows) * cols / N);
  bias_gelu_backward_kernel<N><<<blocks_for(packs), kThreads, 0, stream>>>(
      dy, x, bias, dx, packs, static_cast<unsigned>(cols / N));
  check_launch();
}

}  // namespace

void bias_gelu(cudaStream_t stream, const __half* x, const __half* bias, __half* y, int rows,
               int cols) {
  cols % 8 == 0 ? launch_bias_gelu<8>(stream, x, bias, y, rows, cols)
                : launch_bias_gelu<1>(stream, x, bias, y, rows, cols);
}

void bias_gelu_backward(cudaStream_t stream, const __half* dy, const __half* x, const __half* bias,
                        __half* dx, __half* dbias, float* scratch, int rows, int cols) {
  cols % 8 == 0 ? launch_bias_gelu_backward<8>(stream, dy, x, bias, dx, rows, cols)
                : launch_bias_gelu_backward<1>(stream, dy, x, bias, dx, rows, cols);
  bias_gradient(stream, dx, dbias, scratch, rows, cols);
}

template <typename T>
void gelu_tanh(cudaStream_t stream, const T* x, T* y, std::size_t n) {
  gelu_tanh_kernel<<<blocks_for(n / (16 / sizeof(T)) + 1), kThreads, 0, stream>>>(x, y, n);
  check_launch();
}

template <typename T>
void gelu_tanh_backward(cudaStream_t stream, const T* dy, const T* x, T* dx, std::size_t n) {
  gelu_tanh_backward_kernel<<<blocks_for(n / (16 / sizeof(T)) + 1), kThreads, 0, stream>>>(dy, x,
                                                                                           dx, n);
  check_launch();
}

template void gelu_tanh<__half>(cudaStream_t, const __half*, __half*, std::size_t);
template void gelu_tanh<__nv_bfloat16>(cudaStream_t, const __nv_bfloat16*, __nv_bfloat16*,
                                       std::size_t);
template void gelu_tanh_backward<__half>(cudaStream_t, const __half*, const __half*, __half*,
                                         std::size_t);
template void gelu_tanh_backward<__nv_bfloat16>(cudaStream_t, const __nv_bfloat16*,
                                                const __nv_bfloat16*, __nv_bfloat16*, std::size_t);

}  // namespace ref
