// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AdamW with clipping by the norm of all gradients, without the host: all state between steps is on
// the device, so that a captured step can be replayed. Parameters are float, with a bfloat16 copy
// for the layers and bfloat16 gradients.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// State that one step's kernels pass to the next's.
struct AdamwState {
  float grad_norm;     ///< of this step, before clipping
  float coefficient;   ///< by which gradients are multiplied: min(1, limit / norm)
  int step;            ///< 1 in the first step
  float correction_m;  ///< 1 / (1 - beta1^step)
  float correction_v;  ///< 1 / (1 - beta2^step)
};

struct AdamwOptions {
  float learning_rate, beta1, beta2, epsilon;
};

/// state->grad_norm = Euclidean norm of n gradients, summed in a fixed order. `partial` is scratch
/// for kGradNormScratch floats. n is a multiple of 8.
void grad_norm(cudaStream_t stream, const __nv_bfloat16* grad, std::size_t n, float* partial,
               AdamwState* state);
inline constexpr int kGradNormScratch = 1024;

/// Begins an update: counts the step and computes coefficient and corrections. With `clip` false
/// the coefficient is 1.
void begin_adamw(cudaStream_t stream, AdamwState* state, float limit, const AdamwOptions& options,
                 bool clip);

/// One tensor's update, n elements, n a multiple of 8; copy = param rounded to bfloat16.
void adamw(cudaStream_t stream, float* param, const __nv_bfloat16* grad, float* m, float* v,
           __nv_bfloat16* copy, std::size_t n, const AdamwOptions& options, float weight_decay,
           const AdamwState* state);

namespace cpu {
struct AdamwUpdate {
  Tensor param, m, v;
};
/// The first step, from m = v = 0.
inline AdamwUpdate first_adamw_step(const Tensor& param, const Tensor& grad, double coefficient,
                                    const AdamwOptions& o, double weight_decay) {
  const double beta1 = static_cast<double>(o.beta1);
  const double beta2 = static_cast<double>(o.beta2);
  AdamwUpdate out{param, Tensor(grad.size()), Tensor(grad.size())};
  for (std::size_t i = 0; i < grad.size(); ++i) {
    const double g = grad[i] * coefficient;
    out.m[i] = (1 - beta1) * g;
    out.v[i] = (1 - beta2) * g * g;
    const double direction = g / (std::fabs(g) + static_cast<double>(o.epsilon));
    out.param[i] -= static_cast<double>(o.learning_rate) * (direction + weight_decay * param[i]);
  }
  return out;
}
}  // namespace cpu

}  // namespace ref
