// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See elementwise.hpp.
#include "common/kernels/elementwise.hpp"

#include "common/kernels/launch.cuh"

namespace ref {
namespace {

__global__ void add_kernel(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ out, std::size_t n) {
  for_each_pack<4>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    Pack<float, kWidth> sum = load<kWidth>(a, i);
    const Pack<float, kWidth> other = load<kWidth>(b, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) sum.v[j] += other.v[j];
    store<kWidth>(out, i, sum);
  });
}

__global__ void add_slices_kernel(const float* __restrict__ a, unsigned a_pitch,
                                  const float* __restrict__ b, unsigned b_pitch,
                                  float* __restrict__ out, unsigned total, unsigned cols) {
  for (unsigned i = first_item(); i < total; i += item_stride()) {
    const std::size_t row = i / cols;
    const unsigned col = i % cols;
    out[i] = a[row * a_pitch + col] + b[row * b_pitch + col];
  }
}

__global__ void mul_scalars_kernel(const float* a, const float* b, float* out) { *out = *a * *b; }

}  // namespace

void add(cudaStream_t stream, const float* a, const float* b, float* out, std::size_t n) {
  add_kernel<<<blocks_for(n / 4 + 1), kThreads, 0, stream>>>(a, b, out, n);
  check_launch();
}

void add_slices(cudaStream_t stream, const float* a, int a_pitch, const float* b, int b_pitch,
                float* out, int rows, int cols) {
  const unsigned total = as_index(static_cast<std::size_t>(rows) * cols);
  add_slices_kernel<<<blocks_for(total), kThreads, 0, stream>>>(
      a, static_cast<unsigned>(a_pitch), b, static_cast<unsigned>(b_pitch), out, total,
      static_cast<unsigned>(cols));
  check_launch();
}

void mul_scalars(cudaStream_t stream, const float* a, const float* b, float* out) {
  mul_scalars_kernel<<<1, 1, 0, stream>>>(a, b, out);
  check_launch();
}

}  // namespace ref
