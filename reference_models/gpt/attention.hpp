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

  /// (batch, heads, tokens, ...) unless noted.
  struct Activations {
    T* heads;          // (3, batch, heads, tokens, size): query, key, value
    T* probabilities;  // (..., tokens)
    T* out;            // (batch, tokens, channels)
  };
  /// `qkv` (batch, tokens, 3 * channels); `scratch` as large as `out`.
  void forward(GptContext& context, const T* qkv, const Activations& activations, T* scratch) const;

  struct Gradients {
    const T* dout;      // (batch, tokens, channels)
    T* dqkv;            // (batch, tokens, 3 * channels): the result
    T* dprobabilities;  // scratch of the probabilities' size
    T* dheads;          // scratch of the heads' size
    T* dout_heads;      // scratch of dout's size
  };
  void backward(GptContext& context, const Activations& activations, const Gradients& gradients,
                const AttentionTerms& terms) const;

 private:
  struct Texts {
    prof::OpText split, scores, softmax, values, merge;
    prof::OpText merge_backward, probabilities_gradient, value_gradient, softmax_backward;
    prof::OpText query_gradient, key_gradient, split_backward;
    explicit Texts(const GptConfig& config);
  };

  void product(GptContext& context, const prof::OpText& text, const BlasLt::BatchedSizes& sizes,
               const T* a, const T* b, T* out, bool keep = true) const;

  HeadSizes sizes_;
  int matrices_;        // batch * heads
  std::size_t volume_;  // of q, of k, of v
  SoftmaxOptions options_;
  Texts texts_;
};

}  // namespace ref
