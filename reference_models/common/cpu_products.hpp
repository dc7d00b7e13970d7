// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of the double-precision reference.
#pragma once

#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref::cpu {

/// y (rows, out) = x (rows, in) w^T, w (out, in).
inline Tensor linear(const Tensor& x, const Tensor& w, std::size_t rows) {
  const std::size_t in = x.size() / rows;
  const std::size_t out = w.size() / in;
  Tensor y(rows * out);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t o = 0; o < out; ++o) {
      double sum = 0;
      for (std::size_t i = 0; i < in; ++i) sum += x[r * in + i] * w[o * in + i];
      y[r * out + o] = sum;
    }
  }
  return y;
}

/// dx (rows, in) = dy (rows, out) w.
inline Tensor linear_data_gradient(const Tensor& dy, const Tensor& w, std::size_t rows) {
  const std::size_t out = dy.size() / rows;
  const std::size_t in = w.size() / out;
  Tensor dx(rows * in);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) dx[r * in + i] += dy[r * out + o] * w[o * in + i];
    }
  }
  return dx;
}

/// dw (out, in) = dy^T x.
inline Tensor linear_weight_gradient(const Tensor& dy, const Tensor& x, std::size_t rows) {
  const std::size_t out = dy.size() / rows;
  const std::size_t in = x.size() / rows;
  Tensor dw(out * in);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) dw[o * in + i] += dy[r * out + o] * x[r * in + i];
    }
  }
  return dw;
}

}  // namespace ref::cpu
