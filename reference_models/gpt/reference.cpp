// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See reference.hpp.
#include "gpt/reference.hpp"

#include <utility>
#include <vector>

#include "common/cpu_products.hpp"
#include "common/kernels/attention_heads.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/elementwise.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/fused_cross_entropy.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/position_sum.hpp"
#include "common/kernels/softmax.hpp"
#include "transformer/reference_layers.hpp"

namespace ref {
namespace {

constexpr double kEpsilon = 1e-5;

cpu::Tensor slice(const cpu::Tensor& x, std::size_t part, std::size_t parts) {
  const auto size = static_cast<std::ptrdiff_t>(x.size() / parts);
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(part) * size;
  return {begin, begin + size};
}

void append(cpu::Tensor& to, const cpu::Tensor& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::string block_name(std::size_t i) { return "h." + std::to_string(i) + "."; }

bool is_stacked(const std::string& name) {
  return name != "wte" && name != "wpe" && !name.starts_with("ln_f");
}

// A stacked tensor becomes one for each block, with the block's name before its own.
NamedTensors unstack(const NamedTensors& stacked, std::size_t blocks) {
  NamedTensors all;
  for (const auto& [name, tensor] : stacked) {
    if (!is_stacked(name)) all[name] = tensor;
    for (std::size_t i = 0; is_stacked(name) && i < blocks; ++i) {
      all[block_name(i) + name] = slice(tensor, i, blocks);
    }
  }
  return all;
}

class Reference : ReferenceLayers {
 public:
  Reference(const GptConfig& c, const HostTokens& tokens, const NamedTensors& parameters,
            ReferenceStorage storage)
      : ReferenceLayers(c, unstack(parameters, static_cast<std::size_t>(c.layers)),
                        storage == ReferenceStorage::rounded ? cpu::round_to_bfloat16 : nullptr,
                        kEpsilon),
        c_(c),
        words_(tokens.inputs.begin(), tokens.inputs.end()),
        targets_(tokens.targets),
        sizes_{c.batch, c.length, c.heads, c.head_size()},
        blocks_(static_cast<std::size_t>(c.layers)) {}

  /// Gradients are stacked as `parameters` are.
  ReferenceStep run(const NamedTensors& parameters) {
    Tensor x = cpu::embedding(words_, p_.at("wte"), hidden_);
    const Tensor& positions = p_.at("wpe");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += positions[i % positions.size()];
    x = round(std::move(x));
    for (std::size_t i = 0; i < blocks_.size(); ++i) x = forward_block(i, std::move(x));
    Tensor dresidual = head(x);
    for (std::size_t i = blocks_.size(); i-- > 0;) dresidual = backward_block(i, dresidual);
    keep_gradient("wpe", cpu::sum_over_batch(dresidual, batch_));
    keep_gradient(
        "wte", cpu::add(head_gradient_,
                        cpu::embedding_gradient(words_, dresidual, p_.at("wte").size(), hidden_)));
    ReferenceStep stacked{step_.loss, {}};
    for (const auto& [name, unused] : parameters) {
      if (!is_stacked(name)) stacked.gradients[name] = step_.gradients.at(name);
      for (std::size_t i = 0; is_stacked(name) && i < blocks_.size(); ++i) {
        append(stacked.gradients[name], step_.gradients.at(block_name(i) + name));
      }
    }
    return stacked;
  }

 private:
  /// What a block's backward pass needs from its forward pass.
  struct Block {
    Tensor residual_in, normed_1, q, k, v, probabilities, attention_out;
    Tensor middle, normed_2, pre_gelu, gelu;
  };

  [[nodiscard]] Tensor linear(const std::string& name, const Tensor& x) const {
    Tensor y = product(name, x, tokens_);
    cpu::bias_add(y, p_.at(name + ".bias"));
    return y;
  }

  // The last norm, the logits and the loss; returns the gradient of the last block's output.
  Tensor head(const Tensor& x) {
    const Tensor normed = round(norm("ln_f", x).y);
    const Tensor logits = round(cpu::linear(normed, p_.at("wte"), tokens_));
    const auto loss =
        cpu::padded_cross_entropy(logits, targets_, static_cast<std::size_t>(c_.vocab));
    step_.loss = loss.loss;
    const Tensor dlogits = round(loss.dx);
    const Tensor dx = round(cpu::linear_data_gradient(dlogits, p_.at("wte"), tokens_));
    head_gradient_ = round(cpu::linear_weight_gradient(dlogits, normed, tokens_));
    return round(norm_backward("ln_f", x, dx));
  }

  Tensor forward_block(std::size_t i, Tensor x) {
    Block& t = blocks_[i];
    const std::string name = block_name(i);
    t.residual_in = std::move(x);
    t.normed_1 = round(norm(name + "ln_1", t.residual_in).y);
    const Tensor qkv = cpu::split_heads(round(linear(name + "attn.c_attn", t.normed_1)), 3, sizes_);
    t.q = slice(qkv, 0, 3);
    t.k = slice(qkv, 1, 3);
    t.v = slice(qkv, 2, 3);
    t.probabilities = round(cpu::softmax(score_product(t.q, t.k), length_, score_scale(), true));
    t.attention_out = cpu::merge_heads(value_product(t.probabilities, t.v), 1, sizes_);
    t.middle = sum(round(linear(name + "attn.c_proj", t.attention_out)), t.residual_in);
    t.normed_2 = round(norm(name + "ln_2", t.middle).y);
    Tensor pre_gelu = linear(name + "mlp.c_fc", t.normed_2);
    t.pre_gelu = round(pre_gelu);
    if (c_.gelu_fusion == 0) pre_gelu = t.pre_gelu;
    for (double& value : pre_gelu) value = cpu::gelu_tanh(value);
    t.gelu = round(std::move(pre_gelu));
    return sum(round(linear(name + "mlp.c_proj", t.gelu)), t.middle);
  }

  Tensor backward_block(std::size_t i, const Tensor& dout) {
    const Block& t = blocks_[i];
    const std::string name = block_name(i);
    Tensor dgelu = linear_backward(name + "mlp.c_proj", t.gelu, dout, tokens_);
    if (c_.gelu_fusion < 2) dgelu = round(std::move(dgelu));
    for (std::size_t j = 0; j < dgelu.size(); ++j) {
      dgelu[j] *= cpu::gelu_tanh_derivative(t.pre_gelu[j]);
    }
    const Tensor dnormed_2 =
        round(linear_backward(name + "mlp.c_fc", t.normed_2, round(std::move(dgelu)), tokens_));
    const Tensor dmiddle = sum(dout, norm_backward(name + "ln_2", t.middle, dnormed_2));

    const Tensor dattention =
        round(linear_backward(name + "attn.c_proj", t.attention_out, dmiddle, tokens_));
    const Tensor dnormed_1 = round(linear_backward(name + "attn.c_attn", t.normed_1,
                                                   backward_attention(t, dattention), tokens_));
    return sum(dmiddle, norm_backward(name + "ln_1", t.residual_in, dnormed_1));
  }

  [[nodiscard]] Tensor backward_attention(const Block& t, const Tensor& dout) const {
    const Tensor dheads = cpu::split_heads(dout, 1, sizes_);
    const Tensor dscores = round(cpu::softmax_backward(score_product(dheads, t.v), t.probabilities,
                                                       length_, score_scale(), true));
    Tensor dqkv = value_product(dscores, t.k);
    append(dqkv, value_product(dscores, t.q, true));
    append(dqkv, value_product(t.probabilities, dheads, true));
    return cpu::merge_heads(dqkv, 3, sizes_);
  }

  const GptConfig& c_;
  const std::vector<std::int64_t> words_;
  const std::vector<std::int32_t>& targets_;
  HeadSizes sizes_;
  std::vector<Block> blocks_;
  Tensor head_gradient_;  // of the words' vectors, as the head uses them
};

}  // namespace

ReferenceStep gpt_reference_step(const GptConfig& config, const HostTokens& tokens,
                                 const NamedTensors& parameters, ReferenceStorage storage) {
  return Reference(config, tokens, parameters, storage).run(parameters);
}

}  // namespace ref
