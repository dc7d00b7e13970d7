// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See bias.hpp. The gradient is reduced in two stages: row chunks to partial sums, then those to
// the result.
#include "common/kernels/bias.hpp"

#include "common/kernels/launch.cuh"

namespace ref {
namespace {

constexpr int kChunks = 128;  // of rows, each summed by one row of blocks
constexpr int kLanes = 32;    // threads across columns
constexpr int kRows = 8;      // threads across rows

template <int N>
__global__ void bias_add_kernel(__half* __restrict__ y, const __half* __restrict__ bias,
                                unsigned packs, unsigned packs_per_row) {
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    Pack<__half, N> value = load<N>(y, std::size_t{p} * N);
    const Pack<__half, N> add = load<N>(bias, std::size_t{p % packs_per_row} * N);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      value.v[j] = __float2half_rn(__half2float(value.v[j]) + __half2float(add.v[j]));
    }
    store<N>(y, std::size_t{p} * N, value);
  }
}

// Block (32, 8): each thread sums N adjacent columns over every 8th row of its chunk.
template <int N, typename T>
__global__ void bias_partial_kernel(const T* __restrict__ dy, float* __restrict__ partial, int rows,
                                    int cols) {
  __shared__ float sums[kRows][kLanes * N];
  const int col = (blockIdx.x * kLanes + threadIdx.x) * N;
  const int chunk_rows = (rows + kChunks - 1) / kChunks;
  const int begin = blockIdx.y * chunk_rows;
  const int end = min(begin + chunk_rows, rows);
  float sum[N] = {};
  if (col < cols) {
#pragma unroll 4
    for (int row = begin + static_cast<int>(threadIdx.y); row < end; row += kRows) {
      const Pack<T, N> value = load<N>(dy, static_cast<std::size_t>(row) * cols + col);
#pragma unroll
      for (int j = 0; j < N; ++j) sum[j] += to_float(value.v[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < N; ++j) sums[threadIdx.y][threadIdx.x * N + j] = sum[j];
  __syncthreads();
  if (threadIdx.y != 0 || col >= cols) return;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    float total = 0;
    for (int r = 0; r < kRows; ++r) total += sums[r][threadIdx.x * N + j];
    partial[static_cast<std::size_t>(blockIdx.y) * cols + col + j] = total;
  }
}

// Block (32, 8): a column's chunks are shared by 8 threads, so that a narrow layer has enough of
// them.
template <typename T>
__global__ void bias_final_kernel(const float* __restrict__ partial, T* __restrict__ dbias,
                                  int cols, bool accumulate) {
  __shared__ float sums[kRows][kLanes];
  const int col = static_cast<int>(blockIdx.x * kLanes + threadIdx.x);
  float sum = 0;
  if (col < cols) {
#pragma unroll
    for (int chunk = 0; chunk < kChunks / kRows; ++chunk) {
      sum += partial[(static_cast<int>(threadIdx.y) + chunk * kRows) * cols + col];
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || col >= cols) return;
  float total = 0;
#pragma unroll
  for (int r = 0; r < kRows; ++r) total += sums[r][threadIdx.x];
  dbias[col] = from_float<T>(accumulate ? to_float(dbias[col]) + total : total);
}

template <int N>
void launch_add(cudaStream_t stream, __half* y, const __half* bias, int rows, int cols) {
  const unsigned packs = as_index(static_cast<std::size_t>(rows) * cols / N);
  bias_add_kernel<N>
      <<<blocks_for(packs), kThreads, 0, stream>>>(y, bias, packs, static_cast<unsigned>(cols / N));
  check_launch();
}

template <int N, typename T>
void launch_partial(cudaStream_t stream, const T* dy, float* partial, int rows, int cols) {
  const dim3 grid((cols + kLanes * N - 1) / (kLanes * N), kChunks);
  bias_partial_kernel<N><<<grid, dim3(kLanes, kRows), 0, stream>>>(dy, partial, rows, cols);
  check_launch();
}

}  // namespace

void bias_add(cudaStream_t stream, __half* y, const __half* bias, int rows, int cols) {
  cols % 8 == 0 ? launch_add<8>(stream, y, bias, rows, cols)
                : launch_add<1>(stream, y, bias, rows, cols);
}

template <typename T>
void bias_gradient(cudaStream_t stream, const T* dy, T* dbias, float* partial, int rows, int cols,
                   bool accumulate) {
  if (cols % 8 == 0) {
    launch_partial<8>(stream, dy, partial, rows, cols);
  } else if (cols % 2 == 0) {
    launch_partial<2>(stream, dy, partial, rows, cols);
  } else {
    launch_partial<1>(stream, dy, partial, rows, cols);
  }
  const unsigned blocks = (static_cast<unsigned>(cols) + kLanes - 1) / kLanes;
  bias_final_kernel<<<blocks, dim3(kLanes, kRows), 0, stream>>>(partial, dbias, cols, accumulate);
  check_launch();
}
template void bias_gradient(cudaStream_t, const __half*, __half*, float*, int, int, bool);
template void bias_gradient(cudaStream_t, const __nv_bfloat16*, __nv_bfloat16*, float*, int, int,
                            bool);

std::size_t bias_gradient_scratch(int cols) { return static_cast<std::size_t>(kChunks) * cols; }

}  // namespace ref
