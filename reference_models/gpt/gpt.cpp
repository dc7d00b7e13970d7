// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See gpt.hpp.
#include "gpt/gpt.hpp"

namespace ref {
namespace {

prof::OpBuilder describe_average(std::size_t size, prof::DType type, int ranks) {
  return prof::op("all_reduce")
      .update()
      .in("x", {size}, type)
      .out("x", {size}, type)
      .attr("ranks", ranks)
      .attr("average", true);
}

}  // namespace

Gpt::Gpt(Gpu& gpu, const GptConfig& c, const GradientTerms& terms, Communicator* communicator)
    : context_(gpu),
      communicator_(communicator),
      parameters_(context_, c),
      embedding_(c, terms),
      ops_(c),
      ln_f_(c, {terms, "ln_f"}, parameters_.weights(GptTensor::ln_f), nullptr, "ln_f"),
      lm_head_(c, c.hidden, c.padded_vocab, {}),
      lm_head_place_{
          prof::LayerText("lm_head"), {terms, "lm_head"}, parameters_.weights(GptTensor::wte)},
      classifier_(c, terms),
      optimizer_(c, parameters_, terms),
      embedded_(volume(c.tokens(), c.hidden)),
      dresidual_(embedded_.size()),
      logits_(volume(c.tokens(), c.padded_vocab)),
      clear_text_(prof::op("zero").bprop().out("dx", {c.batch, c.length, c.hidden}, kBfloat16)),
      average_loss_text_(describe_average(1, kFloat, c.gpus)),
      average_gradients_text_(describe_average(parameters_.size(), kBfloat16, c.gpus)) {
  for (int i = 0; i < c.layers; ++i) blocks_.emplace_back(c, terms, parameters_, i);
}

void Gpt::train_step(const Tokens& tokens) {
  forward(tokens);
  backward(tokens);
  optimizer_.compute_gradient_norm(context_);
  optimizer_.step(context_);
}

void Gpt::prepare() {
  const Range range("gpt2_update");  // where the first update does it
  optimizer_.prepare(context_);
}

void Gpt::validate(const Tokens& tokens) {
  forward(tokens);
  const Range range("classifier_and_loss");
  classifier_.forward(context_, logits_.data(), tokens.targets.data());
  classifier_.reduce(context_);
  average_loss();
}

void Gpt::forward(const Tokens& tokens) {
  const Range range("gpt2_forward");
  embedding_.forward(context_, tokens.inputs.data(), parameters_, embedded_.data());
  blocks_.front().ln_1().forward(context_, ops_.norm, embedded_.data());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    NormPlace& next = i + 1 < blocks_.size() ? blocks_[i + 1].ln_1() : ln_f_;
    blocks_[i].forward(context_, ops_, residual_before(i), next);
  }
  const prof::Layer layer(lm_head_place_.layer);
  lm_head_.forward(context_, lm_head_place_, ln_f_.y(), logits_.data());
}

void Gpt::backward(const Tokens& tokens) {
  const Range range("gpt2_backward_and_reduce");
  optimizer_.zero_gradients(context_);
  const Range rest("classifier_and_loss");
  classifier_.forward_and_backward(context_, logits_.data(), tokens.targets.data());
  backward_head();
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    blocks_[i].backward(context_, ops_, residual_before(i), dresidual_.data());
  }
  embedding_.backward(context_, tokens.inputs.data(), dresidual_.data(), parameters_);
  classifier_.reduce(context_);
  average_loss();
  if (communicator_ == nullptr) return;
  within(reduce_layer_, average_gradients_text_, [&] {
    communicator_->average(parameters_.gradients().data(), parameters_.size(), context_.stream);
  });
}

void Gpt::backward_head() {
  lm_head_.backward(context_, lm_head_place_,
                    {ln_f_.y(), logits_.data(), ops_.narrow.data(), nullptr});
  within(ln_f_layer_, clear_text_,
         [&] { clear(context_.stream, dresidual_.data(), dresidual_.size()); });
  ln_f_.backward(context_, ops_.norm, ops_.narrow.data(), blocks_.back().residual(),
                 dresidual_.data());
}

void Gpt::average_loss() {
  if (communicator_ == nullptr) return;
  within(reduce_layer_, average_loss_text_,
         [&] { communicator_->average(classifier_.mean_loss(), 1, context_.stream); });
}

const __nv_bfloat16* Gpt::residual_before(std::size_t block) const {
  return block == 0 ? embedded_.data() : blocks_[block - 1].residual();
}

}  // namespace ref
