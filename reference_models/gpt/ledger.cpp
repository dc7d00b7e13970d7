// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See truth.hpp. Ops are in the order in which a step launches them.
#include "gpt/truth.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "transformer/ledger.hpp"

namespace ref {
namespace ledger {
namespace {

/// A parameter tensor; those of blocks are stacked, the layer first.
struct Weight {
  LedgerShape shape;
  bool decays;
};

// In the order in which they are updated.
std::vector<Weight> weights(const GptConfig& c) {
  const std::int64_t layers = c.layers;
  const std::int64_t width = c.hidden;
  std::vector<Weight> all = {{{c.padded_vocab, width}, true}, {{c.length, width}, true}};
  const auto norm = [&] { all.insert(all.end(), 2, {{layers, width}, false}); };
  const auto dense = [&](std::int64_t out, std::int64_t in) {
    all.push_back({{layers, out, in}, true});
    all.push_back({{layers, out}, false});
  };
  norm();
  dense(3 * width, width);
  dense(width, width);
  norm();
  dense(4 * width, width);
  dense(width, 4 * width);
  all.insert(all.end(), 2, {{width}, false});
  return all;
}

std::int64_t parameter_count(const GptConfig& c) {
  std::int64_t count = 0;
  for (const Weight& weight : weights(c)) count += elements(weight.shape);
  return count;
}

class GptLedger : TransformerLedger {
 public:
  GptLedger(const GptConfig& config, Ledger& ledger)
      : TransformerLedger(config, ledger), c_(config) {}

  void write() {
    forward();
    backward();
    update();
  }

 private:
  void forward() {
    out_.add("wte_wpe", {embedding(words())});
    out_.add("h.0:ln_1", {layer_norm(norm())});
    for (int i = 0; i < c_.layers; ++i) forward_block(i);
    out_.add("lm_head", {linear(lm_head())});
  }

  void forward_block(int i) {
    {
      const auto block = out_.layer(block_name(i));
      forward_attention();
      out_.add("ln_2", {add_layer_norm(norm())});
      forward_mlp();
    }
    out_.add(i + 1 < c_.layers ? block_name(i + 1) + ":ln_1" : "ln_f", {add_layer_norm(norm())});
  }

  void forward_attention() {
    const auto attention = out_.layer("attn");
    out_.add("c_attn", {linear(c_attn(), {.bias = true})});
    out_.add(op("permute", Pass::forward, {qkv()}, {heads(), heads(), heads()}, 0));
    out_.add(score_product(Pass::forward));
    out_.add(softmax(scores(), kHalf, kCausal));
    out_.add(value_product(Pass::forward));
    out_.add(layout("permute", Pass::forward, heads(), residual()));
    out_.add("c_proj", {linear(square(), {.bias = true})});
  }

  void forward_mlp() {
    const auto mlp = out_.layer("mlp");
    const bool fused = c_.gelu_fusion >= 1;
    out_.add("c_fc", {linear(c_fc(), {.bias = true, .gelu = fused, .aux = fused})});
    if (!fused) out_.add("gelu", {gelu(wide(), kHalf, kTanh)});
    out_.add("c_proj", {linear(c_proj(), {.bias = true})});
  }

  void backward() {
    out_.add("Optimizer", {fill("zero", Pass::update, {{parameter_count(c_)}, kHalf})});
    out_.add("loss", {cross_entropy_fused({{c_.tokens()}, c_.padded_vocab, kHalf, kInt32, false})});
    out_.add("lm_head", {linear_data_gradient(lm_head()), linear_weight_gradient(lm_head(), true)});
    out_.add("ln_f", {fill("zero", Pass::backward, residual()), norm_gradient()});
    for (int i = c_.layers - 1; i >= 0; --i) {
      const auto block = out_.layer(block_name(i));
      backward_mlp();
      out_.add("ln_2", {norm_gradient()});
      backward_attention();
      out_.add("ln_1", {norm_gradient()});
    }
    out_.add("wte_wpe", {sum(Pass::backward, {residual()}, {{c_.length, c_.hidden}, kHalf}),
                         embedding_backward(words())});
    out_.add("loss", {op("mean", Pass::forward, {{{c_.tokens()}, kFloat}}, {{{1}, kFloat}},
                         c_.tokens() + 1)});
    if (c_.gpus == 1) return;
    out_.add("Optimizer", {all_reduce(Pass::update, {{{1}, kFloat}}, true),
                           all_reduce(Pass::update, {{{parameter_count(c_)}, kHalf}}, true)});
  }

