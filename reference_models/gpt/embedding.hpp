// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words and their positions become vectors: wte (padded_vocab, channels) and wpe (tokens,
// channels).
#pragma once

#include "common/gradient_terms.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/position_sum.hpp"
#include "gpt/context.hpp"

namespace ref {

/// Terms: wte, wpe.
class GptEmbedding {
 public:
  using T = __nv_bfloat16;

  GptEmbedding(const GptConfig& config, const GradientTerms& terms);

  /// out (batch, tokens, channels) = wte[words] + wpe.
  void forward(GptContext& context, const std::int32_t* words, const T* wte, const T* wpe,
               T* out) const;
  /// dwte is added to, dwpe overwritten, because nothing else contributes to it.
  void backward(GptContext& context, const std::int32_t* words, const T* dout, T* dwte, T* dwpe);

 private:
  SequenceSizes sizes_;
  int rows_;  // of wte
  bool keep_wte_, keep_wpe_;
  prof::LayerText layer_{"wte_wpe"};
  prof::OpText forward_text_, wte_text_, wpe_text_;
  EmbeddingGradientScratch scratch_;
};

}  // namespace ref
