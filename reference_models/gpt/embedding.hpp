// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words and their positions become vectors: wte (padded_vocab, hidden) and wpe (length,
// hidden).
#pragma once

#include "common/gradient_terms.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/position_sum.hpp"
#include "gpt/parameters.hpp"

namespace ref {

/// Terms: wte, wpe.
class GptEmbedding {
 public:
  using T = __nv_bfloat16;

  GptEmbedding(const GptConfig& config, const GradientTerms& terms);

  /// out (batch, length, hidden) = wte[words] + wpe.
  void forward(GptContext& context, const std::int32_t* words, GptParameters& parameters,
               T* out) const;
  /// wte's gradient is added to, wpe's overwritten, because nothing else contributes to it.
  void backward(GptContext& context, const std::int32_t* words, const T* dout,
                GptParameters& parameters);

 private:
  SequenceSizes sizes_;
  int rows_;  // of wte
  bool keep_wte_, keep_wpe_;
  prof::LayerText layer_{"wte_wpe"};
  prof::OpText forward_text_, wte_text_, wpe_text_;
  EmbeddingGradientScratch scratch_;
};

}  // namespace ref
