// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See truth.hpp. Ops are in the order in which a step launches them. All tensors are fp16 unless
// noted.
#include "bert/truth.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "transformer/ledger.hpp"

namespace ref {
namespace ledger {
namespace {

const LedgerShape kScalar = {1};

class BertLedger : TransformerLedger {
 public:
  BertLedger(const BertConfig& config, Ledger& ledger)
      : TransformerLedger(config, ledger), c_(config) {}

  void write() {
    mask();
    embeddings();
    for (int i = 0; i < c_.layers; ++i) block(i);
    heads();
    losses();
    {
      const auto layer = out_.layer("Optimizer");
      for (const std::int64_t rows : {c_.vocabulary, c_.max_positions, c_.segments}) {
        out_.add(fill("zero", Pass::update, {{rows, c_.hidden}, kHalf}));
      }
    }
    losses_backward();
    heads_backward();
    for (int i = c_.layers; i-- > 0;) block_backward(i);
    embeddings_backward();
    update();
  }

 private:
  // ---- Shapes

  [[nodiscard]] LedgerShape sequences() const { return {c_.batch}; }
  [[nodiscard]] LedgerShape pooled() const { return {c_.batch, c_.hidden}; }
  [[nodiscard]] LedgerShape mask_shape() const { return {c_.batch, 1, 1, c_.length}; }
  [[nodiscard]] LedgerShape by_token() const {
    return {c_.batch, c_.length, c_.heads, c_.head_size()};
  }
  [[nodiscard]] Dense pooler() const { return {sequences(), c_.hidden, c_.hidden}; }
  [[nodiscard]] Dense classifier() const { return {sequences(), c_.hidden, 2}; }
  [[nodiscard]] Embedding table(std::int64_t rows) const { return {tokens(), rows, c_.hidden}; }

  [[nodiscard]] static LedgerOp half_sum(Pass pass, const LedgerShape& shape) {
    return add(pass, {{shape, kHalf, 2}}, {{shape, kHalf}});
  }
  [[nodiscard]] static LedgerOp contiguous(Pass pass, const LedgerShape& shape) {
    return layout("contiguous", pass, {shape, kHalf}, {shape, kHalf});
  }
  /// A bias as an op of two tensors, itself first.
  [[nodiscard]] static LedgerOp added_bias(const LedgerShape& y) {
    return add(Pass::forward, {{{y.back()}, kHalf}, {y, kHalf}}, {{y, kHalf}});
  }

  // ---- Forward

  void mask() {
    const Operand mask = {mask_shape(), kHalf};
    out_.add("Attention_Mask",
             {cast(Pass::forward, mask.shape, kInt64, kHalf), rsub(Pass::forward, {mask}, {mask}),
              mul(Pass::forward, {mask}, {mask})});
  }

  void embeddings() {
    const auto layer = out_.layer("Embedding");
    out_.add(fill("arange", Pass::forward, {{c_.length}, kInt32}));
    out_.add("Token", {embedding(table(c_.vocabulary))});
    out_.add("Position", {embedding(table(c_.max_positions))});
    out_.add("Segment", {embedding(table(c_.segments))});
    out_.add("Total", {half_sum(Pass::forward, hidden()), half_sum(Pass::forward, hidden())});
    out_.add("LayerNorm", {layer_norm(norm())});
    out_.add(dropout(hidden()));
  }

  void block(int i) {
    const auto layer = out_.layer("Enc_" + std::to_string(i));
    {
      const auto attention_layer = out_.layer("Attn");
      attention();
      ending("Output", {linear(square())});
    }
    ending("FFN", {linear(dense(c_.hidden, c_.intermediate)),
                   gelu(row(c_.intermediate), kHalf, {.bias = true}),
                   linear(dense(c_.intermediate, c_.hidden))});
  }

  /// A half of a block, whose last product is followed by bias, dropout, residual and norm.
  void ending(std::string_view name, const std::vector<LedgerOp>& products) {
    const auto layer = out_.layer(name);
    for (const LedgerOp& op : products) out_.add(op);
    out_.add(bias(tokens(), c_.hidden));
    out_.add(dropout(hidden()));
    out_.add(half_sum(Pass::forward, hidden()));
    out_.add("LayerNorm", {layer_norm(norm())});
  }

  void attention() {
    {
      const auto layer = out_.layer("SelfAttn");
      for (const char* name : {"Q_Proj", "K_Proj", "V_Proj"}) {
        out_.add(name, {linear(square()), bias(tokens(), c_.hidden)});
      }
      out_.add("Q.K", {contiguous(Pass::forward, by_head()), contiguous(Pass::forward, by_head()),
                       score_product(Pass::forward)});
      out_.add("Scale", {div(Pass::forward, {{scores(), kHalf}}, {{scores(), kHalf}})});
      out_.add("Mask", {add(Pass::forward, {{scores(), kHalf}, {mask_shape(), kHalf}},
                            {{scores(), kHalf}})});
      out_.add("SoftMax", {softmax(scores())});
      out_.add("Dropout", {dropout(scores())});
      out_.add("QKV", {contiguous(Pass::forward, by_head()), value_product(Pass::forward)});
    }
    out_.add("SelfAttention", {contiguous(Pass::forward, by_token())});
  }

