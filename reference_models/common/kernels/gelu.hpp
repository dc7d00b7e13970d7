// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The Gaussian error linear unit, x * Phi(x): exact and after a bias, in fp16; and alone, in the
// common tanh approximation. T is __half or __nv_bfloat16.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// y = gelu(x + bias), x and y (rows, cols), bias (cols).
void bias_gelu(cudaStream_t stream, const __half* x, const __half* bias, __half* y, int rows,
               int cols);

/// dx = dy * gelu'(x + bias), and dbias its sum over the rows, in fp32 and in a fixed order.
/// `scratch` holds bias_gradient_scratch(cols) floats (bias.hpp). dx may be dy.
void bias_gelu_backward(cudaStream_t stream, const __half* dy, const __half* x, const __half* bias,
                        __half* dx, __half* dbias, float* scratch, int rows, int cols);

/// y = gelu(x), tanh approximation; n elements. y may be x.
template <typename T>
void gelu_tanh(cudaStream_t stream, const T* x, T* y, std::size_t n);

/// dx = dy * gelu'(x) of that. dx may be dy.
template <typename T>
void gelu_tanh_backward(cudaStream_t stream, const T* dy, const T* x, T* dx, std::size_t n);

namespace cpu {
inline double gelu(double x) { return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5))); }
inline double gelu_derivative(double x) {
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * 3.14159265358979323846);
  return 0.5 * (1 + std::erf(x * std::sqrt(0.5))) + x * density;
}
inline double gelu_tanh_argument(double x) {
  return std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
}
inline double gelu_tanh(double x) { return 0.5 * x * (1 + std::tanh(gelu_tanh_argument(x))); }
inline double gelu_tanh_derivative(double x) {
  const double t = std::tanh(gelu_tanh_argument(x));
  const double slope = std::sqrt(2 / 3.14159265358979323846) * (1 + 3 * 0.044715 * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope;
}
}  // namespace cpu

}  // namespace ref
