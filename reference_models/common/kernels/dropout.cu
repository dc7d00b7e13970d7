// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See dropout.hpp.
#include "common/kernels/dropout.hpp"

#include "common/kernels/launch.cuh"

namespace ref {
namespace {

// Packs of 8 elements use two random numbers. x and y may be the same array.
__global__ void dropout_kernel(const __half* x, __half* y, std::uint8_t* __restrict__ mask,
                               std::size_t n, std::uint64_t seed, std::uint64_t stream,
                               std::uint32_t threshold, float scale) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto value = load<kWidth>(x, i);
    Pack<std::uint8_t, kWidth> keeps;
    std::uint64_t bits = random_bits(seed, stream, i / 4) >> (16 * (i % 4));
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      if (j == 4) bits = random_bits(seed, stream, i / 4 + 1);
      const bool keep = static_cast<std::uint32_t>(bits & 0xFFFF) >= threshold;
      bits >>= 16;
      keeps.v[j] = keep ? 1 : 0;
      value.v[j] = keep ? __float2half_rn(__half2float(value.v[j]) * scale) : __half{};
    }
    store<kWidth>(y, i, value);
    store<kWidth>(mask, i, keeps);
  });
}

__global__ void dropout_backward_kernel(const __half* dy, const std::uint8_t* __restrict__ mask,
                                        __half* dx, std::size_t n, float scale) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto value = load<kWidth>(dy, i);
    const auto keeps = load<kWidth>(mask, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      value.v[j] = keeps.v[j] != 0 ? __float2half_rn(__half2float(value.v[j]) * scale) : __half{};
    }
    store<kWidth>(dx, i, value);
  });
}

}  // namespace

void dropout(cudaStream_t stream, const __half* x, __half* y, std::uint8_t* mask, std::size_t n,
             const DropoutMask& which) {
  dropout_kernel<<<blocks_for(n / 8 + 1), kThreads, 0, stream>>>(
      x, y, mask, n, which.seed, which.stream, which.threshold, which.scale);
  check_launch();
}

void dropout_backward(cudaStream_t stream, const __half* dy, const std::uint8_t* mask, __half* dx,
                      std::size_t n, float scale) {
  dropout_backward_kernel<<<blocks_for(n / 8 + 1), kThreads, 0, stream>>>(dy, mask, dx, n, scale);
  check_launch();
}

}  // namespace ref
