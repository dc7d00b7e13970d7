// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization as an op: alone, or fused with the addition of a residual.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/describe.hpp"
#include "common/layer.hpp"
#include "transformer/sizes.hpp"

namespace ref {

/// What a norm keeps for its gradient.
template <typename T>
struct NormOutput {
  explicit NormOutput(const TransformerSizes& s)
      : y(volume(s.tokens(), s.hidden)), mean(volume(s.tokens())), rstd(mean.size()) {}

  DeviceBuffer<T> y;               // (batch, length, hidden)
  DeviceBuffer<float> mean, rstd;  // (batch * length)
};

/// Of x (batch, length, hidden), T is __half or __nv_bfloat16. Norms may share one object. The
/// caller opens the layer.
template <typename T>
class NormOp {
 public:
  /// With `accumulate` gradients are added to.
  NormOp(const TransformerSizes& sizes, float epsilon, bool accumulate);

  void forward(cudaStream_t stream, const T* x, const LayerWeights<T>& weights,
               NormOutput<T>& out) const;
  /// sum = x + residual, out = its norm.
  void forward_sum(cudaStream_t stream, const T* x, const T* residual,
                   const LayerWeights<T>& weights, T* sum, NormOutput<T>& out) const;
  /// dx, and the gradients of the weights, from dy and the forward pass.
  void backward(cudaStream_t stream, const NormOutput<T>& forward, const T* dy, const T* x, T* dx,
                const LayerWeights<T>& weights, const LayerTerms& terms);

 private:
  int rows_, width_;
  float epsilon_;
  bool accumulate_;
  NormTexts texts_;
  DeviceBuffer<float> scratch_;
  DeviceBuffer<T> sink_;  // takes the gradients that a test leaves out; made when first needed
};

}  // namespace ref
