// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See block.hpp.
#include "gpt/block.hpp"

#include <nvtx3/nvToolsExt.h>

#include "common/kernels/bias.hpp"
#include "common/kernels/gelu.hpp"
#include "gpt/ranges.hpp"

namespace ref {

LayerPath::LayerPath(std::initializer_list<const prof::LayerText*> path) noexcept {
  for (const prof::LayerText* layer : path) {
    if (layer == nullptr) continue;
    layer->push();
    ++depth_;
  }
}

LayerPath::~LayerPath() {
  for (; depth_ > 0; --depth_) nvtxRangePop();
}

NormPlace::NormPlace(const GptConfig& c, const GradientTerms& terms, GptParameters& parameters,
                     const prof::LayerText* block, const std::string& term,
                     const std::string& layer, GptTensor weight, GptTensor bias, int index)
    : parameters_(parameters),
      block_(block),
      layer_(layer),
      terms_(terms, term),
      weight_(weight),
      bias_(bias),
      index_(index),
      y_(volume(c.tokens(), c.hidden)),
      mean_(volume(c.tokens())),
      rstd_(volume(c.tokens())) {}

Norm::Weights NormPlace::weights() const {
  return {parameters_.value(weight_, index_), parameters_.value(bias_, index_)};
}

void NormPlace::forward(GptContext& context, const Norm& norm, const T* x) {
  const Range range("layernorm_forward");
  const LayerPath path{block_, &layer_};
  norm.forward(context, x, weights(), output());
}

void NormPlace::forward_sum(GptContext& context, const Norm& norm, const T* x, const T* residual,
                            T* sum) {
  const LayerPath path{block_, &layer_};
  norm.forward_sum(context, x, residual, weights(), sum, output());
}

void NormPlace::backward(GptContext& context, Norm& norm, const T* dy, const T* x, T* dx) {
  const LayerPath path{block_, &layer_};
  norm.backward(context, output(),
                {dy, x, parameters_.value(weight_, index_), dx,
                 parameters_.gradient(weight_, index_), parameters_.gradient(bias_, index_)},
                terms_);
}

BlockOps::BlockOps(const GptConfig& c)
    : norm(c),
      attention(c),
      c_attn(c, c.hidden, 3 * c.hidden, {}),
      attn_c_proj(c, c.hidden, c.hidden, {}),
      c_fc(c, c.hidden, 4 * c.hidden, {.gelu = c.gelu_fusion >= 1}),
      mlp_c_proj(c, 4 * c.hidden, c.hidden, {.dgelu = c.gelu_fusion == 2}),
      gelu_text(prof::op("gelu")
                    .fprop()
                    .in("x", {c.batch, c.length, 4 * c.hidden}, kBfloat16)
                    .out("y", {c.batch, c.length, 4 * c.hidden}, kBfloat16)
                    .attr("approximate", "tanh")),
      wide(volume(c.tokens(), 4 * c.hidden)),
      narrow(volume(c.tokens(), c.hidden)),
      heads(narrow.size()),
      gelu(c.gelu_fusion == 0 && c.recompute ? wide.size() : 0),
      dprobabilities(volume(c.batch, c.heads, c.length, c.length)),
      dheads(3 * narrow.size()),
      bias_scratch(bias_gradient_scratch(4 * c.hidden)) {}

Block::Terms::Terms(const GradientTerms& terms, const std::string& name)
    : c_attn(terms, name + ".attn.c_attn"),
      attn_c_proj(terms, name + ".attn.c_proj"),
      c_fc(terms, name + ".mlp.c_fc"),
      mlp_c_proj(terms, name + ".mlp.c_proj"),
      attention(terms, name + ".attn"),
      gelu(terms.keep(name + ".mlp.gelu")),
      attn_residual(terms.keep(name + ".attn.residual")),
      mlp_residual(terms.keep(name + ".mlp.residual")) {}

Block::Block(const GptConfig& c, const GradientTerms& terms, GptParameters& parameters, int index)
    : parameters_(parameters),
      index_(index),
      volume_(volume(c.tokens(), c.hidden)),
      fused_gelu_(c.gelu_fusion >= 1),
      keeps_gelu_(fused_gelu_ || !c.recompute),
      range_("Layer " + std::to_string(index)),
      layers_(index),
      terms_(terms, "h." + std::to_string(index)),
      ln_1_(c, terms, parameters, &layers_.block, "h." + std::to_string(index) + ".ln_1", "ln_1",
            GptTensor::ln_1_weight, GptTensor::ln_1_bias, index),
      ln_2_(c, terms, parameters, &layers_.block, "h." + std::to_string(index) + ".ln_2", "ln_2",
            GptTensor::ln_2_weight, GptTensor::ln_2_bias, index),
      heads_(3 * volume_),
      probabilities_(volume(c.batch, c.heads, c.length, c.length)),
      attention_out_(volume_),
      middle_(volume_),
      pre_gelu_(4 * volume_),
      gelu_(keeps_gelu_ ? 4 * volume_ : 0),
      residual_(volume_) {}

void Block::forward(GptContext& context, BlockOps& ops, const T* residual_in, NormPlace& next) {
  const Range range(range_.c_str());
  forward_attention(context, ops, residual_in);
  forward_mlp(context, ops, next);
}

void Block::forward_attention(GptContext& context, BlockOps& ops, const T* residual_in) {
  {
    const LayerPath path{&layers_.block, &layers_.attn, &layers_.c_attn};
    ops.c_attn.forward(
        context, {ln_1_.y(), parameters_.value(GptTensor::c_attn_weight, index_),
                  parameters_.value(GptTensor::c_attn_bias, index_), ops.wide.data(), nullptr});
  }
  {
    const LayerPath path{&layers_.block, &layers_.attn};
    ops.attention.forward(context, ops.wide.data(),
                          {heads_.data(), probabilities_.data(), attention_out_.data()},
                          ops.heads.data());
  }
  {
    const LayerPath path{&layers_.block, &layers_.attn, &layers_.c_proj};
    ops.attn_c_proj.forward(
        context,
        {attention_out_.data(), parameters_.value(GptTensor::attn_c_proj_weight, index_),
         parameters_.value(GptTensor::attn_c_proj_bias, index_), ops.narrow.data(), nullptr});
  }
  ln_2_.forward_sum(context, ops.norm, ops.narrow.data(), residual_in, middle_.data());
}

void Block::forward_mlp(GptContext& context, BlockOps& ops, NormPlace& next) {
  {
    const LayerPath path{&layers_.block, &layers_.mlp, &layers_.c_fc};
    ops.c_fc.forward(context, {ln_2_.y(), parameters_.value(GptTensor::c_fc_weight, index_),
                               parameters_.value(GptTensor::c_fc_bias, index_),
                               fused_gelu_ ? gelu_out(ops) : pre_gelu_.data(), pre_gelu_.data()});
  }
  if (!fused_gelu_) compute_gelu(context, ops);
  {
    const LayerPath path{&layers_.block, &layers_.mlp, &layers_.c_proj};
    ops.mlp_c_proj.forward(
        context,
        {gelu_out(ops), parameters_.value(GptTensor::mlp_c_proj_weight, index_),
         parameters_.value(GptTensor::mlp_c_proj_bias, index_), ops.narrow.data(), nullptr});
  }
  next.forward_sum(context, ops.norm, ops.narrow.data(), middle_.data(), residual_.data());
}

void Block::backward(GptContext& context, BlockOps& ops, const T* residual_in, T* dresidual) {
  const Range range(range_.c_str());
  if (!keeps_gelu_) compute_gelu(context, ops);
  backward_mlp(context, ops, dresidual);
  backward_attention(context, ops, residual_in, dresidual);
}

void Block::backward_mlp(GptContext& context, BlockOps& ops, T* dresidual) {
  {
    const LayerPath path{&layers_.block, &layers_.mlp};
    const Matmul::GeluBefore gelu{pre_gelu_.data(), &layers_.gelu, terms_.gelu};
    Matmul::Backward c_proj =
        gradients(ops, GptTensor::mlp_c_proj_weight, GptTensor::mlp_c_proj_bias);
    c_proj.x = gelu_out(ops);
    c_proj.dy = dresidual;
    c_proj.dx = ops.wide.data();
    c_proj.layer = &layers_.c_proj;
    c_proj.gelu = &gelu;
    ops.mlp_c_proj.backward(context, c_proj, terms_.mlp_c_proj);

    Matmul::Backward c_fc = gradients(ops, GptTensor::c_fc_weight, GptTensor::c_fc_bias);
    c_fc.x = ln_2_.y();
    c_fc.dy = ops.wide.data();
    c_fc.dx = ops.narrow.data();
    c_fc.layer = &layers_.c_fc;
    ops.c_fc.backward(context, c_fc, terms_.c_fc);
  }
  if (!terms_.mlp_residual) clear(context, dresidual, volume_);
  ln_2_.backward(context, ops.norm, ops.narrow.data(), middle_.data(), dresidual);
}

void Block::backward_attention(GptContext& context, BlockOps& ops, const T* residual_in,
                               T* dresidual) {
  {
    const LayerPath path{&layers_.block, &layers_.attn};
    Matmul::Backward c_proj =
        gradients(ops, GptTensor::attn_c_proj_weight, GptTensor::attn_c_proj_bias);
    c_proj.x = attention_out_.data();
    c_proj.dy = dresidual;
    c_proj.dx = ops.narrow.data();
    c_proj.layer = &layers_.c_proj;
    ops.attn_c_proj.backward(context, c_proj, terms_.attn_c_proj);

    ops.attention.backward(context, {heads_.data(), probabilities_.data(), attention_out_.data()},
                           {ops.narrow.data(), ops.wide.data(), ops.dprobabilities.data(),
                            ops.dheads.data(), ops.heads.data()},
                           terms_.attention);

    Matmul::Backward c_attn = gradients(ops, GptTensor::c_attn_weight, GptTensor::c_attn_bias);
    c_attn.x = ln_1_.y();
    c_attn.dy = ops.wide.data();
    c_attn.dx = ops.narrow.data();
    c_attn.layer = &layers_.c_attn;
    ops.c_attn.backward(context, c_attn, terms_.c_attn);
  }
  if (!terms_.attn_residual) clear(context, dresidual, volume_);
  ln_1_.backward(context, ops.norm, ops.narrow.data(), residual_in, dresidual);
}

void Block::compute_gelu(GptContext& context, BlockOps& ops) {
  const Range range("gelu_forward");
  const LayerPath path{&layers_.block, &layers_.mlp, &layers_.gelu};
  const prof::Op op(ops.gelu_text);
  gelu_tanh(context.stream, pre_gelu_.data(), gelu_out(ops), pre_gelu_.size());
}

Matmul::Backward Block::gradients(BlockOps& ops, GptTensor weight, GptTensor bias) const {
  Matmul::Backward tensors{};
  tensors.weight = parameters_.value(weight, index_);
  tensors.dweight = parameters_.gradient(weight, index_);
  tensors.dbias = parameters_.gradient(bias, index_);
  tensors.bias_scratch = ops.bias_scratch.data();
  return tensors;
}

Block::T* Block::gelu_out(BlockOps& ops) { return keeps_gelu_ ? gelu_.data() : ops.gelu.data(); }

}  // namespace ref
