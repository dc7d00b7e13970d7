// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A stack of linear layers with relu between them.
#pragma once

#include <string>
#include <vector>

#include "common/linear.hpp"

namespace ref {

class Mlp {
 public:
  struct Sizes {
    int rows;
    int in;
    std::vector<int> widths;
    bool relu_after_last;
    bool input_gradient;  // whether backward() computes the gradient of the input
  };

  /// Layers are named NAME.0, NAME.1, ...; `stream` selects their random initial values.
  Mlp(const LayerSetup& setup, const std::string& name, const Sizes& sizes, std::uint64_t seed,
      std::uint64_t stream);

  /// The output (rows, last width); keeps the activations for backward(), not the input: `x` must
  /// stay valid until then.
  const __half* forward(Gpu& gpu, const __half* x);

  /// From the gradient of the output (overwritten), the gradients of all parameters. Returns the
  /// gradient of the input, or null if there is none.
  const __half* backward(Gpu& gpu, __half* dy);

  [[nodiscard]] const std::vector<Parameter*>& parameters() const { return parameters_; }

 private:
  /// Terms: those of the linear layer, and NAME.relu.
  struct Layer {
    Linear linear;
    bool relu, keep_relu, input_gradient;
    std::size_t size;  // of y
    prof::OpText relu_text, relu_backward_text;
    const __half* x = nullptr;  // of the last forward()
    __half* y = nullptr;
  };

  std::vector<Layer> layers_;
  std::vector<Parameter*> parameters_;
};

}  // namespace ref
