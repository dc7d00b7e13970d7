// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See classifier.hpp.
#include "gpt/classifier.hpp"

#include "gpt/ranges.hpp"

namespace ref {
namespace {

float gradient_scale(const GptConfig& c, const GradientTerms& terms) {
  if (!terms.keep("loss.gradient")) return 0;
  return terms.keep("loss.mean") ? 1.0f / static_cast<float>(c.tokens()) : 1.0f;
}

}  // namespace

Classifier::Classifier(const GptConfig& c, const GradientTerms& terms)
    : sizes_{c.tokens(), c.vocab, c.padded_vocab},
      gradient_scale_(gradient_scale(c, terms)),
      forward_text_(prof::op("cross_entropy")
                        .fprop()
                        .in("x", {c.tokens(), c.padded_vocab}, kBfloat16)
                        .in("target", {c.tokens()}, kInt32)
                        .out("losses", {c.tokens()}, kFloat32)
                        .attr("reduction", "none")
                        .attr("classes", c.vocab)),
      fused_text_(prof::op("cross_entropy")
                      .bprop()
                      .in("x", {c.tokens(), c.padded_vocab}, kBfloat16)
                      .in("target", {c.tokens()}, kInt32)
                      .out("dx", {c.tokens(), c.padded_vocab}, kBfloat16)
                      .out("losses", {c.tokens()}, kFloat32)
                      .attr("reduction", "none")
                      .attr("classes", c.vocab)
                      .attr("fused_forward", true)),
      mean_text_(
          prof::op("mean").fprop().in("x", {c.tokens()}, kFloat32).out("out", {1}, kFloat32)),
      read_text_(
          prof::op("to").fprop().in("x", {1}, kFloat32).out("y", {1}, kFloat32).attr("to", "host")),
      losses_(volume(c.tokens())),
      mean_(1) {}

void Classifier::forward(GptContext& context, const __nv_bfloat16* logits,
                         const std::int32_t* targets) {
  const Range range("fused_classifier");
  const prof::Layer layer(layer_);
  const prof::Op op(forward_text_);
  padded_cross_entropy(context.stream, logits, targets, losses_.data(), sizes_);
}

void Classifier::forward_and_backward(GptContext& context, __nv_bfloat16* logits,
                                      const std::int32_t* targets) {
  const Range range("fused_classifier");
  const prof::Layer layer(layer_);
  const prof::Op op(fused_text_);
  padded_cross_entropy_with_gradient(context.stream, logits, targets, losses_.data(),
                                     gradient_scale_, sizes_);
}

void Classifier::reduce(GptContext& context) {
  const prof::Layer layer(layer_);
  const prof::Op op(mean_text_);
  mean(context.stream, losses_.data(), mean_.data(), sizes_.rows);
}

float Classifier::read(GptContext& context) const {
  const prof::Layer layer(layer_);
  const prof::Op op(read_text_);
  return mean_.read_first(context.stream);
}

}  // namespace ref
