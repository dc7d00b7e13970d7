// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See reference_layers.hpp.
#include "transformer/reference_layers.hpp"

#include <cmath>
#include <utility>

#include "common/cpu_products.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/elementwise.hpp"

namespace ref {

ReferenceLayers::ReferenceLayers(const TransformerSizes& s, NamedTensors parameters, Round rounding,
                                 double epsilon, double loss_scale)
    : batch_(static_cast<std::size_t>(s.batch)),
      length_(static_cast<std::size_t>(s.length)),
      hidden_(static_cast<std::size_t>(s.hidden)),
      heads_(static_cast<std::size_t>(s.heads)),
      head_size_(hidden_ / heads_),
      tokens_(batch_ * length_),
      p_(std::move(parameters)),
      round_(rounding),
      epsilon_(epsilon),
      loss_scale_(loss_scale) {}

cpu::Tensor ReferenceLayers::round(Tensor x) const {
  for (double& value : x) value = round(value);
  return x;
}

cpu::Tensor ReferenceLayers::sum(const Tensor& a, const Tensor& b) const {
  return round(cpu::add(a, b));
}

void ReferenceLayers::keep_gradient(const std::string& name, Tensor gradient) {
  gradient = round(std::move(gradient));
  for (double& value : gradient) value /= loss_scale_;
  step_.gradients[name] = std::move(gradient);
}

cpu::Tensor ReferenceLayers::product(const std::string& name, const Tensor& x,
                                     std::size_t rows) const {
  return cpu::linear(x, p_.at(name + ".weight"), rows);
}

cpu::Tensor ReferenceLayers::product_backward(const std::string& name, const Tensor& x,
                                              const Tensor& dy, std::size_t rows) {
  keep_gradient(name + ".weight", cpu::linear_weight_gradient(dy, x, rows));
  return cpu::linear_data_gradient(dy, p_.at(name + ".weight"), rows);
}

cpu::Tensor ReferenceLayers::linear_backward(const std::string& name, const Tensor& x,
                                             const Tensor& dy, std::size_t rows) {
  keep_gradient(name + ".bias", cpu::bias_gradient(dy, dy.size() / rows));
  return product_backward(name, x, dy, rows);
}

cpu::LayerNorm ReferenceLayers::norm(const std::string& name, const Tensor& x) const {
  return cpu::layer_norm(x, p_.at(name + ".weight"), p_.at(name + ".bias"), epsilon_);
}

cpu::Tensor ReferenceLayers::norm_backward(const std::string& name, const Tensor& x,
                                           const Tensor& dy) {
  auto gradient = cpu::layer_norm_backward(dy, x, norm(name, x), p_.at(name + ".weight"));
  keep_gradient(name + ".weight", std::move(gradient.dweight));
  keep_gradient(name + ".bias", std::move(gradient.dbias));
  return std::move(gradient.dx);
}

cpu::Tensor ReferenceLayers::score_product(const Tensor& a, const Tensor& b) const {
  return batched(a, false, b, true, length_, head_size_);
}

cpu::Tensor ReferenceLayers::value_product(const Tensor& weights, const Tensor& b,
                                           bool transposed) const {
  return batched(weights, transposed, b, false, head_size_, length_);
}

double ReferenceLayers::score_scale() const {
  return 1 / std::sqrt(static_cast<double>(head_size_));
}

// Matrices of `length_` rows: op(a) op(b).
cpu::Tensor ReferenceLayers::batched(const Tensor& a, bool trans_a, const Tensor& b, bool trans_b,
                                     std::size_t cols, std::size_t inner) const {
  const std::size_t rows = length_;
  Tensor out;
  for (std::size_t m = 0; m < batch_ * heads_; ++m) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) {
        double total = 0;
        for (std::size_t k = 0; k < inner; ++k) {
          const std::size_t from_a = trans_a ? k * rows + r : r * inner + k;
          const std::size_t from_b = trans_b ? c * inner + k : k * cols + c;
          total += a[m * rows * inner + from_a] * b[m * inner * cols + from_b];
        }
        out.push_back(total);
      }
    }
  }
  return round(std::move(out));
}

}  // namespace ref
