// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See norm.hpp.
#include "gpt/norm.hpp"

#include "common/kernels/layer_norm.hpp"
#include "gpt/ranges.hpp"

namespace ref {
namespace {

constexpr float kEpsilon = 1e-5f;

}  // namespace

NormTerms::NormTerms(const GradientTerms& terms, const std::string& name)
    : data(terms.keep(name + ".data")),
      weight(terms.keep(name + ".weight")),
      bias(terms.keep(name + ".bias")) {}

Norm::Norm(const GptConfig& c)
    : rows_(c.tokens()),
      channels_(c.hidden),
      forward_text_(prof::op("layer_norm")
                        .fprop()
                        .in("x", {c.batch, c.length, c.hidden}, kBfloat16)
                        .in("weight", {c.hidden}, kBfloat16)
                        .in("bias", {c.hidden}, kBfloat16)
                        .out("y", {c.batch, c.length, c.hidden}, kBfloat16)
                        .out("mean", {c.tokens()}, kFloat32)
                        .out("rstd", {c.tokens()}, kFloat32)),
      sum_text_(prof::op("add_layer_norm")
                    .fprop()
                    .in("x", {c.batch, c.length, c.hidden}, kBfloat16)
                    .in("residual", {c.batch, c.length, c.hidden}, kBfloat16)
                    .in("weight", {c.hidden}, kBfloat16)
                    .in("bias", {c.hidden}, kBfloat16)
                    .out("sum", {c.batch, c.length, c.hidden}, kBfloat16)
                    .out("y", {c.batch, c.length, c.hidden}, kBfloat16)
                    .out("mean", {c.tokens()}, kFloat32)
                    .out("rstd", {c.tokens()}, kFloat32)),
      backward_text_(prof::op("layer_norm")
                         .bprop()
                         .in("dy", {c.batch, c.length, c.hidden}, kBfloat16)
                         .in("x", {c.batch, c.length, c.hidden}, kBfloat16)
                         .in("mean", {c.tokens()}, kFloat32)
                         .in("rstd", {c.tokens()}, kFloat32)
                         .in("weight", {c.hidden}, kBfloat16)
                         .in("dx", {c.batch, c.length, c.hidden}, kBfloat16)
                         .in("dweight", {c.hidden}, kBfloat16)
                         .in("dbias", {c.hidden}, kBfloat16)
                         .out("dx", {c.batch, c.length, c.hidden}, kBfloat16)
                         .out("dweight", {c.hidden}, kBfloat16)
                         .out("dbias", {c.hidden}, kBfloat16)),
      scratch_(layer_norm_scratch(c.hidden)) {}

void Norm::forward(GptContext& context, const T* x, const Weights& w, const Output& out) const {
  const prof::Op op(forward_text_);
  layer_norm(context.stream, x, w.weight, w.bias, out.y, out.mean, out.rstd, rows_, channels_,
             kEpsilon);
}

void Norm::forward_sum(GptContext& context, const T* x, const T* residual, const Weights& w, T* sum,
                       const Output& out) const {
  const prof::Op op(sum_text_);
  add_layer_norm(context.stream, x, residual, w.weight, w.bias, sum, out.y, out.mean, out.rstd,
                 rows_, channels_, kEpsilon);
}

void Norm::backward(GptContext& context, const Output& forward, const Gradients& g,
                    const NormTerms& terms) {
  if (!(terms.data && terms.weight && terms.bias) && sink_.size() == 0) {
    sink_ = DeviceBuffer<T>(std::vector<T>(volume(rows_, channels_)));
  }
  const Range range("layernorm_backward");
  const prof::Op op(backward_text_);
  layer_norm_backward(context.stream, g.dy, g.x, forward.mean, forward.rstd, g.weight,
                      terms.data ? g.dx : sink_.data(), terms.weight ? g.dweight : sink_.data(),
                      terms.bias ? g.dbias : sink_.data(), scratch_.data(), rows_, channels_,
                      {.dx = true, .parameters = true});
}

}  // namespace ref
