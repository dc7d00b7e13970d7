// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A fully connected layer with cublasLt: y = x W^T + b, with bias and, optionally, GELU in the
// product's kernel; and its gradients. Layers of one shape share one object.
#pragma once

#include "common/device_buffer.hpp"
#include "common/gradient_terms.hpp"
#include "gpt/context.hpp"

namespace ref {

struct MatmulOptions {
  bool bias = true;
  bool gelu = false;   // forward: y = gelu(x W^T + b), and what GELU took is kept
  bool dgelu = false;  // backward: dx is multiplied with the derivative of the GELU before
};

/// Which of a layer's gradients are computed. Terms: NAME.bias, NAME.data, NAME.weight.
struct MatmulTerms {
  MatmulTerms(const GradientTerms& terms, const std::string& name);
  bool bias, data, weight;
};

class Matmul {
 public:
  using T = __nv_bfloat16;

  /// x (batch, tokens, in), weight (out, in), y (batch, tokens, out).
  Matmul(const GptConfig& config, int in, int out, const MatmulOptions& options);

  struct Forward {
    const T *x, *weight, *bias;
    T* y;
    T* pre_gelu;  // only with gelu
  };
  void forward(GptContext& context, const Forward& tensors) const;

  /// The GELU whose output is this layer's input, if its gradient is to be fused.
  struct GeluBefore {
    const T* pre_gelu;
    const prof::LayerText* layer;
    bool keep;
  };
  struct Backward {
    const T *x, *weight;
    const T* dy;
    T* dx;
    T *dweight, *dbias;  // are added to
    float* bias_scratch;
    const prof::LayerText* layer;
    const GeluBefore* gelu;  // or null
  };
  /// Opens the layer itself, because a GELU in between is a separate layer.
  void backward(GptContext& context, const Backward& tensors, const MatmulTerms& terms) const;

 private:
  struct Texts {
    prof::OpText forward, bias, data, weight, gelu;
    Texts(const GptConfig& config, int in, int out, const MatmulOptions& options);
  };

  void backward_bias(GptContext& context, const Backward& tensors) const;
  void backward_data(GptContext& context, const Backward& tensors, bool keep) const;
  void backward_gelu(GptContext& context, const Backward& tensors) const;
  void backward_weight(GptContext& context, const Backward& tensors) const;

  BlasLt::LinearSizes sizes_;
  MatmulOptions options_;
  Texts texts_;
};

}  // namespace ref
