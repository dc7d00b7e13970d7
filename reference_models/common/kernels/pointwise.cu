// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See pointwise.hpp.
#include "common/kernels/launch.cuh"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

__global__ void affine_kernel(const __half* x, __half* y, std::size_t n, float scale, float shift) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto value = load<kWidth>(x, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      value.v[j] = __float2half_rn(__half2float(value.v[j]) * scale + shift);
    }
    store<kWidth>(y, i, value);
  });
}

__global__ void add_half_kernel(const __half* a, const __half* b, __half* out, std::size_t n) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto sum = load<kWidth>(a, i);
    const auto other = load<kWidth>(b, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      sum.v[j] = __float2half_rn(__half2float(sum.v[j]) + __half2float(other.v[j]));
    }
    store<kWidth>(out, i, sum);
  });
}

template <int N>
__global__ void add_mask_kernel(__half* __restrict__ scores, const __half* __restrict__ mask,
                                unsigned packs, unsigned packs_per_row, unsigned packs_per_sample) {
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    auto value = load<N>(scores, std::size_t{p} * N);
    const unsigned from = p / packs_per_sample * packs_per_row + p % packs_per_row;
    const auto other = load<N>(mask, std::size_t{from} * N);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      value.v[j] = __float2half_rn(__half2float(value.v[j]) + __half2float(other.v[j]));
    }
    store<N>(scores, std::size_t{p} * N, value);
  }
}

__global__ void tanh_kernel(const __half* x, __half* y, std::size_t n) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto value = load<kWidth>(x, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      value.v[j] = __float2half_rn(tanhf(__half2float(value.v[j])));
    }
    store<kWidth>(y, i, value);
  });
}

__global__ void tanh_backward_kernel(const __half* dy, const __half* __restrict__ y, __half* dx,
                                     std::size_t n) {
  for_each_pack<8>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto gradient = load<kWidth>(dy, i);
    const auto value = load<kWidth>(y, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      const float t = __half2float(value.v[j]);
      gradient.v[j] = __float2half_rn(__half2float(gradient.v[j]) * (1.0f - t * t));
    }
    store<kWidth>(dx, i, gradient);
  });
}

__global__ void scatter_rows_kernel(const __half* __restrict__ in, __half* __restrict__ out,
                                    unsigned n, unsigned cols, std::int64_t out_pitch) {
  for (unsigned i = first_item(); i < n; i += item_stride()) {
    out[i / cols * out_pitch + i % cols] = in[i];
  }
}

__global__ void arange_kernel(std::int32_t* out, int n) {
  for (auto i = static_cast<int>(first_item()); i < n; i += static_cast<int>(item_stride())) {
    out[i] = i;
  }
}

__global__ void repeat_kernel(const std::int32_t* __restrict__ in, std::int32_t* __restrict__ out,
                              unsigned n, unsigned total) {
  for (unsigned i = first_item(); i < total; i += item_stride()) out[i] = in[i % n];
}

template <int N>
void launch_add_mask(cudaStream_t stream, __half* scores, const __half* mask, int batch, int rows,
                     int cols) {
  const auto per_row = static_cast<unsigned>(cols / N);
  const unsigned per_sample = as_index(std::size_t{per_row} * rows);
  const unsigned packs = as_index(std::size_t{per_sample} * batch);
  add_mask_kernel<N>
      <<<blocks_for(packs), kThreads, 0, stream>>>(scores, mask, packs, per_row, per_sample);
  check_launch();
}

unsigned blocks_for_half(std::size_t n) { return blocks_for(n / 8 + 1); }

}  // namespace

void affine(cudaStream_t stream, const __half* x, __half* y, std::size_t n, float scale,
            float shift) {
  affine_kernel<<<blocks_for_half(n), kThreads, 0, stream>>>(x, y, n, scale, shift);
  check_launch();
}

void add(cudaStream_t stream, const __half* a, const __half* b, __half* out, std::size_t n) {
  add_half_kernel<<<blocks_for_half(n), kThreads, 0, stream>>>(a, b, out, n);
  check_launch();
}

void add_mask(cudaStream_t stream, __half* scores, const __half* mask, int batch, int rows,
              int cols) {
  cols % 8 == 0 ? launch_add_mask<8>(stream, scores, mask, batch, rows, cols)
                : launch_add_mask<1>(stream, scores, mask, batch, rows, cols);
}

void tanh(cudaStream_t stream, const __half* x, __half* y, std::size_t n) {
  tanh_kernel<<<blocks_for_half(n), kThreads, 0, stream>>>(x, y, n);
  check_launch();
}

void tanh_backward(cudaStream_t stream, const __half* dy, const __half* y, __half* dx,
                   std::size_t n) {
  tanh_backward_kernel<<<blocks_for_half(n), kThreads, 0, stream>>>(dy, y, dx, n);
  check_launch();
}

void scatter_rows(cudaStream_t stream, const __half* in, __half* out, int rows, int cols,
                  std::int64_t out_pitch) {
  const unsigned n = as_index(static_cast<std::size_t>(rows) * cols);
  scatter_rows_kernel<<<blocks_for(n), kThreads, 0, stream>>>(
      in, out, n, static_cast<unsigned>(cols), out_pitch);
  check_launch();
}

void arange(cudaStream_t stream, std::int32_t* out, int n) {
  arange_kernel<<<blocks_for(static_cast<std::size_t>(n)), kThreads, 0, stream>>>(out, n);
  check_launch();
}

void repeat(cudaStream_t stream, const std::int32_t* in, std::int32_t* out, int n, int times) {
  const unsigned total = as_index(static_cast<std::size_t>(n) * times);
  repeat_kernel<<<blocks_for(total), kThreads, 0, stream>>>(in, out, static_cast<unsigned>(n),
                                                            total);
  check_launch();
}

}  // namespace ref
