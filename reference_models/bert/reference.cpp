// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See reference.hpp.
#include "bert/reference.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "bert/layers.hpp"
#include "common/cpu_products.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/cast.hpp"
#include "common/kernels/cross_entropy.hpp"
#include "common/kernels/elementwise.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/layer_norm.hpp"
#include "common/kernels/pointwise.hpp"
#include "common/kernels/softmax.hpp"
#include "common/kernels/transpose.hpp"

namespace ref {
namespace {

using cpu::Tensor;

constexpr double kEpsilon = 1e-12;  // of the norms

/// What a block's backward pass needs from its forward pass.
struct BlockTape {
  Tensor x, queries, keys, values, probabilities, kept, context;
  Tensor attention_sum, attended, inner, activated, ffn_sum;
};

class Reference {
 public:
  Reference(const BertConfig& c, const HostBertBatch& batch, const BertTensors& p,
            BertRounding rounding, std::uint64_t step)
      : c_(c), batch_(batch), p_(p), rounding_(rounding), number_(step) {}

  BertReferenceStep run() {
    make_mask();
    Tensor x = forward_embeddings();
    for (int i = 0; i < c_.layers; ++i) x = forward_block(i, x);
    Tensor dx = heads(x);
    for (int i = c_.layers; i-- > 0;) dx = backward_block(i, dx);
    backward_embeddings(dx);
    return std::move(step_);
  }

 private:
  // ---- Sizes and rounding

  [[nodiscard]] std::size_t tokens() const { return static_cast<std::size_t>(c_.tokens()); }
  [[nodiscard]] std::size_t batch() const { return static_cast<std::size_t>(c_.batch); }
  [[nodiscard]] std::size_t length() const { return static_cast<std::size_t>(c_.length); }
  [[nodiscard]] std::size_t hidden() const { return static_cast<std::size_t>(c_.hidden); }
  [[nodiscard]] std::size_t heads_count() const { return static_cast<std::size_t>(c_.heads); }
  [[nodiscard]] std::size_t head_size() const { return hidden() / heads_count(); }

  [[nodiscard]] Tensor half(Tensor x) const {
    return rounding_ == BertRounding::half ? cpu::cast_to_half(std::move(x)) : x;
  }
  [[nodiscard]] double half(double x) const {
    return rounding_ == BertRounding::half ? cpu::round_to_half(x) : x;
  }
  [[nodiscard]] Tensor scaled(Tensor x, double factor) const {
    for (double& value : x) value *= factor;
    return half(std::move(x));
  }
  [[nodiscard]] Tensor sum(const Tensor& a, const Tensor& b) const { return half(cpu::add(a, b)); }

  void keep_gradient(const std::string& name, Tensor gradient) {
    for (double& value : gradient) value /= static_cast<double>(c_.loss_scale);
    step_.gradients[name] = std::move(gradient);
  }

  // ---- Layers

  [[nodiscard]] Tensor product(const std::string& name, const Tensor& x, std::size_t rows) const {
    return half(cpu::linear(x, p_.at(name + ".weight"), rows));
  }
  [[nodiscard]] Tensor projection(const std::string& name, const Tensor& x,
                                  std::size_t rows) const {
    Tensor y = product(name, x, rows);
    cpu::bias_add(y, p_.at(name + ".bias"));
    return half(std::move(y));
  }
  Tensor product_backward(const std::string& name, const Tensor& x, const Tensor& dy,
                          std::size_t rows) {
    keep_gradient(name + ".weight", half(cpu::linear_weight_gradient(dy, x, rows)));
    return half(cpu::linear_data_gradient(dy, p_.at(name + ".weight"), rows));
  }
  Tensor projection_backward(const std::string& name, const Tensor& x, const Tensor& dy,
                             std::size_t rows) {
    keep_gradient(name + ".bias", half(cpu::bias_gradient(dy, dy.size() / rows)));
    return product_backward(name, x, dy, rows);
  }

  [[nodiscard]] cpu::LayerNorm norm(const std::string& name, const Tensor& x) const {
    return cpu::layer_norm(x, p_.at(name + ".weight"), p_.at(name + ".bias"), kEpsilon);
  }
  Tensor norm_backward(const std::string& name, const Tensor& x, const Tensor& dy) {
    auto gradient = cpu::layer_norm_backward(dy, x, norm(name, x), p_.at(name + ".weight"));
    keep_gradient(name + ".weight", half(std::move(gradient.dweight)));
    keep_gradient(name + ".bias", half(std::move(gradient.dbias)));
    return half(std::move(gradient.dx));
  }

  // Its own gradient: dropped elements and scale are the same in both directions.
  [[nodiscard]] Tensor dropout(int layer, Tensor x) const {
    const DropoutSource source{c_.dropout, c_.seed};
    return half(cpu::dropout(std::move(x), source.mask(layer, number_)));
  }

