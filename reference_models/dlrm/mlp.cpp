// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See mlp.hpp.
#include "dlrm/mlp.hpp"

#include <cmath>

#include "common/kernels/relu.hpp"

namespace ref {

Mlp::Mlp(const LayerSetup& setup, const std::string& name, const Sizes& sizes, std::uint64_t seed,
         std::uint64_t stream) {
  const std::size_t first = setup.parameters.size();
  int in = sizes.in;
  for (std::size_t i = 0; i < sizes.widths.size(); ++i) {
    const std::string layer = name + "." + std::to_string(i);
    const int out = sizes.widths[i];
    // Keeps the variance of activations through relu (He initialization).
    const Initial initial{std::sqrt(6.0f / static_cast<float>(in)), seed, stream + 2 * i};
    const bool relu = i + 1 < sizes.widths.size() || sizes.relu_after_last;
    const bool input_gradient = i > 0 || sizes.input_gradient;
    layers_.push_back(
        {Linear(setup, layer,
                {.tokens = {sizes.rows}, .in = in, .out = out, .input_gradient = input_gradient},
                initial),
         relu, setup.terms.keep(layer + ".relu"), input_gradient, volume(sizes.rows, out),
         unary("relu", {sizes.rows, out}), unary_gradient("relu", {sizes.rows, out})});
    in = out;
  }
  for (std::size_t i = first; i < setup.parameters.size(); ++i) {
    parameters_.push_back(&setup.parameters[i]);
  }
}

const __half* Mlp::forward(Gpu& gpu, const __half* x) {
  for (Layer& layer : layers_) {
    layer.x = x;
    layer.y = layer.linear.forward(gpu, x);
    if (layer.relu) within(layer.relu_text, [&] { relu(gpu.stream, layer.y, layer.size); });
    x = layer.y;
  }
  return x;
}

const __half* Mlp::backward(Gpu& gpu, __half* dy) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer& layer = layers_[i];
    if (layer.relu && layer.keep_relu) {
      const prof::Op op(layer.relu_backward_text);
      relu_backward(gpu.stream, dy, layer.y, layer.size);
    }
    __half* dx = layer.input_gradient ? layer.linear.data_backward(gpu, dy) : nullptr;
    layer.linear.weight_backward(gpu, layer.x, dy);
    layer.linear.bias_backward(gpu, dy);
    dy = dx;
  }
  return dy;
}

}  // namespace ref
