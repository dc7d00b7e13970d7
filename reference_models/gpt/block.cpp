// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See block.hpp.
#include "gpt/block.hpp"

#include "common/kernels/bias.hpp"
#include "common/kernels/gelu.hpp"

namespace ref {
namespace {

constexpr float kNormEpsilon = 1e-5f;

Matmul::Place place(const GradientTerms& terms, GptParameters& parameters, int block,
                    const std::string& half, const std::string& layer, GptTensor tensor) {
  const std::string term = "h." + std::to_string(block) + "." + half + "." + layer;
  return {prof::LayerText(layer), {terms, term}, parameters.weights(tensor, block)};
}

}  // namespace

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

NormPlace::NormPlace(const GptConfig& c, const LayerTerms& terms, const LayerWeights<T>& weights,
                     const prof::LayerText* block, const std::string& layer)
    : terms_(terms), weights_(weights), block_(block), layer_(layer), out_(c) {}

void NormPlace::forward(GptContext& context, const Op& norm, const T* x) {
  const Range range("layernorm_forward");
  const LayerPath path{block_, &layer_};
  norm.forward(context.stream, x, weights_, out_);
}

void NormPlace::forward_sum(GptContext& context, const Op& norm, const T* x, const T* residual,
                            T* sum) {
  const LayerPath path{block_, &layer_};
  norm.forward_sum(context.stream, x, residual, weights_, sum, out_);
}

void NormPlace::backward(GptContext& context, Op& norm, const T* dy, const T* x, T* dx) {
  const LayerPath path{block_, &layer_};
  const Range range("layernorm_backward");
  norm.backward(context.stream, out_, dy, x, dx, weights_, terms_);
}

BlockOps::BlockOps(const GptConfig& c)
    : norm(c, kNormEpsilon, true),
      attention(c),
      c_attn(c, c.hidden, 3 * c.hidden, {.bias = true}),
      attn_c_proj(c, c.hidden, c.hidden, {.bias = true}),
      c_fc(c, c.hidden, 4 * c.hidden, {.bias = true, .gelu = c.gelu_fusion >= 1}),
      mlp_c_proj(c, 4 * c.hidden, c.hidden, {.bias = true, .dgelu = c.gelu_fusion == 2}),
      gelu_text(
          unary("gelu", {c.batch, c.length, 4 * c.hidden}, kBfloat16).attr("approximate", "tanh")),
      wide(volume(c.tokens(), 4 * c.hidden)),
      narrow(volume(c.tokens(), c.hidden)),
      heads(narrow.size()),
      gelu(c.gelu_fusion == 0 && c.recompute ? wide.size() : 0),
      dprobabilities(volume(c.batch, c.heads, c.length, c.length)),
      dheads(3 * narrow.size()),
      bias_scratch(bias_gradient_scratch(4 * c.hidden)) {}

Block::Block(const GptConfig& c, const GradientTerms& terms, GptParameters& p, int index)
    : Block(c, terms, p, index, "h." + std::to_string(index)) {}

Block::Block(const GptConfig& c, const GradientTerms& terms, GptParameters& p, int index,
             const std::string& name)
    : volume_(volume(c.tokens(), c.hidden)),
      fused_gelu_(c.gelu_fusion >= 1),
      keeps_gelu_(fused_gelu_ || !c.recompute),
      range_("Layer " + std::to_string(index)),
      layer_(name),
      c_attn_(place(terms, p, index, "attn", "c_attn", GptTensor::c_attn)),
      attn_c_proj_(place(terms, p, index, "attn", "c_proj", GptTensor::attn_c_proj)),
      c_fc_(place(terms, p, index, "mlp", "c_fc", GptTensor::c_fc)),
      mlp_c_proj_(place(terms, p, index, "mlp", "c_proj", GptTensor::mlp_c_proj)),
      attention_terms_(terms, name + ".attn"),
      keep_gelu_gradient_(terms.keep(name + ".mlp.gelu")),
      keep_attn_residual_(terms.keep(name + ".attn.residual")),
      keep_mlp_residual_(terms.keep(name + ".mlp.residual")),
      ln_1_(c, {terms, name + ".ln_1"}, p.weights(GptTensor::ln_1, index), &layer_, "ln_1"),
      ln_2_(c, {terms, name + ".ln_2"}, p.weights(GptTensor::ln_2, index), &layer_, "ln_2"),
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
    const LayerPath path{&layer_, &attn_layer_, &c_attn_.layer};
    ops.c_attn.forward(context, c_attn_, ln_1_.y(), ops.wide.data());
  }
  {
    const LayerPath path{&layer_, &attn_layer_};
    ops.attention.forward(context, ops.wide.data(),
                          {heads_.data(), probabilities_.data(), attention_out_.data()},
                          ops.heads.data());
  }
  {
    const LayerPath path{&layer_, &attn_layer_, &attn_c_proj_.layer};
    ops.attn_c_proj.forward(context, attn_c_proj_, attention_out_.data(), ops.narrow.data());
  }
  ln_2_.forward_sum(context, ops.norm, ops.narrow.data(), residual_in, middle_.data());
}

