// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See ledger.hpp. Ops are in the order in which a step launches them.
#include "gpt/ledger.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "common/ledger_ops.hpp"
#include "common/ledger_writer.hpp"

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
  const std::int64_t width = c.channels;
  std::vector<Weight> all = {{{c.padded_vocab, width}, true}, {{c.tokens, width}, true}};
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

class GptLedger {
 public:
  GptLedger(const GptConfig& config, Ledger& ledger)
      : c_(config),
        width_(config.channels),
        tokens_{config.batch, config.tokens},
        scores_{config.batch, config.heads, config.tokens, config.tokens},
        heads_{{config.batch, config.heads, config.tokens, config.channels / config.heads}, kHalf},
        norm_{tokens_, width_, kHalf},
        out_(ledger) {}

  void write() {
    forward();
    backward();
    update();
  }

 private:
  void forward() {
    {
      const auto layer = out_.layer("wte_wpe");
      out_.add(embedding(words()));
    }
    {
      const auto block = out_.layer("h.0");
      const auto layer = out_.layer("ln_1");
      out_.add(layer_norm(norm_));
    }
    for (int i = 0; i < c_.layers; ++i) forward_block(i);
    const auto layer = out_.layer("lm_head");
    out_.add(linear(dense(width_, c_.padded_vocab)));
  }

  void forward_block(int i) {
    {
      const auto block = out_.layer(block_name(i));
      forward_attention();
      {
        const auto layer = out_.layer("ln_2");
        out_.add(add_layer_norm(norm_));
      }
      forward_mlp();
    }
    if (i + 1 < c_.layers) {
      const auto block = out_.layer(block_name(i + 1));
      const auto layer = out_.layer("ln_1");
      out_.add(add_layer_norm(norm_));
    } else {
      const auto layer = out_.layer("ln_f");
      out_.add(add_layer_norm(norm_));
    }
  }

  void forward_attention() {
    const auto attention = out_.layer("attn");
    {
      const auto layer = out_.layer("c_attn");
      out_.add(linear(dense(width_, 3 * width_), {.bias = true}));
    }
    out_.add(op("permute", Pass::forward, {row(3 * width_)}, {heads_, heads_, heads_}, 0));
    out_.add(bmm(scores_product(false, true), Pass::forward));
    out_.add(softmax(scores_, kHalf, {.scale = true, .causal = true}));
    out_.add(bmm(values_product(false), Pass::forward));
    out_.add(op("permute", Pass::forward, {heads_}, {row(width_)}, 0));
    const auto layer = out_.layer("c_proj");
    out_.add(linear(dense(width_, width_), {.bias = true}));
  }

  void forward_mlp() {
    const auto mlp = out_.layer("mlp");
    {
      const bool fused = c_.gelu_fusion >= 1;
      const auto layer = out_.layer("c_fc");
      out_.add(linear(dense(width_, 4 * width_), {.bias = true, .gelu = fused, .aux = fused}));
    }
    if (c_.gelu_fusion == 0) add_gelu();
    const auto layer = out_.layer("c_proj");
    out_.add(linear(dense(4 * width_, width_), {.bias = true}));
  }

  void backward() {
    {
      const auto layer = out_.layer("Optimizer");
      out_.add(fill("zero", Pass::update, {{parameter_count(c_)}, kHalf}));
    }
    {
      const auto layer = out_.layer("loss");
      out_.add(cross_entropy_fused({{c_.rows()}, c_.padded_vocab, kHalf, kInt32, false}));
    }
    {
      const auto layer = out_.layer("lm_head");
      out_.add(linear_data_gradient(dense(width_, c_.padded_vocab)));
      out_.add(linear_weight_gradient(dense(width_, c_.padded_vocab), true));
    }
    {
      const auto layer = out_.layer("ln_f");
      out_.add(fill("zero", Pass::backward, row(width_)));
      out_.add(layer_norm_backward(norm_, kAccumulate));
    }
    for (int i = c_.layers - 1; i >= 0; --i) {
      const auto block = out_.layer(block_name(i));
      backward_mlp();
      backward_attention();
    }
    {
      const auto layer = out_.layer("wte_wpe");
      out_.add(sum(Pass::backward, {row(width_)}, {{c_.tokens, width_}, kHalf}));
      out_.add(embedding_backward(words()));
    }
    {
      const auto layer = out_.layer("loss");
      out_.add(op("mean", Pass::forward, {{{c_.rows()}, kFloat}}, {{{1}, kFloat}}, c_.rows() + 1));
    }
    if (c_.gpus > 1) reduce();
  }

