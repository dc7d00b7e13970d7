// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See layers.hpp.
#include "bert/layers.hpp"

#include <cmath>

#include "common/kernels/bias.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

constexpr float kNormEpsilon = 1e-12f;

}  // namespace

Initial BertSetup::initial(int in, std::uint64_t stream) const {
  return {1.0f / std::sqrt(static_cast<float>(in)), config.seed, stream};
}

Norm::Norm(const BertSetup& s, const std::string& name, const std::string& layer,
           std::uint64_t stream)
    : terms_(s.terms, name),
      weight_(s.add(name + ".weight", {s.config.hidden}, {0.1f, s.config.seed, stream, 1})),
      bias_(s.add(name + ".bias", {s.config.hidden}, {0.1f, s.config.seed, stream + 1})),
      op_(s.config, kNormEpsilon, false),
      out_(s.config),
      dx_(out_.y.size()),
      layer_(layer) {}

LayerWeights<__half> Norm::weights() {
  return {weight_.half(), bias_.half(), weight_.half_grad(), bias_.half_grad()};
}

const __half* Norm::forward(Gpu& gpu, const __half* x) {
  const prof::Layer layer(layer_);
  op_.forward(gpu.stream, x, weights(), out_);
  return out_.y.data();
}

const __half* Norm::backward(Gpu& gpu, const __half* x, const __half* dy) {
  const prof::Layer layer(layer_);
  op_.backward(gpu.stream, out_, dy, x, dx_.data(), weights(), terms_);
  return dx_.data();
}

Dropout::Dropout(const BertSetup& s, const std::string& name, const prof::Dims& shape, int number)
    : source_{s.config.dropout, s.config.seed},
      number_(number),
      keep_(s.terms.keep(name)),
      y_(static_cast<std::size_t>(elements(shape))),
      dx_(y_.size()),
      mask_(y_.size()),
      forward_text_(unary("dropout", shape).out("mask", shape, prof::DType::boolean)),
      backward_text_(describe(prof::op("dropout")
                                  .bprop()
                                  .in("dy", shape, kHalf)
                                  .in("mask", shape, prof::DType::boolean),
                              kHalf, {}, {{"dx", shape}})) {}

const __half* Dropout::forward(Gpu& gpu, const __half* x, std::uint64_t step) {
  const prof::Op op(forward_text_);
  dropout(gpu.stream, x, y_.data(), mask_.data(), y_.size(), source_.mask(number_, step));
  return y_.data();
}

const __half* Dropout::backward(Gpu& gpu, const __half* dy) {
  if (!keep_) return dy;
  const prof::Op op(backward_text_);
  dropout_backward(gpu.stream, dy, mask_.data(), dx_.data(), dx_.size(),
                   source_.mask(number_, 0).scale);
  return dx_.data();
}

BiasGelu::BiasGelu(const BertSetup& s, const std::string& name, int width, std::uint64_t stream)
    : rows_(s.config.tokens()),
      width_(width),
      terms_(s.terms, name),
      bias_(s.add(name + ".bias", {width}, s.initial(s.config.hidden, stream))),
      y_(volume(rows_, width)),
      dx_(y_.size()),
      scratch_(bias_gradient_scratch(width)),
      forward_text_(describe(prof::op("gelu").fprop(), kHalf,
                             {{"x", s.row(width)}, {"bias", {width}}}, {{"y", s.row(width)}})),
      backward_text_(describe(prof::op("gelu").bprop(), kHalf,
                              {{"dy", s.row(width)}, {"x", s.row(width)}, {"bias", {width}}},
                              {{"dx", s.row(width)}, {"dbias", {width}}})) {}

const __half* BiasGelu::forward(Gpu& gpu, const __half* x) {
  const prof::Op op(forward_text_);
  bias_gelu(gpu.stream, x, bias_.half(), y_.data(), rows_, width_);
  return y_.data();
}

const __half* BiasGelu::backward(Gpu& gpu, const __half* x, const __half* dy) {
  const prof::Op op(backward_text_);
  bias_gelu_backward(gpu.stream, dy, x, bias_.half(), dx_.data(), bias_.half_grad(),
                     scratch_.data(), rows_, width_);
  if (!terms_.data) clear(gpu.stream, dx_.data(), dx_.size());
  if (!terms_.bias) clear(gpu.stream, bias_.half_grad(), bias_.size());
  return dx_.data();
}

GradientSum::GradientSum(const BertConfig& c, bool keep_a, bool keep_b)
    : keep_a_(keep_a),
      keep_b_(keep_b),
      sum_(volume(c.tokens(), c.hidden)),
      text_(sum_of({c.batch, c.length, c.hidden}).bprop()) {}

const __half* GradientSum::add(Gpu& gpu, const __half* a, const __half* b) {
  if (!keep_a_) return b;
  if (!keep_b_) return a;
  const prof::Op op(text_);
  ref::add(gpu.stream, a, b, sum_.data(), sum_.size());
  return sum_.data();
}

}  // namespace ref