  void backward_mlp() {
    const auto mlp = out_.layer("mlp");
    if (c_.gelu_fusion == 0 && c_.recompute) out_.add("gelu", {gelu(wide(), kHalf, kTanh)});
    out_.add("c_proj", {bias_gradient(tokens(), c_.hidden, kHalf, true),
                        linear_data_gradient(c_proj(), c_.gelu_fusion == 2)});
    if (c_.gelu_fusion < 2) out_.add("gelu", {gelu_backward(wide(), kHalf, kTanh)});
    out_.add("c_proj", {linear_weight_gradient(c_proj(), true)});
    out_.add("c_fc", gradients(c_fc()));
  }

  void backward_attention() {
    const auto attention = out_.layer("attn");
    out_.add("c_proj", gradients(square()));
    out_.add(layout("permute", Pass::backward, residual(), heads()));
    out_.add(score_product(Pass::backward));        // of probabilities
    out_.add(value_product(Pass::backward, true));  // of values
    out_.add(softmax_backward(scores(), kHalf, kCausal));
    out_.add(value_product(Pass::backward));        // of queries
    out_.add(value_product(Pass::backward, true));  // of keys
    out_.add(op("permute", Pass::backward, {heads(), heads(), heads()}, {qkv()}, 0));
    out_.add("c_attn", gradients(c_attn()));
  }

  void update() {
    const auto layer = out_.layer("Optimizer");
    out_.add(ledger::norm(Pass::update, {{{parameter_count(c_)}, kHalf}}, {{1}, kFloat}));
    out_.add(clip_grad_norm());
    for (const Weight& weight : weights(c_)) {
      const std::int64_t count = elements(weight.shape);
      const Operand full = {weight.shape, kFloat};  // master and moments
      const Operand half = {weight.shape, kHalf};   // gradient; the copy that layers use
      const bool decays = weight.decays && c_.weight_decay > 0;
      out_.add(op("adamw", Pass::update, {full, half, full, full}, {full, full, full, half},
                  (decays ? 14 : 12) * count));
    }
  }

  static constexpr Softmax kCausal = {.scale = true, .causal = true};
  static constexpr Gelu kTanh = {.tanh_form = true};

  static std::string block_name(int i) { return "h." + std::to_string(i); }
  [[nodiscard]] LedgerShape wide() const { return row(4 * c_.hidden); }
  [[nodiscard]] Operand residual() const { return {hidden(), kHalf}; }
  [[nodiscard]] Operand qkv() const { return {row(3 * c_.hidden), kHalf}; }
  [[nodiscard]] Operand heads() const { return {by_head(), kHalf}; }
  [[nodiscard]] Dense c_attn() const { return dense(c_.hidden, 3 * c_.hidden); }
  [[nodiscard]] Dense c_fc() const { return dense(c_.hidden, 4 * c_.hidden); }
  [[nodiscard]] Dense c_proj() const { return dense(4 * c_.hidden, c_.hidden); }
  [[nodiscard]] Dense lm_head() const { return dense(c_.hidden, c_.padded_vocab); }
  [[nodiscard]] Embedding words() const {
    return {tokens(), c_.padded_vocab, c_.hidden, kHalf, kInt32, c_.length};
  }
  [[nodiscard]] LedgerOp norm_gradient() const {
    return layer_norm_backward(norm(), {.dx = true, .parameters = true});
  }
  [[nodiscard]] std::vector<LedgerOp> gradients(const Dense& layer) const {
    return {bias_gradient(tokens(), layer.out, kHalf, true), linear_data_gradient(layer),
            linear_weight_gradient(layer, true)};
  }

  const GptConfig& c_;
};

// The weights of matrix products, of which each token costs 2 FLOPs forward and 4 backward; and the
// attention's products, 4 * width FLOPs forward for each pair of tokens.
LedgerEstimate estimate(const GptConfig& c) {
  const std::int64_t width = c.hidden;
  const std::int64_t weights = c.layers * 12 * width * width + c.padded_vocab * width;
  const std::int64_t attention = 12 * c.layers * width * c.length;
  return {
      "6*P*T + 12*L*C*S*T; P weights of matrix products, T tokens of the batch, L layers, C "
      "channels, S tokens of a sequence",
      (6 * weights + attention) * c.tokens()};
}

}  // namespace
}  // namespace ledger

Ledger gpt_ledger(const GptConfig& c) {
  Ledger ledger("gpt");
  ledger.note_size("batch", c.batch);
  ledger.note_size("seq", c.length);
  ledger.note_size("layers", c.layers);
  ledger.note_size("channels", c.hidden);
  ledger.note_size("heads", c.heads);
  ledger.note_size("vocab", c.vocab);
  ledger.note_size("padded_vocab", c.padded_vocab);
  ledger.note_size("gelu_fusion", c.gelu_fusion);
  ledger.note_size("recompute", c.recompute ? 1 : 0);
  ledger.note_size("gpus", c.gpus);
  ledger.note_size("parameters", ledger::parameter_count(c));
  ledger.set_estimate(ledger::estimate(c));
  ledger::GptLedger(c, ledger).write();
  return ledger;
}

}  // namespace ref
