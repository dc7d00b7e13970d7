// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A fully connected layer with cublasLt: y = x W^T + b, with bias and, optionally, GELU in the
// product's kernel; and its gradients. Layers of one shape share one object.
#pragma once

#include "common/layer.hpp"
#include "gpt/context.hpp"

namespace ref {

class Matmul {
 public:
  using T = __nv_bfloat16;

  /// x (batch, length, in), weight (out, in), y (batch, length, out). Gradients of parameters are
  /// added to.
  Matmul(const GptConfig& config, int in, int out, LinearFusion fusion);

  /// A layer of that shape in the model.
  struct Place {
    prof::LayerText layer;
    LayerTerms terms;
    LayerWeights<T> weights;
  };

  /// The caller opens the layer. `pre_gelu` takes what the GELU takes, if it is fused.
  void forward(GptContext& context, const Place& place, const T* x, T* y,
               T* pre_gelu = nullptr) const;

  struct Gradients {
    const T *x, *dy;
    T* dx;
    float* bias_scratch;
  };
  /// The GELU whose output is this layer's input.
  struct GeluBefore {
    const T* pre_gelu;
    const prof::LayerText& layer;
    bool keep;
  };
  /// Opens the layer itself, because a GELU in between is a separate layer.
  void backward(GptContext& context, const Place& place, const Gradients& tensors,
                const GeluBefore* gelu = nullptr) const;

 private:
  BlasLt::LinearSizes sizes_;
  LinearFusion fusion_;
  LinearTexts texts_;
  prof::OpText gelu_text_;
};

}  // namespace ref
