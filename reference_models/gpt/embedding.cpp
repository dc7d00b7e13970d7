// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See embedding.hpp.
#include "gpt/embedding.hpp"

namespace ref {

GptEmbedding::GptEmbedding(const GptConfig& c, const GradientTerms& terms)
    : sizes_{c.batch, c.length, c.hidden},
      rows_(c.padded_vocab),
      keep_wte_(terms.keep("wte")),
      keep_wpe_(terms.keep("wpe")),
      forward_text_(describe(
          prof::op("embedding").fprop().in("indices", {c.batch, c.length}, kIndex), kBfloat16,
          {{"weight", {c.padded_vocab, c.hidden}}, {"position_weight", {c.length, c.hidden}}},
          {{"out", {c.batch, c.length, c.hidden}}})),
      wte_text_(embedding_gradient_of({c.batch, c.length}, c.padded_vocab, c.hidden, kBfloat16)),
      wpe_text_(describe(prof::op("sum").bprop(), kBfloat16,
                         {{"dout", {c.batch, c.length, c.hidden}}},
                         {{"dweight", {c.length, c.hidden}}})),
      scratch_(c.tokens(), c.padded_vocab) {}

void GptEmbedding::forward(GptContext& context, const std::int32_t* words, GptParameters& p,
                           T* out) const {
  const Range range("encoder_forward");
  within(layer_, forward_text_, [&] {
    embedding_with_positions(context.stream, words, p.weights(GptTensor::wte).weight,
                             p.weights(GptTensor::wpe).weight, out, sizes_);
  });
}

void GptEmbedding::backward(GptContext& context, const std::int32_t* words, const T* dout,
                            GptParameters& p) {
  const Range range("encoder_backward");
  const prof::Layer layer(layer_);
  if (keep_wpe_) {
    const prof::Op op(wpe_text_);
    sum_over_batch(context.stream, dout, p.weights(GptTensor::wpe).dweight, sizes_);
  }
  if (keep_wte_) {
    const prof::Op op(wte_text_);
    embedding_gradient(context.stream, words, dout, sizes_.channels,
                       p.weights(GptTensor::wte).dweight, rows_, sizes_.batch * sizes_.tokens,
                       sizes_.channels, scratch_, true);
  }
}

}  // namespace ref