  void heads() {
    out_.add("NSP", {linear(pooler()), added_bias(pooled()), tanh(pooled())});
    {
      const auto layer = out_.layer("Masked_LM");
      out_.add(linear(square()));
      out_.add(gelu(hidden(), kHalf, {.bias = true}));
      out_.add("LayerNorm", {layer_norm(norm())});
      out_.add(linear(dense(c_.hidden, c_.vocabulary)));
      out_.add(added_bias(row(c_.vocabulary)));
    }
    out_.add("NSP", {linear(classifier()), bias(sequences(), 2)});
  }

  [[nodiscard]] CrossEntropy words_loss() const {
    return {{c_.tokens()}, c_.vocabulary, kHalf, kInt32, true, kHalf};
  }
  [[nodiscard]] CrossEntropy follows_loss() const {
    return {sequences(), 2, kHalf, kInt32, true, kHalf};
  }

  void losses() {
    out_.add("Masked_LM_Loss", {cross_entropy(words_loss())});
    out_.add("Next_Sent_Loss", {cross_entropy(follows_loss())});
    out_.add("Total_Loss",
             {half_sum(Pass::forward, kScalar), cast(Pass::forward, kScalar, kHalf, kFloat),
              mul(Pass::forward, {{kScalar, kFloat, 2}}, {{kScalar}})});
  }

  // ---- Backward

  void losses_backward() {
    out_.add("Total_Loss", {mul(Pass::backward, {{kScalar, kFloat, 2}}, {{kScalar}}),
                            cast(Pass::backward, kScalar, kFloat, kHalf)});
    out_.add("Next_Sent_Loss", {cross_entropy_backward(follows_loss())});
    out_.add("Masked_LM_Loss", {cross_entropy_backward(words_loss())});
  }

  void heads_backward() {
    out_.add("NSP", {linear_data_gradient(classifier()), linear_weight_gradient(classifier()),
                     bias_gradient(sequences(), 2)});
    {
      const auto layer = out_.layer("Masked_LM");
      projection_backward(dense(c_.hidden, c_.vocabulary));
      out_.add("LayerNorm", {layer_norm_backward(norm())});
      out_.add(gelu_backward(hidden(), kHalf, {.bias = true, .dbias = true}));
      product_backward(square());
    }
    const auto layer = out_.layer("NSP");
    out_.add(tanh_backward(pooled()));
    projection_backward(pooler());
    out_.add(fill("zero", Pass::backward, {hidden(), kHalf}));
    out_.add(copy(Pass::backward, {pooled(), kHalf}));
    out_.add(half_sum(Pass::backward, hidden()));
  }

  void product_backward(const Dense& dense) {
    out_.add(linear_data_gradient(dense));
    out_.add(linear_weight_gradient(dense));
  }
  void projection_backward(const Dense& dense) {
    out_.add(bias_gradient(dense.tokens, dense.out));
    product_backward(dense);
  }

  void block_backward(int i) {
    const auto layer = out_.layer("Enc_" + std::to_string(i));
    {
      const auto ffn = out_.layer("FFN");
      out_.add("LayerNorm", {layer_norm_backward(norm())});
      out_.add(dropout_backward(hidden()));
      projection_backward(dense(c_.intermediate, c_.hidden));
      out_.add(gelu_backward(row(c_.intermediate), kHalf, {.bias = true, .dbias = true}));
      product_backward(dense(c_.hidden, c_.intermediate));
      out_.add(half_sum(Pass::backward, hidden()));
    }
    const auto attention_layer = out_.layer("Attn");
    {
      const auto output = out_.layer("Output");
      out_.add("LayerNorm", {layer_norm_backward(norm())});
      out_.add(dropout_backward(hidden()));
      projection_backward(square());
    }
    attention_backward();
  }

  void attention_backward() {
    out_.add("SelfAttention", {contiguous(Pass::backward, by_head())});
    {
      const auto layer = out_.layer("SelfAttn");
      out_.add("QKV", {score_product(Pass::backward), value_product(Pass::backward, true)});
      out_.add("Dropout", {dropout_backward(scores())});
      out_.add("SoftMax", {softmax_backward(scores())});
      out_.add("Scale", {div(Pass::backward, {{scores(), kHalf}}, {{scores(), kHalf}})});
      out_.add("Q.K", {value_product(Pass::backward), value_product(Pass::backward, true)});
    }
    input_projection_backward("QKV", "V_Proj");
    input_projection_backward("Q.K", "K_Proj");
    input_projection_backward("Q.K", "Q_Proj");
  }

