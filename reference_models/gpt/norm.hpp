// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization, annotated: alone before the first block, then fused with the addition of
// each residual. All norms of the model share one object, because their shapes are the same.
#pragma once

#include <string>

#include "common/device_buffer.hpp"
#include "common/gradient_terms.hpp"
#include "gpt/context.hpp"

namespace ref {

/// Which of a norm's gradients are computed. Terms: NAME.data, NAME.weight, NAME.bias.
struct NormTerms {
  NormTerms(const GradientTerms& terms, const std::string& name);
  bool data, weight, bias;
};

class Norm {
 public:
  using T = __nv_bfloat16;

  explicit Norm(const GptConfig& config);

  /// What a norm keeps for its gradient: y (batch, tokens, channels), mean and rstd a float for
  /// each token.
  struct Output {
    T* y;
    float *mean, *rstd;
  };
  struct Weights {
    const T *weight, *bias;  // (channels)
  };
  void forward(GptContext& context, const T* x, const Weights& weights, const Output& out) const;
  /// sum = x + residual, out = its norm.
  void forward_sum(GptContext& context, const T* x, const T* residual, const Weights& weights,
                   T* sum, const Output& out) const;

  /// dx, dweight and dbias are added to.
  struct Gradients {
    const T *dy, *x, *weight;
    T *dx, *dweight, *dbias;
  };
  void backward(GptContext& context, const Output& forward, const Gradients& gradients,
                const NormTerms& terms);

 private:
  int rows_, channels_;
  prof::OpText forward_text_, sum_text_, backward_text_;
  DeviceBuffer<float> scratch_;
  DeviceBuffer<T> sink_;  // takes the gradients that a test leaves out; made when first needed
};

}  // namespace ref
