// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See mlp.hpp.
#include "dlrm/mlp.hpp"

#include <cmath>

namespace ref {

Mlp::Mlp(Gpu& gpu, const GradientTerms& terms, const std::string& name, const Sizes& sizes,
         std::uint64_t seed, std::uint64_t stream)
    : inputs_(sizes.widths.size()) {
  int in = sizes.in;
  for (std::size_t i = 0; i < sizes.widths.size(); ++i) {
    const bool last = i + 1 == sizes.widths.size();
    // Keeps the variance of activations through relu (He initialization).
    const Initial initial{std::sqrt(6.0f / static_cast<float>(in)), seed, stream + 2 * i};
    layers_.emplace_back(gpu, terms, name + "." + std::to_string(i),
                         LinearSizes{sizes.rows, in, sizes.widths[i]},
                         !last || sizes.relu_after_last, initial);
    const bool needed = i > 0 || sizes.input_gradient;
    dinputs_.emplace_back(needed ? volume(sizes.rows, in) : 0);
    in = sizes.widths[i];
  }
}

const __half* Mlp::forward(Gpu& gpu, const __half* x) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    inputs_[i] = x;
    x = layers_[i].forward(gpu, x);
  }
  return x;
}

const __half* Mlp::backward(Gpu& gpu, __half* dy) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    layers_[i].backward(gpu, inputs_[i], dy, dinputs_[i].data());
    dy = dinputs_[i].data();
  }
  return dy;
}

std::vector<Parameter*> Mlp::parameters() {
  std::vector<Parameter*> all;
  for (Linear& layer : layers_) {
    for (Parameter* parameter : layer.parameters()) all.push_back(parameter);
  }
  return all;
}

}  // namespace ref
