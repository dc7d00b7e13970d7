// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The bias of a linear layer: added to every row, and its gradient, the sum over the rows.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// y[r][c] += bias[c], y (rows, cols), in place.
void bias_add(cudaStream_t stream, __half* y, const __half* bias, int rows, int cols);

/// dbias[c] = sum over r of dy[r][c], added to the old value if `accumulate`; fp32 sums in a fixed
/// order. `partial` is scratch for bias_gradient_scratch(cols) floats. T is __half or
/// __nv_bfloat16.
template <typename T>
void bias_gradient(cudaStream_t stream, const T* dy, T* dbias, float* partial, int rows, int cols,
                   bool accumulate = false);
std::size_t bias_gradient_scratch(int cols);

namespace cpu {
inline void bias_add(Tensor& y, const Tensor& bias) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
}
inline Tensor bias_gradient(const Tensor& dy, std::size_t cols) {
  Tensor sum(cols);
  for (std::size_t i = 0; i < dy.size(); ++i) sum[i % cols] += dy[i];
  return sum;
}
}  // namespace cpu

}  // namespace ref
