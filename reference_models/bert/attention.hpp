// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Self-attention of an encoder block, each op separate: projections to queries, keys and values,
// the products of all pairs of positions, scale, mask, softmax, dropout, and the weighted sum.
#pragma once

#include <string>

#include "bert/layers.hpp"
#include "transformer/attention_products.hpp"

namespace ref {

/// Terms: NAME.q, NAME.k and NAME.v, each .bias, .data, .weight; NAME.probabilities, NAME.values,
/// NAME.probability_dropout, NAME.softmax, NAME.scale, NAME.queries, NAME.keys, NAME.residual.
class SelfAttention {
 public:
  /// `path` is the layer above, "Enc_0:Attn". Uses 6 streams of random numbers from `stream`.
  SelfAttention(const BertSetup& setup, const std::string& name, const std::string& path,
                std::uint64_t stream, int dropout);

  /// The context (batch, length, hidden) of x, which has the same shape. `mask` (batch, length) is
  /// added to the scores.
  const __half* forward(Gpu& gpu, const __half* x, const __half* mask, std::uint64_t step);

  /// The gradient of x: the part through this layer plus `dresidual`, which reaches x directly.
  const __half* backward(Gpu& gpu, const __half* x, const __half* dcontext,
                         const __half* dresidual);

 private:
  struct Layers {
    prof::LayerText attention, q, k, v, scores, scale, mask, softmax, dropout, context, merge;
    explicit Layers(const std::string& path);
  };
  struct Texts {
    prof::OpText split, merge, split_backward, merge_backward;
    prof::OpText scale, mask, softmax, softmax_backward, scale_backward;
    explicit Texts(const BertConfig& config);
  };
  void backward_scores(Gpu& gpu, const __half* dcontext);
  void split(Gpu& gpu, const prof::OpText& text, const __half* from, DeviceBuffer<__half>& to);
  void merge(Gpu& gpu, const prof::OpText& text, const DeviceBuffer<__half>& from,
             DeviceBuffer<__half>& to);
  void scale(Gpu& gpu, const prof::OpText& text, DeviceBuffer<__half>& scores);

  BertConfig c_;
  bool keep_probabilities_, keep_values_, keep_softmax_, keep_scale_, keep_queries_, keep_keys_;
  Linear q_, k_, v_;
  Dropout dropout_;
  // (batch, heads, length, head_size), those of hidden size (batch, length, heads, head_size), and
  // the scores (batch, heads, length, length).
  DeviceBuffer<__half> queries_, keys_, values_, context_, merged_;
  DeviceBuffer<__half> scores_, probabilities_;
  DeviceBuffer<__half> dcontext_, dqueries_, dkeys_, dvalues_, dmerged_;
  DeviceBuffer<__half> dprobabilities_, dscores_;
  GradientSum add_v_, add_k_, add_q_;
  Layers layers_;
  AttentionProducts products_;
  Texts texts_;
};

}  // namespace ref
