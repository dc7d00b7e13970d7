// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See embeddings.hpp.
#include "bert/embeddings.hpp"

#include <algorithm>

#include "common/kernels/fill.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

constexpr float kScale = 0.05f;  // of the words' vectors at the start

}  // namespace

LookupTable::LookupTable(const BertSetup& s, const std::string& name, const std::string& layer,
                         int rows, std::uint64_t stream)
    : batch_(s.config.batch),
      count_(s.config.tokens()),
      rows_(rows),
      width_(s.config.hidden),
      keep_(s.terms.keep(name)),
      weight_(s.add(name, {rows, width_}, {kScale, s.config.seed, stream})),
      out_(volume(count_, width_)),
      layer_(layer),
      forward_text_(describe(prof::op("embedding").fprop().in("indices", s.tokens(), kIndex), kHalf,
                             {{"weight", {rows, width_}}}, {{"out", s.hidden()}})),
      backward_text_(embedding_gradient_of(s.tokens(), rows, width_, kHalf)),
      zero_text_(prof::op("zero").update().out("dweight", {rows, width_}, kHalf)) {}

const __half* LookupTable::forward(Gpu& gpu, const std::int32_t* indices) {
  within(layer_, forward_text_, [&] { look_up(gpu, indices); });
  return out_.data();
}

const __half* LookupTable::forward_repeated(Gpu& gpu, const std::int32_t* row,
                                            std::int32_t* indices) {
  within(layer_, forward_text_, [&] {
    repeat(gpu.stream, row, indices, count_ / batch_, batch_);
    look_up(gpu, indices);
  });
  return out_.data();
}

void LookupTable::look_up(Gpu& gpu, const std::int32_t* indices) {
  embedding<__half>(gpu.stream, indices, weight_.half(), out_.data(), count_, width_);
}

void LookupTable::backward(Gpu& gpu, const std::int32_t* indices, const __half* dout,
                           __half* dweight, EmbeddingGradientScratch& scratch) {
  if (!keep_) return;
  within(layer_, backward_text_, [&] {
    embedding_gradient(gpu.stream, indices, dout, width_, dweight, rows_, count_, width_, scratch);
  });
}

void LookupTable::zero(Gpu& gpu, __half* dweight) {
  within(zero_text_, [&] { ref::zero(gpu.stream, dweight, weight_.size()); });
}

BertEmbeddings::BertEmbeddings(const BertSetup& s, std::uint64_t stream, int dropout)
    : length_(s.config.length),
      token_(s, "embedding.token", "Embedding:Token", s.config.vocabulary, stream),
      position_(s, "embedding.position", "Embedding:Position", s.config.max_positions, stream + 1),
      segment_(s, "embedding.segment", "Embedding:Segment", s.config.segments, stream + 2),
      norm_(s, "embedding.norm", "Embedding:LayerNorm", stream + 3),
      dropout_(s, "embedding.dropout", s.hidden(), dropout),
      scratch_(s.config.tokens(),
               std::max({s.config.vocabulary, s.config.max_positions, s.config.segments})),
      range_(volume(length_)),
      positions_(volume(s.config.tokens())),
      partial_(volume(s.config.tokens(), s.config.hidden)),
      total_(partial_.size()),
      dtoken_(token_.weight().size()),
      arange_text_(prof::op("arange").fprop().out("out", {length_}, kIndex)),
      add_text_(sum_of(s.hidden()).fprop()),
      tie_text_(sum_of(token_.weight().shape()).bprop()) {}

const __half* BertEmbeddings::forward(Gpu& gpu, const std::int32_t* tokens,
                                      const std::int32_t* segments, std::uint64_t step) {
  within(layer_, arange_text_, [&] { arange(gpu.stream, range_.data(), length_); });
  const __half* words = token_.forward(gpu, tokens);
  const __half* places = position_.forward_repeated(gpu, range_.data(), positions_.data());
  const __half* kinds = segment_.forward(gpu, segments);
  const auto sum = [&](const __half* a, const __half* b, DeviceBuffer<__half>& out) {
    within(add_text_, [&] { add(gpu.stream, a, b, out.data(), out.size()); });
  };
  within(total_layer_, [&] {
    sum(words, places, partial_);
    sum(partial_.data(), kinds, total_);
  });
  const __half* normal = norm_.forward(gpu, total_.data());
  return within(layer_, [&] { return dropout_.forward(gpu, normal, step); });
}

void BertEmbeddings::zero_gradients(Gpu& gpu) {
  token_.zero(gpu, dtoken_.data());
  position_.zero(gpu, position_.weight().half_grad());
  segment_.zero(gpu, segment_.weight().half_grad());
}

void BertEmbeddings::backward(Gpu& gpu, const std::int32_t* tokens, const std::int32_t* segments,
                              const __half* dy) {
  const __half* dnormal = within(layer_, [&] { return dropout_.backward(gpu, dy); });
  const __half* dtotal = norm_.backward(gpu, total_.data(), dnormal);
  segment_.backward(gpu, segments, dtotal, segment_.weight().half_grad(), scratch_);
  position_.backward(gpu, positions_.data(), dtotal, position_.weight().half_grad(), scratch_);
  token_.backward(gpu, tokens, dtotal, dtoken_.data(), scratch_);
  __half* dweight = token_.weight().half_grad();
  within(token_.layer(), tie_text_,
         [&] { add(gpu.stream, dweight, dtoken_.data(), dweight, dtoken_.size()); });
}

}  // namespace ref
