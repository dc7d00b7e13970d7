// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See classifier.hpp.
#include "gpt/classifier.hpp"

namespace ref {
namespace {

float gradient_scale(const GptConfig& c, const GradientTerms& terms) {
  if (!terms.keep("loss.gradient")) return 0;
  return terms.keep("loss.mean") ? 1.0f / static_cast<float>(c.tokens()) : 1.0f;
}

prof::OpBuilder describe_loss(prof::OpBuilder op, const GptConfig& c) {
  op.in("x", {c.tokens(), c.padded_vocab}, kBfloat16).in("target", {c.tokens()}, kIndex);
  return op.attr("reduction", "none").attr("classes", c.vocab);
}

}  // namespace

Classifier::Classifier(const GptConfig& c, const GradientTerms& terms)
    : sizes_{c.tokens(), c.vocab, c.padded_vocab},
      gradient_scale_(gradient_scale(c, terms)),
      forward_text_(
          describe_loss(prof::op("cross_entropy").fprop(), c).out("losses", {c.tokens()}, kFloat)),
      fused_text_(describe_loss(prof::op("cross_entropy").bprop(), c)
                      .out("dx", {c.tokens(), c.padded_vocab}, kBfloat16)
                      .out("losses", {c.tokens()}, kFloat)
                      .attr("fused_forward", true)),
      mean_text_(prof::op("mean").fprop().in("x", {c.tokens()}, kFloat).out("out", {1}, kFloat)),
      read_text_(cast_of(prof::op("to").fprop(), {1}, kFloat, kFloat).attr("to", "host")),
      losses_(volume(c.tokens())),
      mean_(1) {}

void Classifier::forward(GptContext& context, const __nv_bfloat16* logits,
                         const std::int32_t* targets) {
  const Range range("fused_classifier");
  within(layer_, forward_text_,
         [&] { padded_cross_entropy(context.stream, logits, targets, losses_.data(), sizes_); });
}

void Classifier::forward_and_backward(GptContext& context, __nv_bfloat16* logits,
                                      const std::int32_t* targets) {
  const Range range("fused_classifier");
  within(layer_, fused_text_, [&] {
    padded_cross_entropy_with_gradient(context.stream, logits, targets, losses_.data(),
                                       gradient_scale_, sizes_);
  });
}

void Classifier::reduce(GptContext& context) {
  within(layer_, mean_text_,
         [&] { mean(context.stream, losses_.data(), mean_.data(), sizes_.rows); });
}

float Classifier::read(GptContext& context) const {
  return within(layer_, read_text_, [&] { return mean_.read_first(context.stream); });
}

}  // namespace ref
