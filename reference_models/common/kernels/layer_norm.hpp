// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization of the rows of a matrix, alone or fused with an addition, and its gradients.
// T is __half or __nv_bfloat16; statistics are float.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// y = (x - mean) * rstd * weight + bias for each row of x (rows, cols); weight and bias (cols),
/// mean and rstd (rows). y may be x.
template <typename T>
void layer_norm(cudaStream_t stream, const T* x, const T* weight, const T* bias, T* y, float* mean,
                float* rstd, int rows, int cols, float epsilon);

/// sum = x + residual, rounded to T, and the norm of that. sum may be x or residual.
template <typename T>
void add_layer_norm(cudaStream_t stream, const T* x, const T* residual, const T* weight,
                    const T* bias, T* sum, T* y, float* mean, float* rstd, int rows, int cols,
                    float epsilon);

/// What the backward pass does with the old values of its outputs.
struct LayerNormAccumulate {
  bool dx = false;          ///< add to dx, instead of overwriting it
  bool parameters = false;  ///< likewise dweight and dbias
};

/// Takes the inputs and statistics of the forward pass. fp32 sums in a fixed order. `scratch` holds
/// layer_norm_scratch(cols) floats. dx may be dy unless it is accumulated into.
template <typename T>
void layer_norm_backward(cudaStream_t stream, const T* dy, const T* x, const float* mean,
                         const float* rstd, const T* weight, T* dx, T* dweight, T* dbias,
                         float* scratch, int rows, int cols, LayerNormAccumulate accumulate = {});
std::size_t layer_norm_scratch(int cols);

namespace cpu {
struct LayerNorm {
  Tensor y, mean, rstd;
};
inline LayerNorm layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                            double epsilon) {
  const std::size_t cols = weight.size();
  LayerNorm out;
  for (std::size_t row = 0; row < x.size(); row += cols) {
    double mean = 0;
    double variance = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += x[row + c];
    mean /= static_cast<double>(cols);
    for (std::size_t c = 0; c < cols; ++c) variance += (x[row + c] - mean) * (x[row + c] - mean);
    variance /= static_cast<double>(cols);
    out.mean.push_back(mean);
    out.rstd.push_back(1 / std::sqrt(variance + epsilon));
    for (std::size_t c = 0; c < cols; ++c) {
      out.y.push_back((x[row + c] - mean) * out.rstd.back() * weight[c] + bias[c]);
    }
  }
  return out;
}

struct LayerNormGradient {
  Tensor dx, dweight, dbias;
};
inline LayerNormGradient layer_norm_backward(const Tensor& dy, const Tensor& x,
                                             const LayerNorm& forward, const Tensor& weight) {
  const std::size_t cols = weight.size();
  LayerNormGradient out{Tensor(x.size()), Tensor(cols), Tensor(cols)};
  for (std::size_t r = 0; r < x.size() / cols; ++r) {
    const auto normal = [&](std::size_t c) {
      return (x[r * cols + c] - forward.mean[r]) * forward.rstd[r];
    };
    double mean = 0;     // of dy * weight
    double product = 0;  // of dy * weight * normal, the mean too
    for (std::size_t c = 0; c < cols; ++c) {
      const double g = dy[r * cols + c];
      out.dweight[c] += g * normal(c);
      out.dbias[c] += g;
      mean += g * weight[c] / static_cast<double>(cols);
      product += g * weight[c] * normal(c) / static_cast<double>(cols);
    }
    for (std::size_t c = 0; c < cols; ++c) {
      out.dx[r * cols + c] =
          forward.rstd[r] * (dy[r * cols + c] * weight[c] - mean - normal(c) * product);
    }
  }
  return out;
}
}  // namespace cpu

}  // namespace ref
