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
  Mlp(Gpu& gpu, const GradientTerms& terms, const std::string& name, const Sizes& sizes,
      std::uint64_t seed, std::uint64_t stream);

  /// The output (rows, last width); keeps the activations for backward(), not the input: `x` must
  /// stay valid until then.
  const __half* forward(Gpu& gpu, const __half* x);

  /// From the gradient of the output (overwritten), the gradients of all parameters. Returns the
  /// gradient of the input, or null if there is none.
  const __half* backward(Gpu& gpu, __half* dy);

  [[nodiscard]] std::vector<Parameter*> parameters();

 private:
  std::vector<Linear> layers_;
  std::vector<const __half*> inputs_;          // of each layer, in the last forward()
  std::vector<DeviceBuffer<__half>> dinputs_;  // gradients of those; empty where not computed
};

}  // namespace ref
