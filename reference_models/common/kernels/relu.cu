// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See relu.hpp.
#include "common/kernels/launch.cuh"
#include "common/kernels/relu.hpp"

namespace ref {
namespace {

__global__ void relu_kernel(__half* y, std::size_t n) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    Pack<__half, kWidth> value = load<kWidth>(y, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      if (!(__half2float(value.v[j]) > 0.0f)) value.v[j] = __float2half_rn(0.0f);
    }
    store<kWidth>(y, i, value);
  });
}

__global__ void relu_backward_kernel(__half* __restrict__ dy, const __half* __restrict__ y,
                                     std::size_t n) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    const Pack<__half, kWidth> value = load<kWidth>(y, i);
    Pack<__half, kWidth> gradient = load<kWidth>(dy, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      if (!(__half2float(value.v[j]) > 0.0f)) gradient.v[j] = __float2half_rn(0.0f);
    }
    store<kWidth>(dy, i, gradient);
  });
}

}  // namespace

void relu(cudaStream_t stream, __half* y, std::size_t n) {
  relu_kernel<<<blocks_for(n / 8 + 1), kThreads, 0, stream>>>(y, n);
  check_launch();
}

void relu_backward(cudaStream_t stream, __half* dy, const __half* y, std::size_t n) {
  relu_backward_kernel<<<blocks_for(n / 8 + 1), kThreads, 0, stream>>>(dy, y, n);
  check_launch();
}

}  // namespace ref
