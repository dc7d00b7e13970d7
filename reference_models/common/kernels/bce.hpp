// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Binary cross-entropy of logits, averaged over the samples.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

constexpr int kBceScratch = 1024;  // floats: sums of blocks

/// *loss = mean of max(x, 0) - x t + log(1 + exp(-|x|)); fp32 sums in a fixed order.
void bce_with_logits(cudaStream_t stream, const float* x, const float* target, float* loss,
                     float* scratch, int count);

/// dx[i] = *dloss * (sigmoid(x[i]) - target[i]) / count.
void bce_with_logits_backward(cudaStream_t stream, const float* x, const float* target,
                              const float* dloss, float* dx, int count);

namespace cpu {
inline double bce_with_logits(const Tensor& x, const Tensor& target) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = 1 / (1 + std::exp(-x[i]));
    sum -= target[i] * std::log(p) + (1 - target[i]) * std::log(1 - p);
  }
  return sum / static_cast<double>(x.size());
}
inline Tensor bce_with_logits_backward(const Tensor& x, const Tensor& target, double dloss) {
  Tensor dx(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    dx[i] = dloss * (1 / (1 + std::exp(-x[i])) - target[i]) / static_cast<double>(x.size());
  }
  return dx;
}
}  // namespace cpu

}  // namespace ref
