// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax over the last dimension, optionally of scaled and causally masked scores. T is __half or
// __nv_bfloat16.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

inline constexpr int kMaxSoftmaxCols = 2048;  // a row is held in registers

struct SoftmaxOptions {
  float scale = 1;      ///< scores are multiplied by it first
  bool causal = false;  ///< of each cols x cols matrix only what is on or below the diagonal counts
};

/// y = softmax(scale * x) for each row of x (rows, cols); cols is kMaxSoftmaxCols at most. With
/// `causal`, elements above the diagonal are not read, and 0 is written. y may be x. Throws
/// std::length_error if cols is too large.
template <typename T>
void softmax(cudaStream_t stream, const T* x, T* y, std::size_t rows, int cols,
             SoftmaxOptions options = {});

/// dx = scale * y * (dy - sum(dy * y)), the sum over the row; likewise. dx may be dy.
template <typename T>
void softmax_backward(cudaStream_t stream, const T* dy, const T* y, T* dx, std::size_t rows,
                      int cols, SoftmaxOptions options = {});

namespace cpu {
inline std::size_t softmax_width(std::size_t row, std::size_t cols, bool causal) {
  return causal ? row % cols + 1 : cols;
}
inline Tensor softmax(const Tensor& x, std::size_t cols, double scale = 1, bool causal = false) {
  Tensor y(x.size());
  for (std::size_t row = 0; row < x.size() / cols; ++row) {
    const double* from = &x[row * cols];
    const std::size_t width = softmax_width(row, cols, causal);
    const double largest = *std::max_element(from, from + width);
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) sum += std::exp(scale * (from[c] - largest));
    for (std::size_t c = 0; c < width; ++c) {
      y[row * cols + c] = std::exp(scale * (from[c] - largest)) / sum;
    }
  }
  return y;
}
inline Tensor softmax_backward(const Tensor& dy, const Tensor& y, std::size_t cols,
                               double scale = 1, bool causal = false) {
  Tensor dx(y.size());
  for (std::size_t row = 0; row < y.size() / cols; ++row) {
    const std::size_t width = softmax_width(row, cols, causal);
    double sum = 0;
    for (std::size_t i = row * cols; i < row * cols + width; ++i) sum += dy[i] * y[i];
    for (std::size_t i = row * cols; i < row * cols + width; ++i) {
      dx[i] = scale * y[i] * (dy[i] - sum);
    }
  }
  return dx;
}
}  // namespace cpu

}  // namespace ref