  [[nodiscard]] Tensor gelu(const std::string& name, Tensor x) const {
    cpu::bias_add(x, p_.at(name + ".bias"));
    for (double& value : x) value = cpu::gelu(value);
    return half(std::move(x));
  }
  Tensor gelu_backward(const std::string& name, Tensor x, const Tensor& dy) {
    cpu::bias_add(x, p_.at(name + ".bias"));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = dy[i] * cpu::gelu_derivative(x[i]);
    x = half(std::move(x));
    keep_gradient(name + ".bias", half(cpu::bias_gradient(x, p_.at(name + ".bias").size())));
    return x;
  }

  // ---- Embeddings

  void make_mask() {
    for (const std::int64_t used : batch_.mask) {
      mask_.push_back(used != 0 ? 0.0 : -10000.0);
    }
  }

  [[nodiscard]] std::vector<std::int64_t> indices(const std::string& table) const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < tokens(); ++i) {
      all.push_back(table == "token"     ? batch_.tokens[i]
                    : table == "segment" ? batch_.segments[i]
                                         : static_cast<std::int64_t>(i % length()));
    }
    return all;
  }
  [[nodiscard]] Tensor lookup(const std::string& table) const {
    return cpu::embedding(indices(table), p_.at("embedding." + table), hidden());
  }

  Tensor forward_embeddings() {
    embedded_ = sum(sum(lookup("token"), lookup("position")), lookup("segment"));
    return dropout(0, half(norm("embedding.norm", embedded_).y));
  }

  void backward_embeddings(const Tensor& dy) {
    const Tensor dx = norm_backward("embedding.norm", embedded_, dropout(0, dy));
    for (const std::string table : {"segment", "position", "token"}) {
      const std::string name = "embedding." + table;
      Tensor gradient =
          half(cpu::embedding_gradient(indices(table), dx, p_.at(name).size(), hidden()));
      if (table == "token") gradient = sum(decoder_gradient_, gradient);
      keep_gradient(name, std::move(gradient));
    }
  }

  // ---- Encoder

  [[nodiscard]] Tensor split(const Tensor& x) const {
    return cpu::swap_middle(x, batch(), length(), heads_count(), head_size());
  }
  [[nodiscard]] Tensor merge(const Tensor& x) const {
    return cpu::swap_middle(x, batch(), heads_count(), length(), head_size());
  }

