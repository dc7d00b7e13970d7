// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See attention.hpp.
#include "gpt/attention.hpp"

#include <cmath>

namespace ref {
namespace {

prof::Dims residual_shape(const GptConfig& c) { return {c.batch, c.length, c.hidden}; }
prof::Dims qkv_shape(const GptConfig& c) { return {c.batch, c.length, 3 * c.hidden}; }

prof::OpBuilder causal(prof::OpBuilder softmax, const SoftmaxOptions& options) {
  return softmax.attr("scale", options.scale).attr("causal", options.causal);
}

}  // namespace

AttentionTerms::AttentionTerms(const GradientTerms& terms, const std::string& name)
    : probabilities(terms.keep(name + ".probabilities")),
      value(terms.keep(name + ".value")),
      softmax(terms.keep(name + ".softmax")),
      query(terms.keep(name + ".query")),
      key(terms.keep(name + ".key")) {}

Attention::Attention(const GptConfig& c)
    : sizes_{c.batch, c.length, c.heads, c.head_size()},
      rows_(volume(c.batch, c.heads, c.length)),
      volume_(volume(c.tokens(), c.hidden)),
      options_{.scale = 1.0f / std::sqrt(static_cast<float>(c.head_size())), .causal = true},
      products_(c, kBfloat16),
      split_text_(describe(prof::op("permute").fprop(), kBfloat16, {{"x", qkv_shape(c)}},
                           {{"q", head_shape(c)}, {"k", head_shape(c)}, {"v", head_shape(c)}})),
      merge_text_(describe(prof::op("permute").fprop(), kBfloat16, {{"x", head_shape(c)}},
                           {{"y", residual_shape(c)}})),
      merge_backward_text_(describe(prof::op("permute").bprop(), kBfloat16,
                                    {{"dy", residual_shape(c)}}, {{"dx", head_shape(c)}})),
      split_backward_text_(
          describe(prof::op("permute").bprop(), kBfloat16,
                   {{"dq", head_shape(c)}, {"dk", head_shape(c)}, {"dv", head_shape(c)}},
                   {{"dx", qkv_shape(c)}})),
      softmax_text_(causal(unary("softmax", score_shape(c), kBfloat16), options_)),
      softmax_backward_text_(
          causal(unary_gradient("softmax", score_shape(c), kBfloat16), options_)) {}

void Attention::forward(GptContext& context, const T* qkv, const Activations& t, T* scratch) const {
  const Range range("attention_forward");
  const T* q = t.heads;
  const T* k = q + volume_;
  const T* v = k + volume_;
  within(split_text_, [&] { split_heads(context.stream, qkv, t.heads, 3, sizes_); });
  products_.scores.run(context, q, k, t.probabilities);
  within(softmax_text_, [&] {
    softmax(context.stream, t.probabilities, t.probabilities, rows_, sizes_.tokens, options_);
  });
  products_.context.run(context, t.probabilities, v, scratch);
  within(merge_text_, [&] { merge_heads(context.stream, scratch, t.out, 1, sizes_); });
}

void Attention::backward(GptContext& context, const Activations& t, const Gradients& g,
                         const AttentionTerms& terms) const {
  const Range range("attention_backward");
  const T* q = t.heads;
  const T* k = q + volume_;
  const T* v = k + volume_;
  T* dq = g.dheads;
  T* dk = dq + volume_;
  T* dv = dk + volume_;
  within(merge_backward_text_,
         [&] { split_heads(context.stream, g.dout, g.dout_heads, 1, sizes_); });
  products_.probabilities.run(context, g.dout_heads, v, g.dprobabilities, terms.probabilities);
  products_.values.run(context, t.probabilities, g.dout_heads, dv, terms.value);
  if (terms.softmax) {
    const prof::Op op(softmax_backward_text_);
    softmax_backward(context.stream, g.dprobabilities, t.probabilities, g.dprobabilities, rows_,
                     sizes_.tokens, options_);
  }
  products_.queries.run(context, g.dprobabilities, k, dq, terms.query);
  products_.keys.run(context, g.dprobabilities, q, dk, terms.key);
  within(split_backward_text_, [&] { merge_heads(context.stream, g.dheads, g.dqkv, 3, sizes_); });
}

}  // namespace ref
