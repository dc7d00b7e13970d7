// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See optimizer.hpp.
#include "gpt/optimizer.hpp"

#include "common/kernels/cast.hpp"

namespace ref {
namespace {

prof::OpBuilder describe_adamw(const GptTensorInfo& tensor, float weight_decay) {
  const prof::Dims& s = tensor.shape;
  prof::OpBuilder op = prof::op("adamw").update();
  op.in("param", s, kFloat).in("grad", s, kBfloat16).in("m", s, kFloat).in("v", s, kFloat);
  op.out("param", s, kFloat).out("m", s, kFloat).out("v", s, kFloat).out("copy", s, kBfloat16);
  return op.attr("weight_decay", tensor.decays ? weight_decay : 0.0f);
}

prof::OpBuilder describe_zero(const char* name, std::size_t size, prof::DType type) {
  return prof::op("zero").update().out(name, {size}, type);
}

}  // namespace

GptOptimizer::Texts::Texts(const GptConfig& c, const GptParameters& p)
    : zero_gradients(describe_zero("grad", p.size(), kBfloat16)),
      zero_moments(describe_zero("m", p.size(), kFloat)),
      norm(prof::op("norm").update().in("grad", {p.size()}, kBfloat16).out("norm", {1}, kFloat)),
      clip(prof::op("clip_grad_norm")
               .update()
               .in("norm", {1}, kFloat)
               .out("coefficient", {1}, kFloat)
               .attr("max_norm", c.clip)) {
  for (const GptTensorInfo& tensor : p.tensors()) {
    to_master.emplace_back(prof::op("to")
                               .update()
                               .in("param", tensor.shape, kBfloat16)
                               .out("master", tensor.shape, kFloat));
    adamw.emplace_back(describe_adamw(tensor, c.weight_decay));
  }
}

GptOptimizer::GptOptimizer(const GptConfig& c, GptParameters& parameters,
                           const GradientTerms& terms)
    : parameters_(parameters),
      options_{c.learning_rate, c.beta1, c.beta2, c.epsilon},
      weight_decay_(c.weight_decay),
      limit_(c.clip),
      clip_(terms.keep("clip")),
      masters_(parameters.size()),
      m_(parameters.size()),
      v_(parameters.size()),
      norm_scratch_(kGradNormScratch),
      state_(std::vector<AdamwState>(1)),
      texts_(c, parameters) {}

void GptOptimizer::prepare(GptContext& context) {
  if (prepared_) return;
  prepared_ = true;
  const prof::Layer layer(layer_);
  zero_moments(context);
  const __nv_bfloat16* values = parameters_.values().data();
  for (std::size_t i = 0; i < texts_.to_master.size(); ++i) {
    const GptTensorInfo& tensor = parameters_.tensors()[i];
    const prof::Op op(texts_.to_master[i]);
    cast(context.stream, values + tensor.offset, masters_.data() + tensor.offset, tensor.size);
  }
}

void GptOptimizer::zero_moments(GptContext& context) {
  const Range range("InitOpt");
  for (DeviceBuffer<float>* moments : {&m_, &v_}) {
    const prof::Op op(texts_.zero_moments);
    clear(context.stream, moments->data(), moments->size());
  }
}

void GptOptimizer::zero_gradients(GptContext& context) {
  within(layer_, texts_.zero_gradients,
         [&] { clear(context.stream, parameters_.gradients().data(), parameters_.size()); });
}

void GptOptimizer::compute_gradient_norm(GptContext& context) {
  const Range range("gpt2_calculate_grad_norm");
  const prof::Layer layer(layer_);
  within(texts_.norm, [&] {
    grad_norm(context.stream, parameters_.gradients().data(), parameters_.size(),
              norm_scratch_.data(), state_.data());
  });
  within(texts_.clip, [&] { begin_adamw(context.stream, state_.data(), limit_, options_, clip_); });
}

void GptOptimizer::step(GptContext& context) {
  const Range range("gpt2_update");
  prepare(context);
  const prof::Layer layer(layer_);
  for (std::size_t i = 0; i < texts_.adamw.size(); ++i) {
    const GptTensorInfo& tensor = parameters_.tensors()[i];
    const std::size_t at = tensor.offset;
    const prof::Op op(texts_.adamw[i]);
    adamw(context.stream, masters_.data() + at, parameters_.gradients().data() + at, m_.data() + at,
          v_.data() + at, parameters_.values().data() + at, tensor.size, options_,
          tensor.decays ? weight_decay_ : 0.0f, state_.data());
  }
}

}  // namespace ref
