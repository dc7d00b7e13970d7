// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Mixed-precision LAMB over all parameters at once: a few launches process a table of chunks of all
// tensors. Nothing waits for the host: scale, norm, step count and trust ratios stay on the device,
// and a step whose gradients overflowed changes nothing.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/cpu_tensor.hpp"
#include "common/kernels/update.hpp"

namespace ref {

/// One parameter in the kernels' form; all arrays have `size` elements and begin at multiples of 16
/// bytes.
struct LambTensor {
  const __half* half_grad;
  float* grad;  // unscaled; after a step the update, which is what the trust ratio needs
  float* param;
  __half* half;
  float* m;
  float* v;
  std::int64_t size;
  std::int32_t first_chunk;
  std::int32_t decays;  // 1: weight decay, and so the trust ratio, apply
};

/// Elements begin, begin + 1, ... of a tensor, kLambChunk of them or what is left.
struct LambChunk {
  std::int32_t tensor;
  std::int64_t begin;
};
constexpr std::int64_t kLambChunk = 32768;

/// Device memory of the caller.
struct LambTable {
  const LambTensor* tensors;
  const LambChunk* chunks;
  float* partial;  // (2, chunks): sums of squares
  float* ratios;   // (tensors): trust ratios
  std::int32_t tensor_count;
  std::int32_t chunk_count;
};

/// State that one step's kernels pass to the next's.
struct LambState {
  float norm;         ///< of all unscaled gradients
  float coefficient;  ///< gradients are multiplied by it: 1, or less where the norm is too large
  float correction1;  ///< 1 / (1 - beta1^step)
  float correction2;
  std::int32_t step;  ///< taken so far, this one included
};

struct LambOptions {
  float learning_rate = 1e-3f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-6f;
  float weight_decay = 0.01f;
  float max_norm = 1.0f;
};

/// grad = half_grad / scale for all tensors; raises scaler->found_infinite. With `divide` false the
/// scale is taken as 1.
void multi_tensor_scale(cudaStream_t stream, const LambTable& table, ScalerState* scaler,
                        bool divide);

/// state->norm = the Euclidean norm of all gradients; sums in a fixed order.
void multi_tensor_l2norm(cudaStream_t stream, const LambTable& table, LambState* state);

/// state->coefficient = min(1, max_norm / (norm + 1e-6)).
void clip_grad_norm(cudaStream_t stream, LambState* state, float max_norm);

/// Updates all parameters; grad becomes the update before the learning rate is applied.
void lamb(cudaStream_t stream, const LambTable& table, LambState* state, const ScalerState* scaler,
          const LambOptions& options);

namespace cpu {
/// One tensor's step number `step`, from 1. `grad` is unscaled and clipped.
inline void lamb(Tensor& param, Tensor& m, Tensor& v, const Tensor& grad, int step, bool decays,
                 const LambOptions& o) {
  const auto beta1 = static_cast<double>(o.beta1);
  const auto beta2 = static_cast<double>(o.beta2);
  const double decay = decays ? static_cast<double>(o.weight_decay) : 0;
  Tensor update(param.size());
  double param_norm = 0;
  double update_norm = 0;
  for (std::size_t i = 0; i < param.size(); ++i) {
    m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
    v[i] = beta2 * v[i] + (1 - beta2) * grad[i] * grad[i];
    const double m_hat = m[i] / (1 - std::pow(beta1, step));
    const double v_hat = v[i] / (1 - std::pow(beta2, step));
    update[i] = m_hat / (std::sqrt(v_hat) + static_cast<double>(o.epsilon)) + decay * param[i];
    param_norm += param[i] * param[i];
    update_norm += update[i] * update[i];
  }
  const bool adapts = decays && param_norm > 0 && update_norm > 0;
  const double ratio = adapts ? std::sqrt(param_norm / update_norm) : 1;
  for (std::size_t i = 0; i < param.size(); ++i) {
    param[i] -= static_cast<double>(o.learning_rate) * ratio * update[i];
  }
}
}  // namespace cpu

}  // namespace ref
