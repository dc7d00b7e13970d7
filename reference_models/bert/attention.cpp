// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See attention.hpp.
#include "bert/attention.hpp"

#include <cmath>

#include "common/kernels/pointwise.hpp"
#include "common/kernels/softmax.hpp"
#include "common/kernels/transpose.hpp"

namespace ref {
namespace {

prof::Dims token_shape(const BertConfig& c) { return {c.batch, c.length, c.heads, c.head_size()}; }

LinearSizes projection_sizes(const BertConfig& c) {
  return {{c.batch, c.length}, c.hidden, c.hidden};
}

// Makes a transposed view of this shape dense.
prof::OpBuilder contiguous(const prof::Dims& shape) {
  return describe(prof::op("contiguous"), kHalf, {{"x", shape}}, {{"y", shape}});
}

float divisor(const BertConfig& c) { return std::sqrt(static_cast<float>(c.head_size())); }

}  // namespace

SelfAttention::Layers::Layers(const std::string& path)
    : attention(path),
      q(path + ":SelfAttn:Q_Proj"),
      k(path + ":SelfAttn:K_Proj"),
      v(path + ":SelfAttn:V_Proj"),
      scores(path + ":SelfAttn:Q.K"),
      scale(path + ":SelfAttn:Scale"),
      mask(path + ":SelfAttn:Mask"),
      softmax(path + ":SelfAttn:SoftMax"),
      dropout(path + ":SelfAttn:Dropout"),
      context(path + ":SelfAttn:QKV"),
      merge(path + ":SelfAttention") {}

SelfAttention::Texts::Texts(const BertConfig& c)
    : split(contiguous(head_shape(c)).fprop()),
      merge(contiguous(token_shape(c)).fprop()),
      split_backward(contiguous(head_shape(c)).bprop()),
      merge_backward(contiguous(token_shape(c)).bprop()),
      scale(unary("div", score_shape(c)).attr("divisor", divisor(c))),
      mask(describe(prof::op("add").fprop(), kHalf,
                    {{"scores", score_shape(c)}, {"mask", {c.batch, 1, 1, c.length}}},
                    {{"out", score_shape(c)}})),
      softmax(unary("softmax", score_shape(c))),
      softmax_backward(unary_gradient("softmax", score_shape(c))),
      scale_backward(describe(prof::op("div").bprop(), kHalf, {{"dy", score_shape(c)}},
                              {{"dx", score_shape(c)}})
                         .attr("divisor", divisor(c))) {}

SelfAttention::SelfAttention(const BertSetup& s, const std::string& name, const std::string& path,
                             std::uint64_t stream, int dropout)
    : c_(s.config),
      keep_probabilities_(s.terms.keep(name + ".probabilities")),
      keep_values_(s.terms.keep(name + ".values")),
      keep_softmax_(s.terms.keep(name + ".softmax")),
      keep_scale_(s.terms.keep(name + ".scale")),
      keep_queries_(s.terms.keep(name + ".queries")),
      keep_keys_(s.terms.keep(name + ".keys")),
      q_(s, name + ".q", projection_sizes(c_), s.initial(c_.hidden, stream)),
      k_(s, name + ".k", projection_sizes(c_), s.initial(c_.hidden, stream + 2)),
      v_(s, name + ".v", projection_sizes(c_), s.initial(c_.hidden, stream + 4)),
      dropout_(s, name + ".probability_dropout", score_shape(c_), dropout),
      queries_(volume(c_.tokens(), c_.hidden)),
      keys_(queries_.size()),
      values_(queries_.size()),
      context_(queries_.size()),
      merged_(queries_.size()),
      scores_(volume(c_.batch, c_.heads, c_.length, c_.length)),
      probabilities_(scores_.size()),
      dcontext_(queries_.size()),
      dqueries_(queries_.size()),
      dkeys_(queries_.size()),
      dvalues_(queries_.size()),
      dmerged_(queries_.size()),
      dprobabilities_(scores_.size()),
      dscores_(scores_.size()),
      add_v_(c_, s.terms.keep(name + ".residual")),
      add_k_(c_),
      add_q_(c_),
      layers_(path),
      products_(c_, kHalf),
      texts_(c_) {}

void SelfAttention::split(Gpu& gpu, const prof::OpText& text, const __half* from,
                          DeviceBuffer<__half>& to) {
  const prof::Op op(text);
  swap_middle(gpu.stream, from, to.data(), c_.batch, c_.length, c_.heads, c_.head_size());
}

void SelfAttention::merge(Gpu& gpu, const prof::OpText& text, const DeviceBuffer<__half>& from,
                          DeviceBuffer<__half>& to) {
  const prof::Op op(text);
  swap_middle(gpu.stream, from.data(), to.data(), c_.batch, c_.heads, c_.length, c_.head_size());
}

void SelfAttention::scale(Gpu& gpu, const prof::OpText& text, DeviceBuffer<__half>& scores) {
  const prof::Layer layer(layers_.scale);
  const prof::Op op(text);
  affine(gpu.stream, scores.data(), scores.data(), scores.size(), 1 / divisor(c_), 0);
}

const __half* SelfAttention::forward(Gpu& gpu, const __half* x, const __half* mask,
                                     std::uint64_t step) {
  const __half* q = within(layers_.q, [&] { return q_.forward(gpu, x); });
  const __half* k = within(layers_.k, [&] { return k_.forward(gpu, x); });
  const __half* v = within(layers_.v, [&] { return v_.forward(gpu, x); });
  within(layers_.scores, [&] {
    split(gpu, texts_.split, q, queries_);
    split(gpu, texts_.split, k, keys_);
    products_.scores.run(gpu, queries_.data(), keys_.data(), scores_.data());
  });
  scale(gpu, texts_.scale, scores_);
  within(layers_.mask, texts_.mask, [&] {
    add_mask(gpu.stream, scores_.data(), mask, c_.batch, c_.heads * c_.length, c_.length);
  });
  within(layers_.softmax, texts_.softmax, [&] {
    softmax(gpu.stream, scores_.data(), probabilities_.data(),
            volume(c_.batch, c_.heads, c_.length), c_.length);
  });
  const __half* kept =
      within(layers_.dropout, [&] { return dropout_.forward(gpu, probabilities_.data(), step); });
  within(layers_.context, [&] {
    split(gpu, texts_.split, v, values_);
    products_.context.run(gpu, kept, values_.data(), context_.data());
  });
  within(layers_.merge, [&] { merge(gpu, texts_.merge, context_, merged_); });
  return merged_.data();
}

const __half* SelfAttention::backward(Gpu& gpu, const __half* x, const __half* dcontext,
                                      const __half* dresidual) {
  backward_scores(gpu, dcontext);
  within(layers_.scores, [&] {
    products_.queries.run(gpu, dscores_.data(), keys_.data(), dqueries_.data(), keep_queries_);
    products_.keys.run(gpu, dscores_.data(), queries_.data(), dkeys_.data(), keep_keys_);
  });
  const __half* dx = dresidual;
  const auto project = [&](const prof::LayerText& product, const prof::LayerText& layer,
                           Linear& projection, const DeviceBuffer<__half>& dheads,
                           GradientSum& sum) {
    within(product, [&] { merge(gpu, texts_.merge_backward, dheads, dmerged_); });
    const __half* added =
        within(layer, [&] { return projection.backward(gpu, x, dmerged_.data()); });
    dx = within(layers_.attention, [&] { return sum.add(gpu, dx, added); });
  };
  project(layers_.context, layers_.v, v_, dvalues_, add_v_);
  project(layers_.scores, layers_.k, k_, dkeys_, add_k_);
  project(layers_.scores, layers_.q, q_, dqueries_, add_q_);
  return dx;
}

void SelfAttention::backward_scores(Gpu& gpu, const __half* dcontext) {
  within(layers_.merge, [&] { split(gpu, texts_.split_backward, dcontext, dcontext_); });
  within(layers_.context, [&] {
    products_.probabilities.run(gpu, dcontext_.data(), values_.data(), dprobabilities_.data(),
                                keep_probabilities_);
    products_.values.run(gpu, dropout_.output(), dcontext_.data(), dvalues_.data(), keep_values_);
  });
  const __half* dprobabilities =
      within(layers_.dropout, [&] { return dropout_.backward(gpu, dprobabilities_.data()); });
  within(layers_.softmax, texts_.softmax_backward, [&] {
    if (keep_softmax_) {
      softmax_backward(gpu.stream, dprobabilities, probabilities_.data(), dscores_.data(),
                       volume(c_.batch, c_.heads, c_.length), c_.length);
    } else {
      clear(gpu.stream, dscores_.data(), dscores_.size());
    }
  });
  if (keep_scale_) scale(gpu, texts_.scale_backward, dscores_);
}

}  // namespace ref
