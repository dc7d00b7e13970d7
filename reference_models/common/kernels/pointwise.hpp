// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// fp16 tensors, element by element: affine maps, tanh, sums, rows copied between layouts.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/cpu_tensor.hpp"

namespace ref {

/// y[i] = x[i] * scale + shift. y may be x.
void affine(cudaStream_t stream, const __half* x, __half* y, std::size_t n, float scale,
            float shift);

/// out[i] = a[i] + b[i]. out may be a or b.
void add(cudaStream_t stream, const __half* a, const __half* b, __half* out, std::size_t n);

/// scores (batch, rows, cols) += mask (batch, cols), the same for each row.
void add_mask(cudaStream_t stream, __half* scores, const __half* mask, int batch, int rows,
              int cols);

/// y[i] = tanh(x[i]). y may be x.
void tanh(cudaStream_t stream, const __half* x, __half* y, std::size_t n);
/// dx[i] = dy[i] * (1 - y[i]^2). dx may be dy.
void tanh_backward(cudaStream_t stream, const __half* dy, const __half* y, __half* dx,
                   std::size_t n);

/// Copies row r of `in` (rows, cols), dense, to the row of `out` at r * out_pitch elements.
void scatter_rows(cudaStream_t stream, const __half* in, __half* out, int rows, int cols,
                  std::int64_t out_pitch);

/// out[i] = i.
void arange(cudaStream_t stream, std::int32_t* out, int n);
/// out (times, n) = in (n), repeated.
void repeat(cudaStream_t stream, const std::int32_t* in, std::int32_t* out, int n, int times);

namespace cpu {
inline void add_mask(Tensor& scores, const Tensor& mask, std::size_t batch) {
  const std::size_t cols = mask.size() / batch;
  const std::size_t per_sample = scores.size() / batch;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] += mask[i / per_sample * cols + i % cols];
  }
}
inline Tensor tanh(Tensor x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}
inline Tensor tanh_backward(Tensor dy, const Tensor& y) {
  for (std::size_t i = 0; i < y.size(); ++i) dy[i] *= 1 - y[i] * y[i];
  return dy;
}
}  // namespace cpu

}  // namespace ref
