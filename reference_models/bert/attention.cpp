// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See attention.hpp.
#include "bert/attention.hpp"

#include <cmath>

#include "bert/describe.hpp"
#include "common/kernels/pointwise.hpp"
#include "common/kernels/softmax.hpp"
#include "common/kernels/transpose.hpp"

namespace ref {
namespace {

using Transpose = Blas::Transpose;

prof::Dims head_shape(const BertConfig& c) { return {c.batch, c.heads, c.length, c.head_size()}; }
prof::Dims score_shape(const BertConfig& c) { return {c.batch, c.heads, c.length, c.length}; }
prof::Dims token_shape(const BertConfig& c) { return {c.batch, c.length, c.heads, c.head_size()}; }
prof::Dims hidden_shape(const BertConfig& c) { return {c.batch, c.length, c.hidden}; }

prof::OpBuilder product(prof::OpBuilder op, const prof::Dims& a, const prof::Dims& b,
                        const prof::Dims& out, bool trans_a, bool trans_b) {
  return op.in("a", a, kHalf)
      .in("b", b, kHalf)
      .out("out", out, kHalf)
      .attr("trans_a", trans_a)
      .attr("trans_b", trans_b);
}

prof::OpBuilder gradient() { return prof::op("bmm").bprop(prof::Part::data); }

ProjectionSizes projection_sizes(const BertConfig& c) {
  return {{c.batch, c.length}, c.hidden, c.hidden};
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
      scores(product(prof::op("bmm").fprop(), head_shape(c), head_shape(c), score_shape(c), false,
                     true)),
      scale(unary("div", score_shape(c)).attr("divisor", divisor(c))),
      mask(prof::op("add")
               .fprop()
               .in("scores", score_shape(c), kHalf)
               .in("mask", {c.batch, 1, 1, c.length}, kHalf)
               .out("out", score_shape(c), kHalf)),
      softmax(unary("softmax", score_shape(c))),
      context(product(prof::op("bmm").fprop(), score_shape(c), head_shape(c), head_shape(c), false,
                      false)),
      split_backward(contiguous(head_shape(c)).bprop()),
      merge_backward(contiguous(token_shape(c)).bprop()),
      probabilities_gradient(
          product(gradient(), head_shape(c), head_shape(c), score_shape(c), false, true)),
      values_gradient(
          product(gradient(), score_shape(c), head_shape(c), head_shape(c), true, false)),
      softmax_backward(prof::op("softmax")
                           .bprop()
                           .in("dy", score_shape(c), kHalf)
                           .in("y", score_shape(c), kHalf)
                           .out("dx", score_shape(c), kHalf)),
      scale_backward(prof::op("div")
                         .bprop()
                         .in("dy", score_shape(c), kHalf)
                         .out("dx", score_shape(c), kHalf)
                         .attr("divisor", divisor(c))),
      queries_gradient(
          product(gradient(), score_shape(c), head_shape(c), head_shape(c), false, false)),
      keys_gradient(
          product(gradient(), score_shape(c), head_shape(c), head_shape(c), true, false)) {}

SelfAttention::SelfAttention(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                             const std::string& path, const BertConfig& c, std::uint64_t stream,
                             int dropout_layer)
    : c_(c),
      matrices_(c.batch * c.heads),
      keep_probabilities_(terms.keep(name + ".probabilities")),
      keep_values_(terms.keep(name + ".values")),
      keep_softmax_(terms.keep(name + ".softmax")),
      keep_scale_(terms.keep(name + ".scale")),
      keep_queries_(terms.keep(name + ".queries")),
      keep_keys_(terms.keep(name + ".keys")),
      q_(gpu, terms, name + ".q", projection_sizes(c), weight_initial(c, c.hidden, stream)),
      k_(gpu, terms, name + ".k", projection_sizes(c), weight_initial(c, c.hidden, stream + 2)),
      v_(gpu, terms, name + ".v", projection_sizes(c), weight_initial(c, c.hidden, stream + 4)),
      dropout_(terms, name + ".probability_dropout", score_shape(c), {c.dropout, c.seed},
               dropout_layer),
      queries_(volume(c.tokens(), c.hidden)),
      keys_(queries_.size()),
      values_(queries_.size()),
      context_(queries_.size()),
      merged_(queries_.size()),
      scores_(volume(matrices_, c.length, c.length)),
      probabilities_(scores_.size()),
      dcontext_(queries_.size()),
      dqueries_(queries_.size()),
      dkeys_(queries_.size()),
      dvalues_(queries_.size()),
      dmerged_(queries_.size()),
      dprobabilities_(scores_.size()),
      dscores_(scores_.size()),
      add_v_(hidden_shape(c), queries_.size(), terms.keep(name + ".residual")),
      add_k_(hidden_shape(c), queries_.size()),
      add_q_(hidden_shape(c), queries_.size()),
      layers_(path),
      texts_(c) {}

void SelfAttention::split(Gpu& gpu, const prof::OpText& text, const __half* from, __half* to) {
  const prof::Op op(text);
  swap_middle(gpu.stream.get(), from, to, c_.batch, c_.length, c_.heads, c_.head_size());
}

void SelfAttention::merge(Gpu& gpu, const prof::OpText& text, const __half* from, __half* to) {
  const prof::Op op(text);
  swap_middle(gpu.stream.get(), from, to, c_.batch, c_.heads, c_.length, c_.head_size());
}

void SelfAttention::zero(Gpu& gpu, DeviceBuffer<__half>& buffer) {
  check(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(__half), gpu.stream.get()));
}

const __half* SelfAttention::forward(Gpu& gpu, const __half* x, const __half* mask,
                                     std::uint64_t step) {
  const auto project = [&](const prof::LayerText& text, Projection& projection) {
    const prof::Layer layer(text);
    return projection.forward(gpu, x);
  };
  const __half* q = project(layers_.q, q_);
  const __half* k = project(layers_.k, k_);
  const __half* v = project(layers_.v, v_);
  {
    const prof::Layer layer(layers_.scores);
    split(gpu, texts_.split, q, queries_.data());
    split(gpu, texts_.split, k, keys_.data());
    const prof::Op op(texts_.scores);
    gpu.blas.batched(Transpose::no, Transpose::yes, c_.length, c_.length, c_.head_size(), matrices_,
                     queries_.data(), keys_.data(), scores_.data());
  }
  forward_probabilities(gpu, mask);
  const __half* kept = nullptr;
  {
    const prof::Layer layer(layers_.dropout);
    kept = dropout_.forward(gpu, probabilities_.data(), step);
  }
  {
    const prof::Layer layer(layers_.context);
    split(gpu, texts_.split, v, values_.data());
    const prof::Op op(texts_.context);
    gpu.blas.batched(Transpose::no, Transpose::no, c_.length, c_.head_size(), c_.length, matrices_,
                     kept, values_.data(), context_.data());
  }
  const prof::Layer layer(layers_.merge);
  merge(gpu, texts_.merge, context_.data(), merged_.data());
  return merged_.data();
}

void SelfAttention::forward_probabilities(Gpu& gpu, const __half* mask) {
  const cudaStream_t stream = gpu.stream.get();
  {
    const prof::Layer layer(layers_.scale);
    const prof::Op op(texts_.scale);
    affine(stream, scores_.data(), scores_.data(), scores_.size(), 1 / divisor(c_), 0);
  }
  {
    const prof::Layer layer(layers_.mask);
    const prof::Op op(texts_.mask);
    add_mask(stream, scores_.data(), mask, c_.batch, c_.heads * c_.length, c_.length);
  }
  const prof::Layer layer(layers_.softmax);
  const prof::Op op(texts_.softmax);
  softmax<__half>(stream, scores_.data(), probabilities_.data(), volume(matrices_, c_.length),
                  c_.length);
}

const __half* SelfAttention::backward(Gpu& gpu, const __half* x, const __half* dcontext,
                                      const __half* dresidual) {
  const __half* dscores = backward_scores(gpu, dcontext);
  {
    const prof::Layer layer(layers_.scores);
    {
      const prof::Op op(texts_.queries_gradient);
      if (keep_queries_) {
        gpu.blas.batched(Transpose::no, Transpose::no, c_.length, c_.head_size(), c_.length,
                         matrices_, dscores, keys_.data(), dqueries_.data());
      } else {
        zero(gpu, dqueries_);
      }
    }
    const prof::Op op(texts_.keys_gradient);
    if (keep_keys_) {
      gpu.blas.batched(Transpose::yes, Transpose::no, c_.length, c_.head_size(), c_.length,
                       matrices_, dscores, queries_.data(), dkeys_.data());
    } else {
      zero(gpu, dkeys_);
    }
  }
  const __half* dx = dresidual;
  const auto project = [&](const prof::LayerText& product, const prof::LayerText& projection_text,
                           Projection& projection, const DeviceBuffer<__half>& dheads,
                           GradientSum& sum) {
    {
      const prof::Layer layer(product);
      merge(gpu, texts_.merge_backward, dheads.data(), dmerged_.data());
    }
    const __half* added = nullptr;
    {
      const prof::Layer layer(projection_text);
      added = projection.backward(gpu, x, dmerged_.data());
    }
    const prof::Layer layer(layers_.attention);
    dx = sum.add(gpu, dx, added);
  };
  project(layers_.context, layers_.v, v_, dvalues_, add_v_);
  project(layers_.scores, layers_.k, k_, dkeys_, add_k_);
  project(layers_.scores, layers_.q, q_, dqueries_, add_q_);
  return dx;
}

const __half* SelfAttention::backward_scores(Gpu& gpu, const __half* dcontext) {
  const cudaStream_t stream = gpu.stream.get();
  {
    const prof::Layer layer(layers_.merge);
    split(gpu, texts_.split_backward, dcontext, dcontext_.data());
  }
  {
    const prof::Layer layer(layers_.context);
    {
      const prof::Op op(texts_.probabilities_gradient);
      if (keep_probabilities_) {
        gpu.blas.batched(Transpose::no, Transpose::yes, c_.length, c_.length, c_.head_size(),
                         matrices_, dcontext_.data(), values_.data(), dprobabilities_.data());
      } else {
        zero(gpu, dprobabilities_);
      }
    }
    const prof::Op op(texts_.values_gradient);
    if (keep_values_) {
      gpu.blas.batched(Transpose::yes, Transpose::no, c_.length, c_.head_size(), c_.length,
                       matrices_, dropout_.output(), dcontext_.data(), dvalues_.data());
    } else {
      zero(gpu, dvalues_);
    }
  }
  const __half* dprobabilities = nullptr;
  {
    const prof::Layer layer(layers_.dropout);
    dprobabilities = dropout_.backward(gpu, dprobabilities_.data());
  }
  {
    const prof::Layer layer(layers_.softmax);
    const prof::Op op(texts_.softmax_backward);
    if (keep_softmax_) {
      softmax_backward<__half>(stream, dprobabilities, probabilities_.data(), dscores_.data(),
                               volume(matrices_, c_.length), c_.length);
    } else {
      zero(gpu, dscores_);
    }
  }
  if (keep_scale_) {
    const prof::Layer layer(layers_.scale);
    const prof::Op op(texts_.scale_backward);
    affine(stream, dscores_.data(), dscores_.data(), dscores_.size(), 1 / divisor(c_), 0);
  }
  return dscores_.data();
}

std::vector<Parameter*> SelfAttention::parameters() {
  std::vector<Parameter*> all;
  for (Projection* projection : {&q_, &k_, &v_}) {
    for (Parameter* parameter : projection->parameters()) all.push_back(parameter);
  }
  return all;
}

}  // namespace ref