void Block::forward_mlp(GptContext& context, BlockOps& ops, NormPlace& next) {
  {
    const LayerPath path{&layer_, &mlp_layer_, &c_fc_.layer};
    ops.c_fc.forward(context, c_fc_, ln_2_.y(), fused_gelu_ ? gelu_out(ops) : pre_gelu_.data(),
                     pre_gelu_.data());
  }
  if (!fused_gelu_) compute_gelu(context, ops);
  {
    const LayerPath path{&layer_, &mlp_layer_, &mlp_c_proj_.layer};
    ops.mlp_c_proj.forward(context, mlp_c_proj_, gelu_out(ops), ops.narrow.data());
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
    const LayerPath path{&layer_, &mlp_layer_};
    const Matmul::GeluBefore gelu{pre_gelu_.data(), gelu_layer_, keep_gelu_gradient_};
    ops.mlp_c_proj.backward(context, mlp_c_proj_,
                            {gelu_out(ops), dresidual, ops.wide.data(), ops.bias_scratch.data()},
                            &gelu);
    ops.c_fc.backward(context, c_fc_,
                      {ln_2_.y(), ops.wide.data(), ops.narrow.data(), ops.bias_scratch.data()});
  }
  if (!keep_mlp_residual_) clear(context.stream, dresidual, volume_);
  ln_2_.backward(context, ops.norm, ops.narrow.data(), middle_.data(), dresidual);
}

void Block::backward_attention(GptContext& context, BlockOps& ops, const T* residual_in,
                               T* dresidual) {
  {
    const LayerPath path{&layer_, &attn_layer_};
    ops.attn_c_proj.backward(
        context, attn_c_proj_,
        {attention_out_.data(), dresidual, ops.narrow.data(), ops.bias_scratch.data()});
    ops.attention.backward(context, {heads_.data(), probabilities_.data(), attention_out_.data()},
                           {ops.narrow.data(), ops.wide.data(), ops.dprobabilities.data(),
                            ops.dheads.data(), ops.heads.data()},
                           attention_terms_);
    ops.c_attn.backward(context, c_attn_,
                        {ln_1_.y(), ops.wide.data(), ops.narrow.data(), ops.bias_scratch.data()});
  }
  if (!keep_attn_residual_) clear(context.stream, dresidual, volume_);
  ln_1_.backward(context, ops.norm, ops.narrow.data(), residual_in, dresidual);
}

void Block::compute_gelu(GptContext& context, BlockOps& ops) {
  const Range range("gelu_forward");
  const LayerPath path{&layer_, &mlp_layer_, &gelu_layer_};
  const prof::Op op(ops.gelu_text);
  gelu_tanh(context.stream, pre_gelu_.data(), gelu_out(ops), pre_gelu_.size());
}

Block::T* Block::gelu_out(BlockOps& ops) { return keeps_gelu_ ? gelu_.data() : ops.gelu.data(); }

}  // namespace ref
