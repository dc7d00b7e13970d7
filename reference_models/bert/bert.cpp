// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See bert.hpp.
#include "bert/bert.hpp"

#include "common/kernels/cast.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

// The first stream of random numbers of each part of the model.
constexpr std::uint64_t kEmbeddingStream = 0;
constexpr std::uint64_t kHeadStream = 16;
constexpr std::uint64_t kBlockStream = 40;

std::deque<EncoderBlock> make_blocks(const BertSetup& setup) {
  std::deque<EncoderBlock> blocks;
  for (int i = 0; i < setup.config.layers; ++i) {
    blocks.emplace_back(setup, i,
                        kBlockStream + static_cast<std::uint64_t>(i) * EncoderBlock::kStreams,
                        1 + i * EncoderBlock::kDropouts);
  }
  return blocks;
}

}  // namespace

Bert::Bert(Gpu& gpu, const BertConfig& c, const GradientTerms& terms)
    : gpu_(gpu),
      embeddings_({{gpu, terms, parameters_}, c}, kEmbeddingStream, 0),
      blocks_(make_blocks({{gpu, terms, parameters_}, c})),
      heads_({{gpu, terms, parameters_}, c}, embeddings_.token_weight(), kHeadStream),
      loss_(terms, c),
      scaler_(terms, c.loss_scale),
      optimizer_(gpu, parameters(), {.learning_rate = c.learning_rate}),
      mask_(volume(c.tokens())),
      cast_mask_text_(
          cast_of(prof::op("to").fprop(), {c.batch, 1, 1, c.length}, prof::DType::int64, kHalf)),
      subtract_mask_text_(unary("rsub", {c.batch, 1, 1, c.length}).attr("value", 1.0)),
      scale_mask_text_(unary("mul", {c.batch, 1, 1, c.length}).attr("value", -10000.0)) {}

void Bert::train_step(const BertBatch& batch) {
  forward(batch);
  within(optimizer_layer_, [&] { embeddings_.zero_gradients(gpu_); });
  backward(batch);
  update();
  ++steps_;
}

// A padded position's key gets so low a score that softmax makes it 0.
void Bert::forward_mask(const BertBatch& batch) {
  const prof::Layer layer(mask_layer_);
  const auto change = [&](float scale, float shift) {
    affine(gpu_.stream, mask_.data(), mask_.data(), mask_.size(), scale, shift);
  };
  within(cast_mask_text_,
         [&] { cast(gpu_.stream, batch.mask.data(), mask_.data(), mask_.size()); });
  within(subtract_mask_text_, [&] { change(-1, 1); });
  within(scale_mask_text_, [&] { change(-10000, 0); });
}

void Bert::forward(const BertBatch& batch) {
  forward_mask(batch);
  const __half* x = embeddings_.forward(gpu_, batch.tokens.data(), batch.segments.data(), steps_);
  for (EncoderBlock& block : blocks_) x = block.forward(gpu_, x, mask_.data(), steps_);
  logits_ = heads_.forward(gpu_, x);
  loss_.forward(gpu_, logits_, batch.words.data(), batch.follows.data(), scaler_);
}

void Bert::backward(const BertBatch& batch) {
  const BertHeads::Logits dlogits =
      loss_.backward(gpu_, logits_, batch.words.data(), batch.follows.data(), scaler_);
  const __half* dx = heads_.backward(gpu_, dlogits);
  for (std::size_t i = blocks_.size(); i-- > 0;) dx = blocks_[i].backward(gpu_, dx);
  embeddings_.backward(gpu_, batch.tokens.data(), batch.segments.data(), dx);
}

void Bert::update() {
  const prof::Layer layer(optimizer_layer_);
  scaler_.clear(gpu_);
  optimizer_.step(gpu_, scaler_);
  scaler_.adjust(gpu_);
}

std::vector<Parameter*> Bert::parameters() {
  std::vector<Parameter*> all;
  for (Parameter& parameter : parameters_) all.push_back(&parameter);
  return all;
}

}  // namespace ref
