// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See embedding.hpp.
#include "gpt/embedding.hpp"

#include "gpt/ranges.hpp"

namespace ref {

GptEmbedding::GptEmbedding(const GptConfig& c, const GradientTerms& terms)
    : sizes_{c.batch, c.length, c.hidden},
      rows_(c.padded_vocab),
      keep_wte_(terms.keep("wte")),
      keep_wpe_(terms.keep("wpe")),
      forward_text_(prof::op("embedding")
                        .fprop()
                        .in("indices", {c.batch, c.length}, kInt32)
                        .in("weight", {c.padded_vocab, c.hidden}, kBfloat16)
                        .in("position_weight", {c.length, c.hidden}, kBfloat16)
                        .out("out", {c.batch, c.length, c.hidden}, kBfloat16)),
      wte_text_(prof::op("embedding")
                    .bprop()
                    .in("indices", {c.batch, c.length}, kInt32)
                    .in("dout", {c.batch, c.length, c.hidden}, kBfloat16)
                    .in("dweight", {c.padded_vocab, c.hidden}, kBfloat16)
                    .out("dweight", {c.padded_vocab, c.hidden}, kBfloat16)
                    .attr("sorted", true)),
      wpe_text_(prof::op("sum")
                    .bprop()
                    .in("dout", {c.batch, c.length, c.hidden}, kBfloat16)
                    .out("dweight", {c.length, c.hidden}, kBfloat16)),
      scratch_(c.tokens(), c.padded_vocab) {}

void GptEmbedding::forward(GptContext& context, const std::int32_t* words, const T* wte,
                           const T* wpe, T* out) const {
  const Range range("encoder_forward");
  const prof::Layer layer(layer_);
  const prof::Op op(forward_text_);
  embedding_with_positions(context.stream, words, wte, wpe, out, sizes_);
}

void GptEmbedding::backward(GptContext& context, const std::int32_t* words, const T* dout, T* dwte,
                            T* dwpe) {
  const Range range("encoder_backward");
  const prof::Layer layer(layer_);
  if (keep_wpe_) {
    const prof::Op op(wpe_text_);
    sum_over_batch(context.stream, dout, dwpe, sizes_);
  }
  if (keep_wte_) {
    const prof::Op op(wte_text_);
    embedding_gradient(context.stream, words, dout, sizes_.channels, dwte, rows_,
                       sizes_.batch * sizes_.tokens, sizes_.channels, scratch_, true);
  }
}

}  // namespace ref
