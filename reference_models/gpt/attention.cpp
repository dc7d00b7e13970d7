// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See attention.hpp.
#include "gpt/attention.hpp"

#include <cmath>

#include "gpt/ranges.hpp"

namespace ref {
namespace {

float score_scale(const GptConfig& c) {
  return 1.0f / std::sqrt(static_cast<float>(c.head_size()));
}

// Shapes of attention's tensors; (batch, heads) come first in all but the linear layers' layouts.
struct Shapes {
  explicit Shapes(const GptConfig& c)
      : heads{c.batch, c.heads, c.length, c.head_size()},
        scores{c.batch, c.heads, c.length, c.length},
        tokens{c.batch, c.length, c.hidden},
        qkv{c.batch, c.length, 3 * c.hidden} {}
  prof::Dims heads, scores, tokens, qkv;
};

prof::OpBuilder describe_product(prof::OpBuilder op, const prof::Dims& a, const prof::Dims& b,
                                 const prof::Dims& out, bool trans_a, bool trans_b) {
  return op.in("a", a, kBfloat16)
      .in("b", b, kBfloat16)
      .out("out", out, kBfloat16)
      .attr("trans_a", trans_a)
      .attr("trans_b", trans_b);
}

prof::OpBuilder describe_gradient(const prof::Dims& a, const prof::Dims& b, const prof::Dims& out,
                                  bool trans_a, bool trans_b) {
  return describe_product(prof::op("bmm").bprop(prof::Part::data), a, b, out, trans_a, trans_b);
}

}  // namespace

AttentionTerms::AttentionTerms(const GradientTerms& terms, const std::string& name)
    : probabilities(terms.keep(name + ".probabilities")),
      value(terms.keep(name + ".value")),
      softmax(terms.keep(name + ".softmax")),
      query(terms.keep(name + ".query")),
      key(terms.keep(name + ".key")) {}

Attention::Texts::Texts(const GptConfig& c)
    : split(prof::op("permute")
                .fprop()
                .in("x", Shapes(c).qkv, kBfloat16)
                .out("q", Shapes(c).heads, kBfloat16)
                .out("k", Shapes(c).heads, kBfloat16)
                .out("v", Shapes(c).heads, kBfloat16)),
      scores(describe_product(prof::op("bmm").fprop(), Shapes(c).heads, Shapes(c).heads,
                              Shapes(c).scores, false, true)),
      softmax(prof::op("softmax")
                  .fprop()
                  .in("x", Shapes(c).scores, kBfloat16)
                  .out("y", Shapes(c).scores, kBfloat16)
                  .attr("scale", score_scale(c))
                  .attr("causal", true)),
      values(describe_product(prof::op("bmm").fprop(), Shapes(c).scores, Shapes(c).heads,
                              Shapes(c).heads, false, false)),
      merge(prof::op("permute")
                .fprop()
                .in("x", Shapes(c).heads, kBfloat16)
                .out("y", Shapes(c).tokens, kBfloat16)),
      merge_backward(prof::op("permute")
                         .bprop()
                         .in("dy", Shapes(c).tokens, kBfloat16)
                         .out("dx", Shapes(c).heads, kBfloat16)),
      probabilities_gradient(
          describe_gradient(Shapes(c).heads, Shapes(c).heads, Shapes(c).scores, false, true)),
      value_gradient(
          describe_gradient(Shapes(c).scores, Shapes(c).heads, Shapes(c).heads, true, false)),
      softmax_backward(prof::op("softmax")
                           .bprop()
                           .in("dy", Shapes(c).scores, kBfloat16)
                           .in("y", Shapes(c).scores, kBfloat16)
                           .out("dx", Shapes(c).scores, kBfloat16)
                           .attr("scale", score_scale(c))
                           .attr("causal", true)),
      query_gradient(
          describe_gradient(Shapes(c).scores, Shapes(c).heads, Shapes(c).heads, false, false)),
      key_gradient(
          describe_gradient(Shapes(c).scores, Shapes(c).heads, Shapes(c).heads, true, false)),
      split_backward(prof::op("permute")
                         .bprop()
                         .in("dq", Shapes(c).heads, kBfloat16)
                         .in("dk", Shapes(c).heads, kBfloat16)
                         .in("dv", Shapes(c).heads, kBfloat16)
                         .out("dx", Shapes(c).qkv, kBfloat16)) {}

Attention::Attention(const GptConfig& c)
    : sizes_{c.batch, c.length, c.heads, c.head_size()},
      matrices_(c.batch * c.heads),
      volume_(volume(c.tokens(), c.hidden)),
      options_{.scale = score_scale(c), .causal = true},
      texts_(c) {}

void Attention::product(GptContext& context, const prof::OpText& text,
                        const BlasLt::BatchedSizes& sizes, const T* a, const T* b, T* out,
                        bool keep) const {
  const prof::Op op(text);
  if (!keep) {
    clear(context, out, volume(sizes.m, sizes.n, sizes.batch));
    return;
  }
  const Range range("matmul_cublaslt");
  context.blas.batched(sizes, a, b, out);
}

void Attention::forward(GptContext& context, const T* qkv, const Activations& t, T* scratch) const {
  const Range range("attention_forward");
  const int tokens = sizes_.tokens;
  const T* q = t.heads;
  const T* k = q + volume_;
  const T* v = k + volume_;
  {
    const prof::Op op(texts_.split);
    split_heads(context.stream, qkv, t.heads, 3, sizes_);
  }
  product(context, texts_.scores, {tokens, tokens, sizes_.size, matrices_, false, true}, q, k,
          t.probabilities);
  {
    const prof::Op op(texts_.softmax);
    softmax(context.stream, t.probabilities, t.probabilities, volume(matrices_, tokens), tokens,
            options_);
  }
  product(context, texts_.values, {tokens, sizes_.size, tokens, matrices_}, t.probabilities, v,
          scratch);
  const prof::Op op(texts_.merge);
  merge_heads(context.stream, scratch, t.out, 1, sizes_);
}

void Attention::backward(GptContext& context, const Activations& t, const Gradients& g,
                         const AttentionTerms& terms) const {
  const Range range("attention_backward");
  const int tokens = sizes_.tokens;
  const T* q = t.heads;
  const T* k = q + volume_;
  const T* v = k + volume_;
  T* dq = g.dheads;
  T* dk = dq + volume_;
  T* dv = dk + volume_;
  {
    const prof::Op op(texts_.merge_backward);
    split_heads(context.stream, g.dout, g.dout_heads, 1, sizes_);
  }
  product(context, texts_.probabilities_gradient,
          {tokens, tokens, sizes_.size, matrices_, false, true}, g.dout_heads, v, g.dprobabilities,
          terms.probabilities);
  product(context, texts_.value_gradient, {tokens, sizes_.size, tokens, matrices_, true, false},
          t.probabilities, g.dout_heads, dv, terms.value);
  if (terms.softmax) {
    const prof::Op op(texts_.softmax_backward);
    softmax_backward(context.stream, g.dprobabilities, t.probabilities, g.dprobabilities,
                     volume(matrices_, tokens), tokens, options_);
  }
  const BlasLt::BatchedSizes query{tokens, sizes_.size, tokens, matrices_};
  product(context, texts_.query_gradient, query, g.dprobabilities, k, dq, terms.query);
  const BlasLt::BatchedSizes key{tokens, sizes_.size, tokens, matrices_, true, false};
  product(context, texts_.key_gradient, key, g.dprobabilities, q, dk, terms.key);
  const prof::Op op(texts_.split_backward);
  merge_heads(context.stream, g.dheads, g.dqkv, 3, sizes_);
}

}  // namespace ref