  // For each head of each sequence a matrix of `rows` rows: out = op(a) op(b).
  [[nodiscard]] Tensor batched(const Tensor& a, bool trans_a, const Tensor& b, bool trans_b,
                               std::size_t rows, std::size_t cols, std::size_t inner) const {
    const std::size_t matrices = batch() * heads_count();
    Tensor out(matrices * rows * cols);
    for (std::size_t m = 0; m < matrices; ++m) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < cols; ++c) {
          double total = 0;
          for (std::size_t k = 0; k < inner; ++k) {
            const std::size_t from_a = trans_a ? k * rows + r : r * inner + k;
            const std::size_t from_b = trans_b ? c * inner + k : k * cols + c;
            total += a[m * rows * inner + from_a] * b[m * inner * cols + from_b];
          }
          out[(m * rows + r) * cols + c] = total;
        }
      }
    }
    return half(std::move(out));
  }

  static std::string block(int i) { return "encoder." + std::to_string(i); }
  [[nodiscard]] double score_scale() const {
    return 1 / std::sqrt(static_cast<double>(head_size()));
  }

  Tensor forward_block(int i, const Tensor& x) {
    BlockTape& t = tapes_[i];
    const std::string attention = block(i) + ".attention";
    t.x = x;
    t.queries = split(projection(attention + ".q", x, tokens()));
    t.keys = split(projection(attention + ".k", x, tokens()));
    t.values = split(projection(attention + ".v", x, tokens()));
    Tensor scores = scaled(batched(t.queries, false, t.keys, true, length(), length(), head_size()),
                           score_scale());
    cpu::add_mask(scores, mask_, batch());
    t.probabilities = half(cpu::softmax(half(std::move(scores)), length()));
    t.kept = dropout(1 + 3 * i, t.probabilities);
    t.context = merge(batched(t.kept, false, t.values, false, length(), head_size(), length()));
    const Tensor out = projection(attention + ".out", t.context, tokens());
    t.attention_sum = sum(dropout(2 + 3 * i, out), x);
    t.attended = half(norm(attention + ".norm", t.attention_sum).y);
    const std::string ffn = block(i) + ".ffn";
    t.inner = product(ffn + ".in", t.attended, tokens());
    t.activated = gelu(ffn + ".gelu", t.inner);
    const Tensor end = projection(ffn + ".out", t.activated, tokens());
    t.ffn_sum = sum(dropout(3 + 3 * i, end), t.attended);
    return half(norm(ffn + ".norm", t.ffn_sum).y);
  }

  Tensor backward_block(int i, const Tensor& dy) {
    const BlockTape& t = tapes_[i];
    const std::string ffn = block(i) + ".ffn";
    Tensor dsum = norm_backward(ffn + ".norm", t.ffn_sum, dy);
    Tensor dout = dropout(3 + 3 * i, dsum);
    const Tensor dactivated = projection_backward(ffn + ".out", t.activated, dout, tokens());
    const Tensor dinner = gelu_backward(ffn + ".gelu", t.inner, dactivated);
    const Tensor dattended = sum(dsum, product_backward(ffn + ".in", t.attended, dinner, tokens()));
    const std::string attention = block(i) + ".attention";
    dsum = norm_backward(attention + ".norm", t.attention_sum, dattended);
    dout = dropout(2 + 3 * i, dsum);
    return backward_attention(
        i, split(projection_backward(attention + ".out", t.context, dout, tokens())), dsum);
  }

  Tensor backward_attention(int i, const Tensor& dcontext, Tensor dx) {
    const BlockTape& t = tapes_[i];
    const std::string attention = block(i) + ".attention";
    const Tensor dvalues = batched(t.kept, true, dcontext, false, length(), head_size(), length());
    const Tensor dprobabilities = dropout(
        1 + 3 * i, batched(dcontext, false, t.values, true, length(), length(), head_size()));
    const Tensor dscores = scaled(
        half(cpu::softmax_backward(dprobabilities, t.probabilities, length())), score_scale());
    const Tensor dqueries = batched(dscores, false, t.keys, false, length(), head_size(), length());
    const Tensor dkeys = batched(dscores, true, t.queries, false, length(), head_size(), length());
    dx = sum(dx, projection_backward(attention + ".v", t.x, merge(dvalues), tokens()));
    dx = sum(dx, projection_backward(attention + ".k", t.x, merge(dkeys), tokens()));
    return sum(dx, projection_backward(attention + ".q", t.x, merge(dqueries), tokens()));
  }

  // ---- Both heads with their losses; returns the gradient of the hidden states

  Tensor heads(const Tensor& x) {
    Tensor first;  // the first token of each sequence
    for (std::size_t i = 0; i < batch(); ++i) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i * length() * hidden());
      first.insert(first.end(), begin, begin + c_.hidden);
    }
    const Tensor pooled = half(cpu::tanh(projection("nsp.pooler", first, batch())));
    const Tensor inner = product("mlm.transform", x, tokens());
    const Tensor activated = gelu("mlm.gelu", inner);
    const Tensor normal = half(norm("mlm.norm", activated).y);
    Tensor word_logits = half(cpu::linear(normal, p_.at("embedding.token"), tokens()));
    cpu::bias_add(word_logits, p_.at("mlm.decoder.bias"));
    word_logits = half(std::move(word_logits));
    const Tensor follow_logits = projection("nsp.classifier", pooled, batch());

    const double dloss = half(static_cast<double>(c_.loss_scale));
    const auto words = cpu::cross_entropy(word_logits, batch_.words, dloss);
    const auto follows = cpu::cross_entropy(follow_logits, batch_.follows, dloss);
    step_.loss = half(half(words.loss) + half(follows.loss));

    const Tensor dpooled =
        projection_backward("nsp.classifier", pooled, half(follows.gradient), batch());
    const Tensor dword_logits = half(words.gradient);
    keep_gradient("mlm.decoder.bias",
                  half(cpu::bias_gradient(dword_logits, p_.at("mlm.decoder.bias").size())));
    decoder_gradient_ = half(cpu::linear_weight_gradient(dword_logits, normal, tokens()));
    const Tensor dnormal =
        half(cpu::linear_data_gradient(dword_logits, p_.at("embedding.token"), tokens()));
    const Tensor dactivated = norm_backward("mlm.norm", activated, dnormal);
    const Tensor dinner = gelu_backward("mlm.gelu", inner, dactivated);
    const Tensor dwords = product_backward("mlm.transform", x, dinner, tokens());
    const Tensor dfirst = projection_backward("nsp.pooler", first,
                                              half(cpu::tanh_backward(dpooled, pooled)), batch());
    Tensor spread(x.size());
    for (std::size_t i = 0; i < dfirst.size(); ++i) {
      spread[i / hidden() * length() * hidden() + i % hidden()] = dfirst[i];
    }
    return sum(dwords, spread);
  }

  const BertConfig& c_;
  const HostBertBatch& batch_;
  const BertTensors& p_;
  BertRounding rounding_;
  std::uint64_t number_;
  Tensor mask_, embedded_, decoder_gradient_;
  std::map<int, BlockTape> tapes_;
  BertReferenceStep step_{};
};

}  // namespace

BertReferenceStep bert_reference_step(const BertConfig& config, const HostBertBatch& batch,
                                      const BertTensors& parameters, BertRounding rounding,
                                      std::uint64_t step) {
  return Reference(config, batch, parameters, rounding, step).run();
}

}  // namespace ref
