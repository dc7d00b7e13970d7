// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See layer_norm.hpp. A warp works on a row, which it reads from memory once, then from the L1
// cache.
#include "common/kernels/layer_norm.hpp"

#include "common/kernels/launch.cuh"
#include "common/kernels/warp.cuh"

namespace ref {
namespace {

constexpr int kWarps = 4;     // rows a block has under way
constexpr int kChunks = 128;  // of rows, whose sums for dweight and dbias are added at last
constexpr int kRows = 8;      // threads across the rows of a chunk

template <int N, typename T>
struct Vector {
  float v[N];
  __device__ explicit Vector(const Pack<T, N>& pack) {
#pragma unroll
    for (int j = 0; j < N; ++j) v[j] = to_float(pack.v[j]);
  }
};

template <int N, typename T>
__device__ Vector<N, T> load_floats(const T* from, std::size_t i) {
  return Vector<N, T>(load<N>(from, i));
}

__device__ std::size_t my_row() { return blockIdx.x * std::size_t{kWarps} + threadIdx.y; }

// x is not __restrict__: it may be the sum that this kernel writes, or y.
template <int N, typename T>
__global__ void layer_norm_kernel(const T* x, const T* residual, const T* __restrict__ weight,
                                  const T* __restrict__ bias, T* sum, T* y,
                                  float* __restrict__ mean_out, float* __restrict__ rstd_out,
                                  int rows, int cols, float epsilon) {
  const std::size_t row = my_row();
  if (row >= static_cast<std::size_t>(rows)) return;
  const std::size_t begin = row * cols;
  const int first = static_cast<int>(threadIdx.x) * N;
  const T* from = residual == nullptr ? x : sum;
  float mean = 0;
  for (int c = first; c < cols; c += kWarpSize * N) {
    Pack<T, N> value = load<N>(x, begin + c);
    if (residual != nullptr) {
      const Pack<T, N> other = load<N>(residual, begin + c);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        value.v[j] = from_float<T>(to_float(value.v[j]) + to_float(other.v[j]));
      }
      store<N>(sum, begin + c, value);
    }
#pragma unroll
    for (int j = 0; j < N; ++j) mean += to_float(value.v[j]);
  }
  mean = warp_sum(mean) / static_cast<float>(cols);
  float variance = 0;
  for (int c = first; c < cols; c += kWarpSize * N) {
    const auto value = load_floats<N>(from, begin + c);
#pragma unroll
    for (int j = 0; j < N; ++j) variance += (value.v[j] - mean) * (value.v[j] - mean);
  }
  const float rstd = rsqrtf(warp_sum(variance) / static_cast<float>(cols) + epsilon);
  for (int c = first; c < cols; c += kWarpSize * N) {
    const auto value = load_floats<N>(from, begin + c);
    const auto scale = load_floats<N>(weight, c);
    const auto shift = load_floats<N>(bias, c);
    Pack<T, N> out;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      out.v[j] = from_float<T>((value.v[j] - mean) * rstd * scale.v[j] + shift.v[j]);
    }
    store<N>(y, begin + c, out);
  }
  if (threadIdx.x == 0) {
    mean_out[row] = mean;
    rstd_out[row] = rstd;
  }
}