  /// The heads' gradient of a projection's result comes from the product `from`.
  void input_projection_backward(std::string_view from, std::string_view name) {
    {
      const auto layer = out_.layer("SelfAttn");
      out_.add(from, {contiguous(Pass::backward, by_token())});
      const auto projection = out_.layer(name);
      projection_backward(square());
    }
    out_.add(half_sum(Pass::backward, hidden()));
  }

  void embeddings_backward() {
    const auto layer = out_.layer("Embedding");
    out_.add(dropout_backward(hidden()));
    out_.add("LayerNorm", {layer_norm_backward(norm())});
    out_.add("Segment", {embedding_backward(table(c_.segments))});
    out_.add("Position", {embedding_backward(table(c_.max_positions))});
    out_.add("Token", {embedding_backward(table(c_.vocabulary)),
                       half_sum(Pass::backward, {c_.vocabulary, c_.hidden})});
  }

  // ---- Optimizer

  void update() {
    const auto layer = out_.layer("Optimizer");
    const Operands gradients = equal_shapes_together(parameters());
    Operands half_gradients = gradients;
    for (Operand& gradient : half_gradients) gradient.size = kHalf;
    Operands read;
    for (int list = 0; list < 4; ++list) {  // parameters, gradients, both moments
      read.insert(read.end(), gradients.begin(), gradients.end());
    }
    Operands written = read;
    written.insert(written.end(), half_gradients.begin(), half_gradients.end());  // the copies
    const Operand flag = {kScalar, kInt32};
    out_.add(fill("zero", Pass::update, flag));
    out_.add(multi_tensor_scale(flag, half_gradients, gradients));
    out_.add(multi_tensor_l2norm(gradients, {kScalar, kFloat}));
    out_.add(clip_grad_norm());
    out_.add(lamb(elements(gradients), read, written));
    out_.add(mul(Pass::update, {{kScalar, kFloat, 2}}, {{kScalar}}));
  }

  /// Matrices in the order of the forward pass, then vectors.
  [[nodiscard]] std::vector<LedgerShape> parameters() const {
    const std::int64_t h = c_.hidden;
    std::vector<LedgerShape> all = {{c_.vocabulary, h}, {c_.max_positions, h}, {c_.segments, h}};
    for (int i = 0; i < c_.layers; ++i) {
      all.insert(all.end(), {{h, h}, {h, h}, {h, h}, {h, h}});
      all.insert(all.end(), {{c_.intermediate, h}, {h, c_.intermediate}});
    }
    all.insert(all.end(), {{h, h}, {h, h}, {2, h}});
    all.insert(all.end(), 2, {h});  // the embeddings' norm
    for (int i = 0; i < c_.layers; ++i) {
      all.insert(all.end(), 6, {h});  // projections, the attention's output and norm
      all.push_back({c_.intermediate});
      all.insert(all.end(), 3, {h});  // the end of the feed-forward network
    }
    all.insert(all.end(), 4, {h});  // pooler, transform and its norm
    all.push_back({c_.vocabulary});
    all.push_back({2});
    return all;
  }

  /// One operand per shape, at its first occurrence, with its number of tensors.
  static Operands equal_shapes_together(const std::vector<LedgerShape>& shapes) {
    Operands together;
    for (const LedgerShape& shape : shapes) {
      const auto known =
          std::find_if(together.begin(), together.end(),
                       [&](const Operand& operand) { return operand.shape == shape; });
      if (known == together.end()) {
        together.push_back({shape, kFloat, 1});
      } else {
        ++known->count;
      }
    }
    return together;
  }

  const BertConfig& c_;
};

}  // namespace
}  // namespace ledger

Ledger bert_ledger(const BertConfig& c) {
  Ledger ledger("bert");
  ledger.note_size("batch", c.batch);
  ledger.note_size("length", c.length);
  ledger.note_size("hidden", c.hidden);
  ledger.note_size("heads", c.heads);
  ledger.note_size("intermediate", c.intermediate);
  ledger.note_size("layers", c.layers);
  ledger.note_size("vocabulary", c.vocabulary);
  ledger.note_size("max_positions", c.max_positions);
  // P are the weights by which every token is multiplied: those of the blocks, of the masked words'
  // transform and of their decoder, which is the word embedding table. Each is used three times,
  // for a multiplication and an addition. The estimate leaves out attention's products of
  // activations, the next-sentence layers, which process one token per sequence, and everything
  // that is not a matrix product.
  const std::int64_t block = 4LL * c.hidden * c.hidden + 2LL * c.hidden * c.intermediate;
  const std::int64_t weights =
      c.layers * block + std::int64_t{c.hidden} * c.hidden + std::int64_t{c.vocabulary} * c.hidden;
  ledger.set_estimate(
      {"6*P*T, P of the matrices that every token meets", 6 * weights * c.tokens()});
  ledger::BertLedger(c, ledger).write();
  return ledger;
}

}  // namespace ref
