// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See softmax.hpp. A warp holds a row in registers, so that it is read from memory only once.
#include "common/kernels/softmax.hpp"

#include <cmath>
#include <stdexcept>

#include "common/kernels/launch.cuh"
#include "common/kernels/warp.cuh"

namespace ref {
namespace {

constexpr int kSoftmaxWarps = 4;  // rows a block has under way

// Calls body(pack, column) for the packs of this lane.
template <int N, int kPacks, typename Body>
__device__ void for_lane_packs(int cols, Body body) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int col = (p * kWarpSize + static_cast<int>(threadIdx.x)) * N;
    if (col < cols) body(p, col);
  }
}

__device__ std::size_t my_softmax_row() {
  return blockIdx.x * std::size_t{kSoftmaxWarps} + threadIdx.y;
}

template <int N, int kPacks, typename T>
__global__ void softmax_kernel(const T* x, T* y, std::size_t rows, int cols, float scale,
                               bool causal) {
  const std::size_t row = my_softmax_row();
  if (row >= rows) return;
  const std::size_t begin = row * cols;
  const int width = causal ? static_cast<int>(row % cols) + 1 : cols;
  float value[kPacks][N];
  float largest = -INFINITY;
  for_lane_packs<N, kPacks>(width, [&](int p, int col) {
    const Pack<T, N> from = load<N>(x, begin + col);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      value[p][j] = col + j < width ? to_float(from.v[j]) * scale : -INFINITY;
      largest = fmaxf(largest, value[p][j]);
    }
  });
  largest = warp_max(largest);
  float sum = 0;
  for_lane_packs<N, kPacks>(width, [&](int p, int) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
      value[p][j] = __expf(value[p][j] - largest);
      sum += value[p][j];
    }
  });
  const float factor = 1.0f / warp_sum(sum);
  for_lane_packs<N, kPacks>(cols, [&](int p, int col) {
    Pack<T, N> to{};
    if (col < width) {
#pragma unroll
      for (int j = 0; j < N; ++j) to.v[j] = from_float<T>(value[p][j] * factor);
    }
    store<N>(y, begin + col, to);
  });
}

template <int N, int kPacks, typename T>
__global__ void softmax_backward_kernel(const T* dy, const T* __restrict__ y, T* dx,
                                        std::size_t rows, int cols, float scale, bool causal) {
  const std::size_t row = my_softmax_row();
  if (row >= rows) return;
  const std::size_t begin = row * cols;
  const int width = causal ? static_cast<int>(row % cols) + 1 : cols;
  Pack<T, N> gradient[kPacks];
  Pack<T, N> probability[kPacks];
  float sum = 0;
  for_lane_packs<N, kPacks>(width, [&](int p, int col) {
    gradient[p] = load<N>(dy, begin + col);
    probability[p] = load<N>(y, begin + col);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (col + j < width) sum += to_float(gradient[p].v[j]) * to_float(probability[p].v[j]);
    }
  });
  sum = warp_sum(sum);
  for_lane_packs<N, kPacks>(cols, [&](int p, int col) {
    Pack<T, N> to{};
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (col + j < width) {
        to.v[j] = from_float<T>(scale * to_float(probability[p].v[j]) *
                                (to_float(gradient[p].v[j]) - sum));
      }
    }
    store<N>(dx, begin + col, to);
  });
}

// Calls launch(width, packs) with the constants that fit rows of this length.
template <typename Launch>
void choose_packs(int cols, Launch launch) {
  if (cols > kMaxSoftmaxCols) throw std::length_error("softmax of rows of more than 2048 elements");
  const auto with = [&](auto width, auto packs) {
    constexpr int kRow = kWarpSize * decltype(width)::value * decltype(packs)::value;
    if (cols > kRow) return false;
    launch(width, packs);
    return true;
  };
  using std::integral_constant;
  if (cols % 8 == 0 && cols <= kWarpSize * 4) {  // all lanes of the warp have work
    launch(integral_constant<int, 4>{}, integral_constant<int, 1>{});
  } else if (cols % 8 == 0) {
    constexpr integral_constant<int, 8> kWide;
    with(kWide, integral_constant<int, 1>{}) || with(kWide, integral_constant<int, 2>{}) ||
        with(kWide, integral_constant<int, 4>{}) || with(kWide, integral_constant<int, 8>{});
  } else {
    constexpr integral_constant<int, 1> kNarrow;
    with(kNarrow, integral_constant<int, 4>{}) || with(kNarrow, integral_constant<int, 16>{}) ||
        with(kNarrow, integral_constant<int, 64>{});
  }
}

unsigned row_blocks(std::size_t rows) {
  return as_index((rows + kSoftmaxWarps - 1) / kSoftmaxWarps);
}

}  // namespace

template <typename T>
void softmax(cudaStream_t stream, const T* x, T* y, std::size_t rows, int cols,
             SoftmaxOptions options) {
  choose_packs(cols, [&](auto width, auto packs) {
    softmax_kernel<decltype(width)::value, decltype(packs)::value>
        <<<row_blocks(rows), dim3(kWarpSize, kSoftmaxWarps), 0, stream>>>(
            x, y, rows, cols, options.scale, options.causal);
    check_launch();
  });
}

template <typename T>
void softmax_backward(cudaStream_t stream, const T* dy, const T* y, T* dx, std::size_t rows,
                      int cols, SoftmaxOptions options) {
  choose_packs(cols, [&](auto width, auto packs) {
    softmax_backward_kernel<decltype(width)::value, decltype(packs)::value>
        <<<row_blocks(rows), dim3(kWarpSize, kSoftmaxWarps), 0, stream>>>(
            dy, y, dx, rows, cols, options.scale, options.causal);
    check_launch();
  });
}

template void softmax<__half>(cudaStream_t, const __half*, __half*, std::size_t, int,
                              SoftmaxOptions);
template void softmax<__nv_bfloat16>(cudaStream_t, const __nv_bfloat16*, __nv_bfloat16*,
                                     std::size_t, int, SoftmaxOptions);
template void softmax_backward<__half>(cudaStream_t, const __half*, const __half*, __half*,
                                       std::size_t, int, SoftmaxOptions);
template void softmax_backward<__nv_bfloat16>(cudaStream_t, const __nv_bfloat16*,
                                              const __nv_bfloat16*, __nv_bfloat16*, std::size_t,
                                              int, SoftmaxOptions);

}  // namespace ref
