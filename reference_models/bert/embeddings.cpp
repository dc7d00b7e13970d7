// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See embeddings.hpp.
#include "bert/embeddings.hpp"

#include <algorithm>

#include "bert/describe.hpp"
#include "common/kernels/fill.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

constexpr float kScale = 0.05f;  // of the words' vectors at the start

}  // namespace

LookupTable::LookupTable(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                         const std::string& path, const BertConfig& c, int rows,
                         std::uint64_t stream)
    : batch_(c.batch),
      count_(c.tokens()),
      rows_(rows),
      width_(c.hidden),
      keep_(terms.keep(name)),
      weight_(gpu, name, {rows, c.hidden}, Parameter::Precision::fp16, {kScale, c.seed, stream}),
      out_(volume(count_, width_)),
      layer_(path),
      forward_text_(prof::op("embedding")
                        .fprop()
                        .in("indices", {c.batch, c.length}, kIndex)
                        .in("weight", {rows, c.hidden}, kHalf)
                        .out("out", {c.batch, c.length, c.hidden}, kHalf)),
      backward_text_(prof::op("embedding")
                         .bprop()
                         .in("indices", {c.batch, c.length}, kIndex)
                         .in("dout", {c.batch, c.length, c.hidden}, kHalf)
                         .in("dweight", {rows, c.hidden}, kHalf)
                         .out("dweight", {rows, c.hidden}, kHalf)
                         .attr("sorted", true)),
      zero_text_(prof::op("zero").update().out("dweight", {rows, c.hidden}, kHalf)) {}

const __half* LookupTable::forward(Gpu& gpu, const std::int32_t* indices) {
  const prof::Op op(forward_text_);
  embedding<__half>(gpu.stream.get(), indices, weight_.half(), out_.data(), count_, width_);
  return out_.data();
}

const __half* LookupTable::forward_repeated(Gpu& gpu, const std::int32_t* row,
                                            std::int32_t* indices) {
  const prof::Op op(forward_text_);
  repeat(gpu.stream.get(), row, indices, count_ / batch_, batch_);
  embedding<__half>(gpu.stream.get(), indices, weight_.half(), out_.data(), count_, width_);
  return out_.data();
}

void LookupTable::backward(Gpu& gpu, const std::int32_t* indices, const __half* dout,
                           __half* dweight, EmbeddingGradientScratch& scratch) {
  if (!keep_) return;
  const prof::Op op(backward_text_);
  embedding_gradient<__half>(gpu.stream.get(), indices, dout, width_, dweight, rows_, count_,
                             width_, scratch);
}

void LookupTable::zero(Gpu& gpu, __half* dweight) {
  const prof::Op op(zero_text_);
  ref::zero(gpu.stream.get(), dweight, weight_.size());
}

BertEmbeddings::BertEmbeddings(Gpu& gpu, const GradientTerms& terms, const BertConfig& c,
                               std::uint64_t stream, int dropout_layer)
    : c_(c),
      token_(gpu, terms, "embedding.token", "Embedding:Token", c, c.vocabulary, stream),
      position_(gpu, terms, "embedding.position", "Embedding:Position", c, c.max_positions,
                stream + 1),
      segment_(gpu, terms, "embedding.segment", "Embedding:Segment", c, c.segments, stream + 2),
      norm_(gpu, terms, "embedding.norm", {c.batch, c.length}, c.hidden, c.seed, stream + 3),
      dropout_(terms, "embedding.dropout", {c.batch, c.length, c.hidden}, {c.dropout, c.seed},
               dropout_layer),
      scratch_(c.tokens(), std::max({c.vocabulary, c.max_positions, c.segments})),
      range_(volume(c.length)),
      positions_(volume(c.tokens())),
      partial_(volume(c.tokens(), c.hidden)),
      total_(partial_.size()),
      dtoken_(token_.weight().size()),
      arange_text_(prof::op("arange").fprop().out("out", {c.length}, kIndex)),
      add_text_(sum_of({c.batch, c.length, c.hidden}).fprop()),
      tie_text_(sum_of({c.vocabulary, c.hidden}).bprop()) {}

const __half* BertEmbeddings::forward(Gpu& gpu, const std::int32_t* tokens,
                                      const std::int32_t* segments, std::uint64_t step) {
  const cudaStream_t stream = gpu.stream.get();
  {
    const prof::Layer layer(layer_);
    const prof::Op op(arange_text_);
    arange(stream, range_.data(), c_.length);
  }
  const __half* words = nullptr;
  {
    const prof::Layer layer(token_.layer());
    words = token_.forward(gpu, tokens);
  }
  const __half* places = nullptr;
  {
    const prof::Layer layer(position_.layer());
    places = position_.forward_repeated(gpu, range_.data(), positions_.data());
  }
  const __half* kinds = nullptr;
  {
    const prof::Layer layer(segment_.layer());
    kinds = segment_.forward(gpu, segments);
  }
  {
    const prof::Layer layer(total_layer_);
    {
      const prof::Op op(add_text_);
      add(stream, words, places, partial_.data(), partial_.size());
    }
    const prof::Op op(add_text_);
    add(stream, partial_.data(), kinds, total_.data(), total_.size());
  }
  const __half* normal = nullptr;
  {
    const prof::Layer layer(norm_layer_);
    normal = norm_.forward(gpu, total_.data());
  }
  const prof::Layer layer(layer_);
  return dropout_.forward(gpu, normal, step);
}

void BertEmbeddings::zero_gradients(Gpu& gpu) {
  token_.zero(gpu, dtoken_.data());
  position_.zero(gpu, position_.weight().half_grad());
  segment_.zero(gpu, segment_.weight().half_grad());
}

void BertEmbeddings::backward(Gpu& gpu, const std::int32_t* tokens, const std::int32_t* segments,
                              const __half* dy) {
  const __half* dnormal = nullptr;
  {
    const prof::Layer layer(layer_);
    dnormal = dropout_.backward(gpu, dy);
  }
  const __half* dtotal = nullptr;
  {
    const prof::Layer layer(norm_layer_);
    dtotal = norm_.backward(gpu, total_.data(), dnormal);
  }
  const auto backward = [&](LookupTable& table, const std::int32_t* indices, __half* dweight) {
    const prof::Layer layer(table.layer());
    table.backward(gpu, indices, dtotal, dweight, scratch_);
  };
  backward(segment_, segments, segment_.weight().half_grad());
  backward(position_, positions_.data(), position_.weight().half_grad());
  backward(token_, tokens, dtoken_.data());
  const prof::Layer layer(token_.layer());
  const prof::Op op(tie_text_);
  __half* dweight = token_.weight().half_grad();
  add(gpu.stream.get(), dweight, dtoken_.data(), dweight, dtoken_.size());
}

std::vector<Parameter*> BertEmbeddings::parameters() {
  std::vector<Parameter*> all = {&token_.weight(), &position_.weight(), &segment_.weight()};
  for (Parameter* parameter : norm_.parameters()) all.push_back(parameter);
  return all;
}

}  // namespace ref
