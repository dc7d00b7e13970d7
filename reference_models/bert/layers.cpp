// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See layers.hpp.
#include "bert/layers.hpp"

#include "bert/describe.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/layer_norm.hpp"

namespace ref {
namespace {

constexpr float kEpsilon = 1e-12f;

std::int64_t element_count(const prof::Dims& shape) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) count *= shape[i];
  return count;
}

// A gradient that a test omits.
void clear(Gpu& gpu, __half* values, std::size_t size) {
  check(cudaMemsetAsync(values, 0, size * sizeof(__half), gpu.stream.get()));
}

prof::OpBuilder describe_norm(const prof::Dims& tokens, int width) {
  const std::int64_t rows = element_count(tokens);
  return prof::op("layer_norm")
      .fprop()
      .in("x", join(tokens, {width}), kHalf)
      .in("weight", {width}, kHalf)
      .in("bias", {width}, kHalf)
      .out("y", join(tokens, {width}), kHalf)
      .out("mean", {rows}, kFloat)
      .out("rstd", {rows}, kFloat);
}

prof::OpBuilder describe_norm_backward(const prof::Dims& tokens, int width) {
  const std::int64_t rows = element_count(tokens);
  return prof::op("layer_norm")
      .bprop()
      .in("dy", join(tokens, {width}), kHalf)
      .in("x", join(tokens, {width}), kHalf)
      .in("mean", {rows}, kFloat)
      .in("rstd", {rows}, kFloat)
      .in("weight", {width}, kHalf)
      .out("dx", join(tokens, {width}), kHalf)
      .out("dweight", {width}, kHalf)
      .out("dbias", {width}, kHalf);
}

}  // namespace

Norm::Norm(Gpu& gpu, const GradientTerms& terms, const std::string& name, const prof::Dims& tokens,
           int width, std::uint64_t seed, std::uint64_t stream)
    : rows_(static_cast<int>(element_count(tokens))),
      width_(width),
      keep_weight_(terms.keep(name + ".weight")),
      keep_bias_(terms.keep(name + ".bias")),
      keep_data_(terms.keep(name + ".data")),
      weight_(gpu, name + ".weight", {width}, Parameter::Precision::fp16, {0.1f, seed, stream, 1}),
      bias_(gpu, name + ".bias", {width}, Parameter::Precision::fp16, {0.1f, seed, stream + 1}),
      y_(volume(rows_, width)),
      dx_(y_.size()),
      mean_(volume(rows_)),
      rstd_(volume(rows_)),
      scratch_(layer_norm_scratch(width)),
      forward_text_(describe_norm(tokens, width)),
      backward_text_(describe_norm_backward(tokens, width)) {}

const __half* Norm::forward(Gpu& gpu, const __half* x) {
  const prof::Op op(forward_text_);
  layer_norm<__half>(gpu.stream.get(), x, weight_.half(), bias_.half(), y_.data(), mean_.data(),
                     rstd_.data(), rows_, width_, kEpsilon);
  return y_.data();
}

const __half* Norm::backward(Gpu& gpu, const __half* x, const __half* dy) {
  const prof::Op op(backward_text_);
  layer_norm_backward<__half>(gpu.stream.get(), dy, x, mean_.data(), rstd_.data(), weight_.half(),
                              dx_.data(), weight_.half_grad(), bias_.half_grad(), scratch_.data(),
                              rows_, width_);
  if (!keep_weight_) clear(gpu, weight_.half_grad(), weight_.size());
  if (!keep_bias_) clear(gpu, bias_.half_grad(), bias_.size());
  if (!keep_data_) clear(gpu, dx_.data(), dx_.size());
  return dx_.data();
}

Dropout::Dropout(const GradientTerms& terms, const std::string& name, const prof::Dims& shape,
                 const DropoutSource& source, int layer)
    : source_(source),
      layer_(layer),
      keep_(terms.keep(name)),
      y_(static_cast<std::size_t>(element_count(shape))),
      dx_(y_.size()),
      mask_(y_.size()),
      forward_text_(unary("dropout", shape).out("mask", shape, prof::DType::boolean)),
      backward_text_(prof::op("dropout")
                         .bprop()
                         .in("dy", shape, kHalf)
                         .in("mask", shape, prof::DType::boolean)
                         .out("dx", shape, kHalf)) {}

const __half* Dropout::forward(Gpu& gpu, const __half* x, std::uint64_t step) {
  const prof::Op op(forward_text_);
  dropout(gpu.stream.get(), x, y_.data(), mask_.data(), y_.size(), source_.mask(layer_, step));
  return y_.data();
}

const __half* Dropout::backward(Gpu& gpu, const __half* dy) {
  if (!keep_) return dy;
  const prof::Op op(backward_text_);
  dropout_backward(gpu.stream.get(), dy, mask_.data(), dx_.data(), dx_.size(),
                   source_.mask(layer_, 0).scale);
  return dx_.data();
}

BiasGelu::BiasGelu(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                   const prof::Dims& tokens, int width, const Initial& initial)
    : rows_(static_cast<int>(element_count(tokens))),
      width_(width),
      keep_data_(terms.keep(name + ".data")),
      keep_bias_(terms.keep(name + ".bias")),
      bias_(gpu, name + ".bias", {width}, Parameter::Precision::fp16, initial),
      y_(volume(rows_, width)),
      dx_(y_.size()),
      scratch_(bias_gradient_scratch(width)),
      forward_text_(prof::op("gelu")
                        .fprop()
                        .in("x", join(tokens, {width}), kHalf)
                        .in("bias", {width}, kHalf)
                        .out("y", join(tokens, {width}), kHalf)),
      backward_text_(prof::op("gelu")
                         .bprop()
                         .in("dy", join(tokens, {width}), kHalf)
                         .in("x", join(tokens, {width}), kHalf)
                         .in("bias", {width}, kHalf)
                         .out("dx", join(tokens, {width}), kHalf)
                         .out("dbias", {width}, kHalf)) {}

const __half* BiasGelu::forward(Gpu& gpu, const __half* x) {
  const prof::Op op(forward_text_);
  bias_gelu(gpu.stream.get(), x, bias_.half(), y_.data(), rows_, width_);
  return y_.data();
}

const __half* BiasGelu::backward(Gpu& gpu, const __half* x, const __half* dy) {
  const prof::Op op(backward_text_);
  bias_gelu_backward(gpu.stream.get(), dy, x, bias_.half(), dx_.data(), bias_.half_grad(),
                     scratch_.data(), rows_, width_);
  if (!keep_data_) clear(gpu, dx_.data(), dx_.size());
  if (!keep_bias_) clear(gpu, bias_.half_grad(), bias_.size());
  return dx_.data();
}

}  // namespace ref
