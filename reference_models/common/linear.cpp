// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See linear.hpp.
#include "common/linear.hpp"

#include <cmath>

#include "common/describe.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/relu.hpp"

namespace ref {
namespace {

Initial bias_initial(const Initial& weight, int in) {
  return {1.0f / std::sqrt(static_cast<float>(in)), weight.seed, weight.stream + 1};
}

}  // namespace

Linear::Texts::Texts(const LinearSizes& s)
    : LinearTexts({{s.rows}, s.in, s.out}),
      relu(unary("relu", {s.rows, s.out})),
      relu_backward(unary_gradient("relu", {s.rows, s.out})) {}

Linear::Linear(Gpu& gpu, const GradientTerms& terms, const std::string& name,
               const LinearSizes& sizes, bool relu, const Initial& initial)
    : sizes_(sizes),
      relu_(relu),
      keep_relu_(terms.keep(name + ".relu")),
      keep_data_(terms.keep(name + ".data")),
      keep_weight_(terms.keep(name + ".weight")),
      keep_bias_(terms.keep(name + ".bias")),
      weight_(gpu, name + ".weight", {sizes.out, sizes.in}, Parameter::Precision::fp16, initial),
      bias_(gpu, name + ".bias", {sizes.out}, Parameter::Precision::fp16,
            bias_initial(initial, sizes.in)),
      y_(volume(sizes.rows, sizes.out)),
      bias_scratch_(bias_gradient_scratch(sizes.out)),
      texts_(sizes) {}

__half* Linear::forward(Gpu& gpu, const __half* x) {
  within(texts_.product, [&] {
    gpu.blas.linear(sizes_.rows, sizes_.in, sizes_.out, x, weight_.half(), y_.data());
  });
  within(texts_.bias,
         [&] { bias_add(gpu.stream, y_.data(), bias_.half(), sizes_.rows, sizes_.out); });
  if (relu_) {
    const prof::Op op(texts_.relu);
    relu(gpu.stream, y_.data(), y_.size());
  }
  return y_.data();
}

void Linear::backward(Gpu& gpu, const __half* x, __half* dy, __half* dx) {
  if (relu_ && keep_relu_) {
    const prof::Op op(texts_.relu_backward);
    relu_backward(gpu.stream, dy, y_.data(), y_.size());
  }
  if (dx != nullptr) {
    const prof::Op op(texts_.data_gradient);
    if (keep_data_) {
      gpu.blas.linear_data_gradient(sizes_.rows, sizes_.in, sizes_.out, dy, weight_.half(), dx);
    } else {
      clear(gpu.stream, dx, volume(sizes_.rows, sizes_.in));
    }
  }
  if (keep_weight_) {
    const prof::Op op(texts_.weight_gradient);
    gpu.blas.linear_weight_gradient(sizes_.rows, sizes_.in, sizes_.out, dy, x, weight_.half_grad());
  }
  if (keep_bias_) {
    const prof::Op op(texts_.bias_gradient);
    bias_gradient(gpu.stream, dy, bias_.half_grad(), bias_scratch_.data(), sizes_.rows, sizes_.out);
  }
}

}  // namespace ref