// dy and dx may be the same array.
template <int N, typename T>
__global__ void input_gradient_kernel(const T* dy, const T* __restrict__ x,
                                      const float* __restrict__ mean_in,
                                      const float* __restrict__ rstd_in,
                                      const T* __restrict__ weight, T* dx, int rows, int cols,
                                      bool accumulate) {
  const std::size_t row = my_row();
  if (row >= static_cast<std::size_t>(rows)) return;
  const std::size_t begin = row * cols;
  const int first = static_cast<int>(threadIdx.x) * N;
  const float mean = mean_in[row];
  const float rstd = rstd_in[row];
  float sum = 0;      // of g = dy * weight
  float product = 0;  // of g and the normalized x
  for (int c = first; c < cols; c += kWarpSize * N) {
    const auto value = load_floats<N>(x, begin + c);
    const auto gradient = load_floats<N>(dy, begin + c);
    const auto scale = load_floats<N>(weight, c);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float g = gradient.v[j] * scale.v[j];
      sum += g;
      product += g * (value.v[j] - mean) * rstd;
    }
  }
  sum = warp_sum(sum) / static_cast<float>(cols);
  product = warp_sum(product) / static_cast<float>(cols);
  for (int c = first; c < cols; c += kWarpSize * N) {
    const auto value = load_floats<N>(x, begin + c);
    const auto gradient = load_floats<N>(dy, begin + c);
    const auto scale = load_floats<N>(weight, c);
    Pack<T, N> out{};
    if (accumulate) out = load<N>(dx, begin + c);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float normal = (value.v[j] - mean) * rstd;
      const float add = rstd * (gradient.v[j] * scale.v[j] - sum - normal * product);
      out.v[j] = from_float<T>(accumulate ? to_float(out.v[j]) + add : add);
    }
    store<N>(dx, begin + c, out);
  }
}

// Block (32, 8): each thread sums N adjacent columns over every 8th row of its chunk. `partial` is
// (kChunks, 2, cols): dweight's sums, then dbias's.
template <int N, typename T>
__global__ void parameter_partial_kernel(const T* __restrict__ dy, const T* __restrict__ x,
                                         const float* __restrict__ mean,
                                         const float* __restrict__ rstd,
                                         float* __restrict__ partial, int rows, int cols) {
  __shared__ float sums[2][kRows][kWarpSize * N];
  const int col = (blockIdx.x * kWarpSize + threadIdx.x) * N;
  const int chunk_rows = (rows + kChunks - 1) / kChunks;
  const int begin = blockIdx.y * chunk_rows;
  const int end = min(begin + chunk_rows, rows);
  float dweight[N] = {};
  float dbias[N] = {};
  if (col < cols) {
#pragma unroll 2
    for (int row = begin + static_cast<int>(threadIdx.y); row < end; row += kRows) {
      const auto value = load_floats<N>(x, static_cast<std::size_t>(row) * cols + col);
      const auto gradient = load_floats<N>(dy, static_cast<std::size_t>(row) * cols + col);
      const float center = mean[row];
      const float scale = rstd[row];
#pragma unroll
      for (int j = 0; j < N; ++j) {
        dweight[j] += gradient.v[j] * (value.v[j] - center) * scale;
        dbias[j] += gradient.v[j];
      }
    }
  }
#pragma unroll
  for (int j = 0; j < N; ++j) {
    sums[0][threadIdx.y][j * kWarpSize + threadIdx.x] = dweight[j];
    sums[1][threadIdx.y][j * kWarpSize + threadIdx.x] = dbias[j];
  }
  __syncthreads();
  if (threadIdx.y >= 2 || col >= cols) return;  // a warp for either sum
  float* out = partial + (std::size_t{blockIdx.y} * 2 + threadIdx.y) * cols + col;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    float total = 0;
    for (int r = 0; r < kRows; ++r) total += sums[threadIdx.y][r][j * kWarpSize + threadIdx.x];
    out[j] = total;
  }
}

