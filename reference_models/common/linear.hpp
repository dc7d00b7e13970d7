// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A fully connected layer in fp16: product, bias and, optionally, relu, each a separate op.
#pragma once

#include <cuda_fp16.h>

#include <string>
#include <vector>

#include "common/describe.hpp"
#include "common/gradient_terms.hpp"
#include "common/parameter.hpp"

namespace ref {

struct LinearSizes {
  int rows;
  int in;
  int out;
};

/// y = x W^T + b, then max(y, 0) with relu. Terms: NAME.weight, NAME.bias, NAME.data, NAME.relu.
class Linear {
 public:
  Linear(Gpu& gpu, const GradientTerms& terms, const std::string& name, const LinearSizes& sizes,
         bool relu, const Initial& initial);

  /// The output (rows, out); valid until the next call.
  __half* forward(Gpu& gpu, const __half* x);

  /// Takes the gradient of the output, which it overwrites, and the input of the last forward().
  /// Computes the parameters' gradients and, unless dx is null, the input's.
  void backward(Gpu& gpu, const __half* x, __half* dy, __half* dx);

  [[nodiscard]] std::vector<Parameter*> parameters() { return {&weight_, &bias_}; }

 private:
  struct Texts : LinearTexts {
    prof::OpText relu, relu_backward;
    explicit Texts(const LinearSizes& sizes);
  };

  LinearSizes sizes_;
  bool relu_;
  bool keep_relu_, keep_data_, keep_weight_, keep_bias_;
  Parameter weight_;
  Parameter bias_;
  DeviceBuffer<__half> y_;
  DeviceBuffer<float> bias_scratch_;
  Texts texts_;
};

}  // namespace ref
