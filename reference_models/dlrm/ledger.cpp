// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See truth.hpp. Ops are in the order in which a step launches them.
#include "dlrm/truth.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "common/ledger_ops.hpp"
#include "common/ledger_writer.hpp"

namespace ref {
namespace ledger {
namespace {

const LedgerShape kScalar = {1};

/// A trainable tensor; its gradient has the type in which layers use it.
struct Weight {
  LedgerShape shape;
  std::int64_t size;
};

class DlrmLedger {
 public:
  DlrmLedger(const DlrmConfig& config, Ledger& ledger) : c_(config), out_(ledger) {}

  void write() {
    forward();
    for_each_weight([&](const Weight& w) {
      out_.add(fill("zero", Pass::update, {w.shape, w.size}));
    });
    backward();
    update();
  }

 private:
  void forward() {
    {
      const auto layer = out_.layer("Bottom_MLP");
      out_.add(cast(Pass::forward, {c_.batch, c_.numeric}, kFloat, kHalf));
      forward_mlp(c_.numeric, c_.bottom, true);
      out_.add(cast(Pass::forward, {c_.batch, c_.dim}, kHalf, kFloat));
    }
    out_.add("Input", {cast(Pass::forward, {c_.batch, c_.embeddings}, kInt64, kInt32)});
    for (int i = 0; i < c_.embeddings; ++i) out_.add(table_name(i), {embedding(table(i))});
    out_.add(
        "Interaction",
        {cat(Pass::forward, {{{c_.batch, c_.dim}, kFloat, c_.vectors()}}, stacked()),
         bmm({{c_.batch}, c_.vectors(), c_.vectors(), c_.dim, false, true, kFloat}, Pass::forward),
         index(products(), {{c_.pairs()}, kInt32}, pairs())});
    out_.add("Concat", {cat(Pass::forward, {{{c_.batch, c_.dim}}, pairs(), {{c_.batch, 1}}},
                            {{c_.batch, c_.concat_width()}})});
    {
      const auto layer = out_.layer("Top_MLP");
      out_.add(cast(Pass::forward, {c_.batch, c_.concat_width()}, kFloat, kHalf));
      forward_mlp(c_.concat_width(), c_.top, false);
      out_.add(cast(Pass::forward, {c_.batch, 1}, kHalf, kFloat));
    }
    const auto layer = out_.layer("Loss");
    out_.add(bce_with_logits(c_.batch));
    out_.add(mul(Pass::forward, {{kScalar}, {kScalar}}, {{kScalar}}));  // the loss scale
  }

  void backward() {
    out_.add("Loss", {mul(Pass::backward, {{kScalar}, {kScalar}}, {{kScalar}}),
                      bce_with_logits_backward(c_.batch)});
    {
      const auto layer = out_.layer("Top_MLP");
      out_.add(cast(Pass::backward, {c_.batch, 1}, kFloat, kHalf));
      backward_mlp(c_.concat_width(), c_.top, false, true);
      out_.add(cast(Pass::backward, {c_.batch, c_.concat_width()}, kHalf, kFloat));
    }
    {
      const auto layer = out_.layer("Interaction");
      out_.add(index_backward(pairs(), {{c_.pairs()}, kInt32}, products()));
      for (const bool trans_a : {false, true}) {  // of Z = T T^T: dZ T and dZ^T T
        out_.add(bmm({{c_.batch}, c_.vectors(), c_.dim, c_.vectors(), trans_a, false, kFloat},
                     Pass::backward));
      }
      out_.add(add(Pass::backward, {stacked(), stacked()}, {stacked()}));
    }
    out_.add("Concat",
             {add(Pass::backward, {{{c_.batch, c_.dim}, kFloat, 2}}, {{{c_.batch, c_.dim}}})});
    for (int i = c_.embeddings - 1; i >= 0; --i)
      out_.add(table_name(i), {embedding_backward(table(i))});
    const auto layer = out_.layer("Bottom_MLP");
    out_.add(cast(Pass::backward, {c_.batch, c_.dim}, kFloat, kHalf));
    backward_mlp(c_.numeric, c_.bottom, true, false);
  }