// Block (32, 8): 32 columns, every 8th chunk per thread; grid.y selects one of the two sums.
template <typename T>
__global__ void parameter_final_kernel(const float* __restrict__ partial, T* dweight, T* dbias,
                                       int cols, bool accumulate) {
  __shared__ float sums[kRows][kWarpSize];
  const int col = blockIdx.x * kWarpSize + threadIdx.x;
  float sum = 0;
  if (col < cols) {
#pragma unroll 4
    for (int chunk = threadIdx.y; chunk < kChunks; chunk += kRows) {
      sum += partial[(std::size_t{2} * chunk + blockIdx.y) * cols + col];
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || col >= cols) return;
  T* out = blockIdx.y == 0 ? dweight : dbias;
  float total = accumulate ? to_float(out[col]) : 0.0f;
  for (int r = 0; r < kRows; ++r) total += sums[r][threadIdx.x];
  out[col] = from_float<T>(total);
}

unsigned row_blocks(int rows) { return static_cast<unsigned>((rows + kWarps - 1) / kWarps); }

template <int N, typename T>
void launch_forward(cudaStream_t stream, const T* x, const T* residual, const T* weight,
                    const T* bias, T* sum, T* y, float* mean, float* rstd, int rows, int cols,
                    float epsilon) {
  layer_norm_kernel<N><<<row_blocks(rows), dim3(kWarpSize, kWarps), 0, stream>>>(
      x, residual, weight, bias, sum, y, mean, rstd, rows, cols, epsilon);
  check_launch();
}

template <int N, typename T>
void launch_backward(cudaStream_t stream, const T* dy, const T* x, const float* mean,
                     const float* rstd, const T* weight, T* dx, float* scratch, int rows, int cols,
                     bool accumulate) {
  // The parameters' sums first: they need dy, which the input's gradient may overwrite.
  const dim3 grid((static_cast<unsigned>(cols) + kWarpSize * N - 1) / (kWarpSize * N), kChunks);
  parameter_partial_kernel<N>
      <<<grid, dim3(kWarpSize, kRows), 0, stream>>>(dy, x, mean, rstd, scratch, rows, cols);
  check_launch();
  input_gradient_kernel<N><<<row_blocks(rows), dim3(kWarpSize, kWarps), 0, stream>>>(
      dy, x, mean, rstd, weight, dx, rows, cols, accumulate);
  check_launch();
}

}  // namespace

template <typename T>
void add_layer_norm(cudaStream_t stream, const T* x, const T* residual, const T* weight,
                    const T* bias, T* sum, T* y, float* mean, float* rstd, int rows, int cols,
                    float epsilon) {
  cols % 8 == 0 ? launch_forward<8>(stream, x, residual, weight, bias, sum, y, mean, rstd, rows,
                                    cols, epsilon)
                : launch_forward<1>(stream, x, residual, weight, bias, sum, y, mean, rstd, rows,
                                    cols, epsilon);
}

template <typename T>
void layer_norm(cudaStream_t stream, const T* x, const T* weight, const T* bias, T* y, float* mean,
                float* rstd, int rows, int cols, float epsilon) {
  add_layer_norm<T>(stream, x, nullptr, weight, bias, nullptr, y, mean, rstd, rows, cols, epsilon);
}

template <typename T>
void layer_norm_backward(cudaStream_t stream, const T* dy, const T* x, const float* mean,
                         const float* rstd, const T* weight, T* dx, T* dweight, T* dbias,
                         float* scratch, int rows, int cols, LayerNormAccumulate accumulate) {
  cols % 8 == 0 ? launch_backward<8>(stream, dy, x, mean, rstd, weight, dx, scratch, rows, cols,
                                     accumulate.dx)
                : launch_backward<1>(stream, dy, x, mean, rstd, weight, dx, scratch, rows, cols,
                                     accumulate.dx);
  const dim3 grid((static_cast<unsigned>(cols) + kWarpSize - 1) / kWarpSize, 2);
  parameter_final_kernel<<<grid, dim3(kWarpSize, kRows), 0, stream>>>(scratch, dweight, dbias, cols,
                                                                      accumulate.parameters);
  check_launch();
}

std::size_t layer_norm_scratch(int cols) { return std::size_t{2} * kChunks * cols; }

#define REF_INSTANTIATE(T)                                                                         \
  template void layer_norm<T>(cudaStream_t, const T*, const T*, const T*, T*, float*, float*, int, \
                              int, float);                                                         \
  template void add_layer_norm<T>(cudaStream_t, const T*, const T*, const T*, const T*, T*, T*,    \
                                  float*, float*, int, int, float);                                \
  template void layer_norm_backward<T>(cudaStream_t, const T*, const T*, const float*,             \
                                       const float*, const T*, T*, T*, T*, float*, int, int,       \
                                       LayerNormAccumulate);
REF_INSTANTIATE(__half)
REF_INSTANTIATE(__nv_bfloat16)
#undef REF_INSTANTIATE

}  // namespace ref
