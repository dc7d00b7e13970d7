// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See reference.hpp.
#include "gpt/reference.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "common/cpu_products.hpp"
#include "common/kernels/attention_heads.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/fused_cross_entropy.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/layer_norm.hpp"
#include "common/kernels/position_sum.hpp"
#include "common/kernels/softmax.hpp"

namespace ref {
namespace {

using cpu::Tensor;

constexpr double kEpsilon = 1e-5;

Tensor slice(const Tensor& x, std::size_t part, std::size_t size) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(part * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

void append(Tensor& to, const Tensor& from) { to.insert(to.end(), from.begin(), from.end()); }

Tensor add(Tensor a, const Tensor& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

class Reference {
 public:
  Reference(const GptConfig& c, const HostTokens& tokens, const NamedTensors& parameters,
            Bfloat16Storage storage)
      : c_(c),
        tokens_(tokens),
        p_(parameters),
        rounds_(storage == Bfloat16Storage::rounded),
        rows_(static_cast<std::size_t>(c.rows())),
        width_(static_cast<std::size_t>(c.channels)),
        sizes_{c.batch, c.tokens, c.heads, c.head_size()},
        length_(static_cast<std::size_t>(c.tokens)),
        matrices_(static_cast<std::size_t>(c.batch) * static_cast<std::size_t>(c.heads)),
        head_volume_(length_ * static_cast<std::size_t>(c.head_size())),
        blocks_(static_cast<std::size_t>(c.layers)) {
    for (const auto& [name, value] : p_) step_.gradients[name] = Tensor(value.size());
  }

  GptReferenceStep run() {
    Tensor x = cpu::embedding({tokens_.inputs.begin(), tokens_.inputs.end()}, p_.at("wte"), width_);
    const Tensor& positions = p_.at("wpe");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += positions[i % positions.size()];
    x = round(std::move(x));
    for (std::size_t i = 0; i < blocks_.size(); ++i) x = forward_block(i, std::move(x));
    const cpu::LayerNorm ln_f = norm("ln_f", x, 0);
    const Tensor normed = round(ln_f.y);
    const Tensor logits = round(cpu::linear(normed, p_.at("wte"), rows_));
    const auto loss =
        cpu::padded_cross_entropy(logits, tokens_.targets, static_cast<std::size_t>(c_.vocab));
    step_.loss = loss.loss;

    const Tensor dlogits = round(loss.dx);
    Tensor dx = round(cpu::linear_data_gradient(dlogits, p_.at("wte"), rows_));
    step_.gradients["wte"] = round(cpu::linear_weight_gradient(dlogits, normed, rows_));
    Tensor dresidual = norm_backward("ln_f", dx, x, ln_f, 0, Tensor(x.size()));
    for (std::size_t i = blocks_.size(); i-- > 0;) dresidual = backward_block(i, dresidual);
    step_.gradients["wpe"] =
        round(cpu::sum_over_batch(dresidual, static_cast<std::size_t>(c_.batch)));
    Tensor& dwte = step_.gradients["wte"];
    dwte = round(
        add(std::move(dwte), cpu::embedding_gradient({tokens_.inputs.begin(), tokens_.inputs.end()},
                                                     dresidual, dwte.size(), width_)));
    return step_;
  }

 private:
  /// What a block's backward pass needs from its forward pass.
  struct Block {
    Tensor residual_in, middle;
    cpu::LayerNorm ln_1, ln_2;
    Tensor normed_1, normed_2;           // as stored
    std::vector<Tensor> q, k, v, probs;  // by matrix
    Tensor attention_out, pre_gelu, gelu;
  };

  [[nodiscard]] Tensor round(Tensor x) const {
    if (rounds_) {
      for (double& value : x) value = cpu::round_to_bfloat16(value);
    }
    return x;
  }

  /// A block's part of a stacked parameter, or the whole of another one.
  [[nodiscard]] Tensor parameter(const std::string& name, std::size_t layer) const {
    const Tensor& all = p_.at(name);
    return is_stacked(name) ? slice(all, layer, all.size() / blocks_.size()) : all;
  }
  static bool is_stacked(const std::string& name) {
    return name != "wte" && name != "wpe" && !name.starts_with("ln_f");
  }
  void keep_gradient(const std::string& name, std::size_t layer, const Tensor& gradient) {
    Tensor& all = step_.gradients.at(name);
    const std::size_t begin = is_stacked(name) ? layer * gradient.size() : 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) all[begin + i] = gradient[i];
  }

  [[nodiscard]] cpu::LayerNorm norm(const std::string& name, const Tensor& x,
                                    std::size_t layer) const {
    return cpu::layer_norm(x, parameter(name + ".weight", layer), parameter(name + ".bias", layer),
                           kEpsilon);
  }
  /// Adds to the residual's gradient.
  Tensor norm_backward(const std::string& name, const Tensor& dy, const Tensor& x,
                       const cpu::LayerNorm& forward, std::size_t layer, Tensor dresidual) {
    const auto gradient =
        cpu::layer_norm_backward(dy, x, forward, parameter(name + ".weight", layer));
    keep_gradient(name + ".weight", layer, round(gradient.dweight));
    keep_gradient(name + ".bias", layer, round(gradient.dbias));
    return round(add(std::move(dresidual), gradient.dx));
  }

  [[nodiscard]] Tensor linear(const std::string& name, const Tensor& x, std::size_t layer) const {
    Tensor y = cpu::linear(x, parameter(name + ".weight", layer), rows_);
    cpu::bias_add(y, parameter(name + ".bias", layer));
    return y;
  }
  /// Not rounded: a GELU's gradient may follow in the same kernel.
  Tensor linear_backward(const std::string& name, const Tensor& dy, const Tensor& x,
                         std::size_t layer) {
    keep_gradient(name + ".bias", layer, round(cpu::bias_gradient(dy, dy.size() / rows_)));
    keep_gradient(name + ".weight", layer, round(cpu::linear_weight_gradient(dy, x, rows_)));
    return cpu::linear_data_gradient(dy, parameter(name + ".weight", layer), rows_);
  }

  Tensor forward_block(std::size_t i, Tensor x) {
    Block& block = blocks_[i];
    block.residual_in = std::move(x);
    block.ln_1 = norm("ln_1", block.residual_in, i);
    block.normed_1 = round(block.ln_1.y);
    block.attention_out = attend(block, round(linear("attn.c_attn", block.normed_1, i)));
    block.middle =
        round(add(round(linear("attn.c_proj", block.attention_out, i)), block.residual_in));
    block.ln_2 = norm("ln_2", block.middle, i);
    block.normed_2 = round(block.ln_2.y);
    Tensor pre_gelu = linear("mlp.c_fc", block.normed_2, i);
    block.pre_gelu = round(pre_gelu);
    if (c_.gelu_fusion == 0) pre_gelu = block.pre_gelu;
    for (double& value : pre_gelu) value = cpu::gelu_tanh(value);
    block.gelu = round(std::move(pre_gelu));
    return round(add(round(linear("mlp.c_proj", block.gelu, i)), block.middle));
  }

  Tensor attend(Block& block, const Tensor& qkv) const {
    const Tensor heads = cpu::split_heads(qkv, 3, sizes_);
    Tensor out;
    for (std::size_t m = 0; m < matrices_; ++m) {
      block.q.push_back(slice(heads, m, head_volume_));
      block.k.push_back(slice(heads, matrices_ + m, head_volume_));
      block.v.push_back(slice(heads, 2 * matrices_ + m, head_volume_));
      const Tensor scores = round(cpu::linear(block.q[m], block.k[m], length_));
      block.probs.push_back(round(cpu::softmax(scores, length_, scale(), true)));
      append(out, round(cpu::linear_data_gradient(block.probs[m], block.v[m], length_)));
    }
    return cpu::merge_heads(out, 1, sizes_);
  }

  [[nodiscard]] Tensor attend_backward(const Block& block, const Tensor& dout) const {
    const Tensor dout_heads = cpu::split_heads(dout, 1, sizes_);
    Tensor dq, dk, dv;
    for (std::size_t m = 0; m < matrices_; ++m) {
      const Tensor d = slice(dout_heads, m, head_volume_);
      const Tensor dprobs = round(cpu::linear(d, block.v[m], length_));
      append(dv, round(cpu::linear_weight_gradient(block.probs[m], d, length_)));
      const Tensor dscores =
          round(cpu::softmax_backward(dprobs, block.probs[m], length_, scale(), true));
      append(dq, round(cpu::linear_data_gradient(dscores, block.k[m], length_)));
      append(dk, round(cpu::linear_weight_gradient(dscores, block.q[m], length_)));
    }
    append(dq, dk);
    append(dq, dv);
    return cpu::merge_heads(dq, 3, sizes_);
  }

  Tensor backward_block(std::size_t i, const Tensor& dout) {
    const Block& block = blocks_[i];
    Tensor dgelu = linear_backward("mlp.c_proj", dout, block.gelu, i);
    if (c_.gelu_fusion < 2) dgelu = round(std::move(dgelu));
    for (std::size_t j = 0; j < dgelu.size(); ++j) {
      dgelu[j] *= cpu::gelu_tanh_derivative(block.pre_gelu[j]);
    }
    dgelu = round(std::move(dgelu));
    const Tensor dnormed_2 = round(linear_backward("mlp.c_fc", dgelu, block.normed_2, i));
    const Tensor dmiddle = norm_backward("ln_2", dnormed_2, block.middle, block.ln_2, i, dout);

    const Tensor dattention =
        round(linear_backward("attn.c_proj", dmiddle, block.attention_out, i));
    const Tensor dqkv = attend_backward(block, dattention);
    const Tensor dnormed_1 = round(linear_backward("attn.c_attn", dqkv, block.normed_1, i));
    return norm_backward("ln_1", dnormed_1, block.residual_in, block.ln_1, i, dmiddle);
  }

  [[nodiscard]] double scale() const { return 1 / std::sqrt(static_cast<double>(c_.head_size())); }

  const GptConfig& c_;
  const HostTokens& tokens_;
  const NamedTensors& p_;
  bool rounds_;
  std::size_t rows_, width_;
  HeadSizes sizes_;
  std::size_t length_, matrices_, head_volume_;
  std::vector<Block> blocks_;
  GptReferenceStep step_{};
};

}  // namespace

GptReferenceStep gpt_reference_step(const GptConfig& config, const HostTokens& tokens,
                                    const NamedTensors& parameters, Bfloat16Storage storage) {
  return Reference(config, tokens, parameters, storage).run();
}

}  // namespace ref