  void backward_mlp() {
    {
      const auto mlp = out_.layer("mlp");
      if (c_.gelu_fusion == 0 && c_.recompute) add_gelu();
      const Dense c_proj = dense(4 * width_, width_);
      {
        const auto layer = out_.layer("c_proj");
        out_.add(bias_gradient(tokens_, width_, kHalf, true));
        out_.add(linear_data_gradient(c_proj, c_.gelu_fusion == 2));
      }
      if (c_.gelu_fusion < 2) {
        const auto layer = out_.layer("gelu");
        out_.add(gelu_backward(join(tokens_, 4 * width_), kHalf, {.tanh_form = true}));
      }
      {
        const auto layer = out_.layer("c_proj");
        out_.add(linear_weight_gradient(c_proj, true));
      }
      const auto layer = out_.layer("c_fc");
      add_gradients(dense(width_, 4 * width_));
    }
    const auto layer = out_.layer("ln_2");
    out_.add(layer_norm_backward(norm_, kAccumulate));
  }

  void backward_attention() {
    {
      const auto attention = out_.layer("attn");
      {
        const auto layer = out_.layer("c_proj");
        add_gradients(dense(width_, width_));
      }
      out_.add(op("permute", Pass::backward, {row(width_)}, {heads_}, 0));
      out_.add(bmm(scores_product(false, true), Pass::backward));  // of probabilities
      out_.add(bmm(values_product(true), Pass::backward));         // of values
      out_.add(softmax_backward(scores_, kHalf, {.scale = true, .causal = true}));
      out_.add(bmm(values_product(false), Pass::backward));  // of queries
      out_.add(bmm(values_product(true), Pass::backward));   // of keys
      out_.add(op("permute", Pass::backward, {heads_, heads_, heads_}, {row(3 * width_)}, 0));
      const auto layer = out_.layer("c_attn");
      add_gradients(dense(width_, 3 * width_));
    }
    const auto layer = out_.layer("ln_1");
    out_.add(layer_norm_backward(norm_, kAccumulate));
  }

  void reduce() {
    const auto layer = out_.layer("Optimizer");
    out_.add(all_reduce(Pass::update, {{{1}, kFloat}}, true));
    out_.add(all_reduce(Pass::update, {{{parameter_count(c_)}, kHalf}}, true));
  }

  void update() {
    const auto layer = out_.layer("Optimizer");
    out_.add(norm(Pass::update, {{{parameter_count(c_)}, kHalf}}, {{1}, kFloat}));
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

  void add_gelu() {
    const auto layer = out_.layer("gelu");
    out_.add(gelu(join(tokens_, 4 * width_), kHalf, {.tanh_form = true}));
  }
  void add_gradients(const Dense& layer) {
    out_.add(bias_gradient(tokens_, layer.out, kHalf, true));
    out_.add(linear_data_gradient(layer));
    out_.add(linear_weight_gradient(layer, true));
  }

  static constexpr NormAccumulate kAccumulate = {.dx = true, .parameters = true};

  static std::string block_name(int i) { return "h." + std::to_string(i); }
  [[nodiscard]] Dense dense(std::int64_t in, std::int64_t out) const {
    return {tokens_, in, out, kHalf};
  }
  [[nodiscard]] Operand row(std::int64_t width) const { return {join(tokens_, width), kHalf}; }
  [[nodiscard]] Embedding words() const {
    return {tokens_, c_.padded_vocab, width_, kHalf, kInt32, c_.tokens};
  }
  /// (tokens, tokens) of two tensors of heads: q k^T, and dout v^T.
  [[nodiscard]] Batched scores_product(bool trans_a, bool trans_b) const {
    return {{c_.batch, c_.heads}, c_.tokens, c_.tokens, width_ / c_.heads, trans_a, trans_b, kHalf};
  }
  /// (tokens, head size) of such a matrix, transposed or not, and heads.
  [[nodiscard]] Batched values_product(bool trans_a) const {
    return {{c_.batch, c_.heads}, c_.tokens, width_ / c_.heads, c_.tokens, trans_a, false, kHalf};
  }

  const GptConfig& c_;
  std::int64_t width_;
  LedgerShape tokens_;  // (batch, tokens)
  LedgerShape scores_;
  Operand heads_;
  Norm norm_;
  LedgerWriter out_;
};

// The weights of matrix products, of which each token costs 2 FLOPs forward and 4 backward; and the
// attention's products, 4 * width FLOPs forward for each pair of tokens.
LedgerEstimate estimate(const GptConfig& c) {
  const std::int64_t width = c.channels;
  const std::int64_t weights = c.layers * 12 * width * width + c.padded_vocab * width;
  const std::int64_t attention = 12 * c.layers * width * c.tokens;
  return {
      "6*P*T + 12*L*C*S*T; P weights of matrix products, T tokens of the batch, L layers, C "
      "channels, S tokens of a sequence",
      (6 * weights + attention) * c.rows()};
}

}  // namespace
}  // namespace ledger

Ledger gpt_ledger(const GptConfig& c) {
  Ledger ledger("gpt");
  ledger.note_size("batch", c.batch);
  ledger.note_size("seq", c.tokens);
  ledger.note_size("layers", c.layers);
  ledger.note_size("channels", c.channels);
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
