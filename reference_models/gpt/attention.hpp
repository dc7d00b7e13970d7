// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Causal self-attention between the two linear layers around it, as batched products:
// softmax(q k^T / sqrt(head size)) v. Blocks share one object, because their shapes are the same.
#pragma once

#include <string>

#include "common/gradient_terms.hpp"
#include "common/kernels/attention_heads.hpp"
#include "common/kernels/softmax.hpp"
#include "gpt/context.hpp"
#include "transformer/attention_products.hpp"

namespace ref {

/// Which gradients a block's attention computes. Terms: NAME.probabilities, .value, .softmax,
/// .query, .key.
struct AttentionTerms {
  AttentionTerms(const GradientTerms& terms, const std::string& name);
  bool probabilities, value, softmax, query, key;
};

class Attention {
 public:
  using T = __nv_bfloat16;

  explicit Attention(const GptConfig& config);

  /// (batch, heads, length, ...) unless noted.
  struct Activations {
    T* heads;          // (3, batch, heads, length, size): query, key, value
    T* probabilities;  // (..., length)
    T* out;            // (batch, length, hidden)
  };
  /// `qkv` (batch, length, 3 * hidden); `scratch` as large as `out`.
  void forward(GptContext& context, const T* qkv, const Activations& activations, T* scratch) const;

  struct Gradients {
    const T* dout;      // (batch, length, hidden)
    T* dqkv;            // (batch, length, 3 * hidden): the result
    T* dprobabilities;  // scratch of the probabilities' size
    T* dheads;          // scratch of the heads' size
    T* dout_heads;      // scratch of dout's size
  };
  void backward(GptContext& context, const Activations& activations, const Gradients& gradients,
                const AttentionTerms& terms) const;

 private:
  HeadSizes sizes_;
  std::size_t rows_;    // of the scores
  std::size_t volume_;  // of q, of k, of v
  SoftmaxOptions options_;
  AttentionProducts products_;
  prof::OpText split_text_, merge_text_, merge_backward_text_, split_backward_text_;
  prof::OpText softmax_text_, softmax_backward_text_;
};

}  // namespace ref
