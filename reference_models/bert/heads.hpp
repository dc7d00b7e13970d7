// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The two pre-training tasks: whether the second sentence follows the first, predicted from the
// first token's vector, and which words were masked, predicted from every token's.
#pragma once

#include "bert/layers.hpp"

namespace ref {

/// Terms: nsp.pooler.*, nsp.tanh, nsp.classifier.*, mlm.transform.*, mlm.gelu.*, mlm.norm.*,
/// mlm.decoder.*, and heads.nsp and heads.mlm, where the tasks' gradients are added.
class BertHeads {
 public:
  /// The word embedding table is also the decoder of the masked words.
  BertHeads(const BertSetup& setup, Parameter& token_weight, std::uint64_t stream);

  struct Logits {
    const __half* words;    // (batch * length, vocabulary)
    const __half* follows;  // (batch, 2)
  };
  /// Takes the hidden states (batch, length, hidden), which must stay valid until backward().
  Logits forward(Gpu& gpu, const __half* hidden);

  /// The gradient of the hidden states; valid until the next call.
  const __half* backward(Gpu& gpu, const Logits& dlogits);

 private:
  const __half* backward_words(Gpu& gpu, const __half* dlogits);
  const __half* backward_pooler(Gpu& gpu, const __half* dpooled);

  BertConfig c_;
  bool keep_tanh_, keep_follows_;
  Linear pooler_;
  Linear transform_;
  BiasGelu gelu_;
  Norm norm_;
  Linear decoder_;
  Linear classifier_;
  GradientSum add_;
  DeviceBuffer<__half> pooled_, dpooled_, dclass_;  // (batch, hidden) and (batch, length, hidden)
  const __half* hidden_ = nullptr;
  const __half* inner_ = nullptr;
  const __half* activated_ = nullptr;
  const __half* normal_ = nullptr;
  prof::LayerText follows_layer_{"NSP"}, words_layer_{"Masked_LM"};
  prof::OpText tanh_text_, tanh_backward_text_, zero_text_, copy_text_;
};

}  // namespace ref
