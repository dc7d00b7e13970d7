// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts that the CPU references of all transformers are made of. They share nothing with what
// they check.
#pragma once

#include <cstddef>
#include <string>

#include "common/kernels/layer_norm.hpp"
#include "common/reference_step.hpp"
#include "transformer/sizes.hpp"

namespace ref {

/// Parameters and gradients have names: a layer's are NAME.weight and NAME.bias.
class ReferenceLayers {
 protected:
  using Tensor = cpu::Tensor;
  /// The nearest number that the type in which tensors are stored can hold.
  using Round = double (*)(double);

  /// `rounding` is null if nothing is rounded. Gradients are of the loss times `loss_scale`.
  ReferenceLayers(const TransformerSizes& sizes, NamedTensors parameters, Round rounding,
                  double epsilon, double loss_scale = 1);

  [[nodiscard]] double round(double x) const { return round_ == nullptr ? x : round_(x); }
  [[nodiscard]] Tensor round(Tensor x) const;
  [[nodiscard]] Tensor sum(const Tensor& a, const Tensor& b) const;
  void keep_gradient(const std::string& name, Tensor gradient);

  // Results are not rounded, unless stated otherwise: more may happen before they are stored.
  // Gradients of parameters are rounded and kept.

  [[nodiscard]] Tensor product(const std::string& name, const Tensor& x, std::size_t rows) const;
  Tensor product_backward(const std::string& name, const Tensor& x, const Tensor& dy,
                          std::size_t rows);
  /// Those of the bias, too.
  Tensor linear_backward(const std::string& name, const Tensor& x, const Tensor& dy,
                         std::size_t rows);

  [[nodiscard]] cpu::LayerNorm norm(const std::string& name, const Tensor& x) const;
  Tensor norm_backward(const std::string& name, const Tensor& x, const Tensor& dy);

  // Rounded products for each head of each sequence, of matrices (length, head size) and (length,
  // length): a b^T; weights b, or weights^T b.
  [[nodiscard]] Tensor score_product(const Tensor& a, const Tensor& b) const;
  [[nodiscard]] Tensor value_product(const Tensor& weights, const Tensor& b,
                                     bool transposed = false) const;
  [[nodiscard]] double score_scale() const;

  const std::size_t batch_, length_, hidden_, heads_, head_size_;
  const std::size_t tokens_;  // of all sequences
  const NamedTensors p_;
  ReferenceStep step_{};

 private:
  [[nodiscard]] Tensor batched(const Tensor& a, bool trans_a, const Tensor& b, bool trans_b,
                               std::size_t cols, std::size_t inner) const;

  Round round_;
  double epsilon_, loss_scale_;
};

}  // namespace ref
