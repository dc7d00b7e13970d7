// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See linear.hpp.
#include "common/linear.hpp"

#include <cmath>

#include "common/kernels/bias.hpp"

namespace ref {
namespace {

Initial bias_initial(const Initial& weight, int in) {
  return {1.0f / std::sqrt(static_cast<float>(in)), weight.seed, weight.stream + 1};
}

}  // namespace

Linear::Linear(const LayerSetup& setup, const std::string& name, const LinearSizes& s,
               const Initial& initial, Parameter* shared)
    : sizes_(s),
      rows_(static_cast<int>(elements(s.tokens))),
      terms_(setup.terms, name),
      weight_(shared != nullptr ? shared : &setup.add(name + ".weight", {s.out, s.in}, initial)),
      bias_(s.bias == BiasForm::none
                ? nullptr
                : &setup.add(name + ".bias", {s.out}, bias_initial(initial, s.in))),
      y_(volume(rows_, s.out)),
      dx_(s.input_gradient ? volume(rows_, s.in) : 0),
      scratch_(s.bias == BiasForm::none ? 0 : bias_gradient_scratch(s.out)),
      texts_({s.tokens, s.in, s.out}),
      added_bias_text_(describe(prof::op("add").fprop(), kHalf,
                                {{"a", {s.out}}, {"b", join(s.tokens, s.out)}},
                                {{"out", join(s.tokens, s.out)}})) {}

__half* Linear::forward(Gpu& gpu, const __half* x) {
  within(texts_.product, [&] {
    gpu.blas.linear(rows_, sizes_.in, sizes_.out, x, weight_->half(), y_.data(), sizes_.x_pitch);
  });
  if (bias_ != nullptr) {
    const prof::Op op(sizes_.bias == BiasForm::bias ? texts_.bias : added_bias_text_);
    bias_add(gpu.stream, y_.data(), bias_->half(), rows_, sizes_.out);
  }
  return y_.data();
}

void Linear::bias_backward(Gpu& gpu, const __half* dy) {
  if (!terms_.bias) return;
  const prof::Op op(texts_.bias_gradient);
  bias_gradient(gpu.stream, dy, bias_->half_grad(), scratch_.data(), rows_, sizes_.out);
}

__half* Linear::data_backward(Gpu& gpu, const __half* dy) {
  const prof::Op op(texts_.data_gradient);
  if (terms_.data) {
    gpu.blas.linear_data_gradient(rows_, sizes_.in, sizes_.out, dy, weight_->half(), dx_.data());
  } else {
    clear(gpu.stream, dx_.data(), dx_.size());
  }
  return dx_.data();
}

void Linear::weight_backward(Gpu& gpu, const __half* x, const __half* dy) {
  const prof::Op op(texts_.weight_gradient);
  if (terms_.weight) {
    gpu.blas.linear_weight_gradient(rows_, sizes_.in, sizes_.out, dy, x, weight_->half_grad(),
                                    sizes_.x_pitch);
  } else {
    clear(gpu.stream, weight_->half_grad(), weight_->size());
  }
}

__half* Linear::backward(Gpu& gpu, const __half* x, const __half* dy) {
  if (bias_ != nullptr) bias_backward(gpu, dy);
  __half* dx = data_backward(gpu, dy);
  weight_backward(gpu, x, dy);
  return dx;
}

}  // namespace ref