  void update() {
    {
      const auto layer = out_.layer("Loss");
      out_.add(fill("zero", Pass::update, {kScalar, kInt32}));  // found_inf
    }
    for_each_weight([&](const Weight& w) {
      out_.add(unscale({w.shape, w.size}, {w.shape, kFloat}));
    });
    for_each_weight([&](const Weight& w) {
      Operands written = {{w.shape, kFloat}};
      if (w.size == kHalf) written.push_back({w.shape, kHalf});  // the copy that layers use
      out_.add(sgd(elements(w.shape), {{w.shape, kFloat, 2}}, written));
    });
    const auto layer = out_.layer("Loss");
    out_.add(mul(Pass::update, {{kScalar}, {kScalar}}, {{kScalar}}));
  }

  void forward_mlp(std::int64_t in, const std::vector<int>& widths, bool relu_after_last) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out_.add(linear({{c_.batch}, in, widths[i], kHalf}));
      out_.add(bias({c_.batch}, widths[i]));
      if (i + 1 < widths.size() || relu_after_last) out_.add(relu({c_.batch, widths[i]}));
      in = widths[i];
    }
  }

  void backward_mlp(std::int64_t input, const std::vector<int>& widths, bool relu_after_last,
                    bool input_gradient) {
    for (std::size_t i = widths.size(); i-- > 0;) {
      const std::int64_t in = i == 0 ? input : widths[i - 1];
      const Dense dense = {{c_.batch}, in, widths[i], kHalf};
      if (i + 1 < widths.size() || relu_after_last) out_.add(relu_backward({c_.batch, widths[i]}));
      if (i > 0 || input_gradient) out_.add(linear_data_gradient(dense));
      out_.add(linear_weight_gradient(dense));
      out_.add(bias_gradient({c_.batch}, widths[i]));
    }
  }

  // In the order in which they are updated, within their layers.
  template <typename Visit>
  void for_each_weight(const Visit& visit) {
    for_each_weight_of("Bottom_MLP", c_.numeric, c_.bottom, visit);
    for (int i = 0; i < c_.embeddings; ++i) {
      const auto layer = out_.layer(table_name(i));
      visit({{c_.rows(i), c_.dim}, kFloat});
    }
    for_each_weight_of("Top_MLP", c_.concat_width(), c_.top, visit);
  }
  template <typename Visit>
  void for_each_weight_of(std::string_view name, std::int64_t in, const std::vector<int>& widths,
                          const Visit& visit) {
    const auto layer = out_.layer(name);
    for (const int width : widths) {
      visit({{width, in}, kHalf});
      visit({{width}, kHalf});
      in = width;
    }
  }

  static std::string table_name(int i) { return "Embedding_" + std::to_string(i); }
  [[nodiscard]] Embedding table(int i) const {
    return {{c_.batch}, c_.rows(i), c_.dim, kFloat, kInt32};
  }
  [[nodiscard]] Operand stacked() const { return {{c_.batch, c_.vectors(), c_.dim}}; }
  [[nodiscard]] Operand products() const { return {{c_.batch, c_.vectors(), c_.vectors()}}; }
  [[nodiscard]] Operand pairs() const { return {{c_.batch, c_.pairs()}}; }

  const DlrmConfig& c_;
  LedgerWriter out_;
};

// Parameters of an MLP's weights, biases left out.
std::int64_t mlp_weights(std::int64_t in, const std::vector<int>& widths) {
  std::int64_t sum = 0;
  for (const int width : widths) {
    sum += in * width;
    in = width;
  }
  return sum;
}

}  // namespace
}  // namespace ledger

Ledger dlrm_ledger(const DlrmConfig& c) {
  Ledger ledger("dlrm");
  ledger.note_size("batch", c.batch);
  ledger.note_size("numeric", c.numeric);
  ledger.note_size("embeddings", c.embeddings);
  ledger.note_size("embedding_rows", c.embedding_rows);
  ledger.note_size("dim", c.dim);
  // Each weight of a layer is used three times per sample, for a multiplication and an addition.
  // The estimate leaves out the interaction's products and everything that is not a matrix product,
  // but includes the first layer's input gradient, which is not computed.
  const std::int64_t weights =
      ledger::mlp_weights(c.numeric, c.bottom) + ledger::mlp_weights(c.concat_width(), c.top);
  ledger.set_estimate({"6*P*B, P of the MLPs", 6 * weights * c.batch});
  ledger::DlrmLedger(c, ledger).write();
  return ledger;
}

}  // namespace ref
