// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See reference.hpp.
#include "bert/reference.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "bert/dropout_source.hpp"
#include "common/cpu_products.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/cast.hpp"
#include "common/kernels/cross_entropy.hpp"
#include "common/kernels/elementwise.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/pointwise.hpp"
#include "common/kernels/softmax.hpp"
#include "common/kernels/transpose.hpp"
#include "transformer/reference_layers.hpp"

namespace ref {
namespace {

using cpu::Tensor;

constexpr double kEpsilon = 1e-12;  // of the norms

/// What a block's backward pass needs from its forward pass.
struct BlockTape {
  Tensor x, queries, keys, values, probabilities, kept, context;
  Tensor attention_sum, attended, inner, activated, ffn_sum;
};

class Reference : ReferenceLayers {
 public:
  Reference(const BertConfig& c, const HostBertBatch& batch, const NamedTensors& p,
            ReferenceStorage storage, std::uint64_t step)
      : ReferenceLayers(c, p, storage == ReferenceStorage::rounded ? cpu::round_to_half : nullptr,
                        kEpsilon, static_cast<double>(c.loss_scale)),
        c_(c),
        batch_of_(batch),
        number_(step) {}

  ReferenceStep run() {
    make_mask();
    Tensor x = forward_embeddings();
    for (int i = 0; i < c_.layers; ++i) x = forward_block(i, x);
    Tensor dx = heads(x);
    for (int i = c_.layers; i-- > 0;) dx = backward_block(i, dx);
    backward_embeddings(dx);
    return std::move(step_);
  }

 private:
  // ---- Layers

  [[nodiscard]] Tensor scaled(Tensor x) const {
    for (double& value : x) value *= score_scale();
    return round(std::move(x));
  }

  [[nodiscard]] Tensor projection(const std::string& name, const Tensor& x,
                                  std::size_t rows) const {
    Tensor y = round(product(name, x, rows));
    cpu::bias_add(y, p_.at(name + ".bias"));
    return round(std::move(y));
  }

  // Its own gradient: dropped elements and scale are the same in both directions.
  [[nodiscard]] Tensor dropout(int layer, Tensor x) const {
    const DropoutSource source{c_.dropout, c_.seed};
    return round(cpu::dropout(std::move(x), source.mask(layer, number_)));
  }

  [[nodiscard]] Tensor gelu(const std::string& name, Tensor x) const {
    cpu::bias_add(x, p_.at(name + ".bias"));
    for (double& value : x) value = cpu::gelu(value);
    return round(std::move(x));
  }
  Tensor gelu_backward(const std::string& name, Tensor x, const Tensor& dy) {
    cpu::bias_add(x, p_.at(name + ".bias"));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = dy[i] * cpu::gelu_derivative(x[i]);
    x = round(std::move(x));
    keep_gradient(name + ".bias", cpu::bias_gradient(x, p_.at(name + ".bias").size()));
    return x;
  }

  // ---- Embeddings

  void make_mask() {
    for (const std::int64_t used : batch_of_.mask) {
      mask_.push_back(used != 0 ? 0.0 : -10000.0);
    }
  }

  [[nodiscard]] std::vector<std::int64_t> indices(const std::string& table) const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < tokens_; ++i) {
      all.push_back(table == "token"     ? batch_of_.tokens[i]
                    : table == "segment" ? batch_of_.segments[i]
                                         : static_cast<std::int64_t>(i % length_));
    }
    return all;
  }
  [[nodiscard]] Tensor lookup(const std::string& table) const {
    return cpu::embedding(indices(table), p_.at("embedding." + table), hidden_);
  }

  Tensor forward_embeddings() {
    embedded_ = sum(sum(lookup("token"), lookup("position")), lookup("segment"));
    return dropout(0, round(norm("embedding.norm", embedded_).y));
  }

  void backward_embeddings(const Tensor& dy) {
    const Tensor dx = round(norm_backward("embedding.norm", embedded_, dropout(0, dy)));
    for (const std::string table : {"segment", "position", "token"}) {
      const std::string name = "embedding." + table;
      Tensor gradient =
          round(cpu::embedding_gradient(indices(table), dx, p_.at(name).size(), hidden_));
      if (table == "token") gradient = sum(decoder_gradient_, gradient);
      keep_gradient(name, std::move(gradient));
    }
  }

  // ---- Encoder

  [[nodiscard]] Tensor split(const Tensor& x) const {
    return cpu::swap_middle(x, batch_, length_, heads_, head_size_);
  }
  [[nodiscard]] Tensor merge(const Tensor& x) const {
    return cpu::swap_middle(x, batch_, heads_, length_, head_size_);
  }

  static std::string block(int i) { return "encoder." + std::to_string(i); }
  Tensor forward_block(int i, const Tensor& x) {
    BlockTape& t = tapes_[i];
    const std::string attention = block(i) + ".attention";
    t.x = x;
    t.queries = split(projection(attention + ".q", x, tokens_));
    t.keys = split(projection(attention + ".k", x, tokens_));
    t.values = split(projection(attention + ".v", x, tokens_));
    Tensor scores = scaled(score_product(t.queries, t.keys));
    cpu::add_mask(scores, mask_, batch_);
    t.probabilities = round(cpu::softmax(round(std::move(scores)), length_));
    t.kept = dropout(1 + 3 * i, t.probabilities);
    t.context = merge(value_product(t.kept, t.values));
    const Tensor out = projection(attention + ".out", t.context, tokens_);
    t.attention_sum = sum(dropout(2 + 3 * i, out), x);
    t.attended = round(norm(attention + ".norm", t.attention_sum).y);
    const std::string ffn = block(i) + ".ffn";
    t.inner = round(product(ffn + ".in", t.attended, tokens_));
    t.activated = gelu(ffn + ".gelu", t.inner);
    const Tensor end = projection(ffn + ".out", t.activated, tokens_);
    t.ffn_sum = sum(dropout(3 + 3 * i, end), t.attended);
    return round(norm(ffn + ".norm", t.ffn_sum).y);
  }

  Tensor backward_block(int i, const Tensor& dy) {
    const BlockTape& t = tapes_[i];
    const std::string ffn = block(i) + ".ffn";
    Tensor dsum = round(norm_backward(ffn + ".norm", t.ffn_sum, dy));
    Tensor dout = dropout(3 + 3 * i, dsum);
    const Tensor dactivated = round(linear_backward(ffn + ".out", t.activated, dout, tokens_));
    const Tensor dinner = gelu_backward(ffn + ".gelu", t.inner, dactivated);
    const Tensor dattended =
        sum(dsum, round(product_backward(ffn + ".in", t.attended, dinner, tokens_)));
    const std::string attention = block(i) + ".attention";
    dsum = round(norm_backward(attention + ".norm", t.attention_sum, dattended));
    dout = dropout(2 + 3 * i, dsum);
    return backward_attention(
        i, split(round(linear_backward(attention + ".out", t.context, dout, tokens_))), dsum);
  }

  Tensor backward_attention(int i, const Tensor& dcontext, Tensor dx) {
    const BlockTape& t = tapes_[i];
    const std::string attention = block(i) + ".attention";
    const Tensor dvalues = value_product(t.kept, dcontext, true);
    const Tensor dprobabilities = dropout(1 + 3 * i, score_product(dcontext, t.values));
    const Tensor dscores =
        scaled(round(cpu::softmax_backward(dprobabilities, t.probabilities, length_)));
    const Tensor dqueries = value_product(dscores, t.keys);
    const Tensor dkeys = value_product(dscores, t.queries, true);
    dx = sum(dx, round(linear_backward(attention + ".v", t.x, merge(dvalues), tokens_)));
    dx = sum(dx, round(linear_backward(attention + ".k", t.x, merge(dkeys), tokens_)));
    return sum(dx, round(linear_backward(attention + ".q", t.x, merge(dqueries), tokens_)));
  }

  // ---- Both heads with their losses; returns the gradient of the hidden states

  Tensor heads(const Tensor& x) {
    Tensor first;  // the first token of each sequence
    for (std::size_t i = 0; i < batch_; ++i) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i * length_ * hidden_);
      first.insert(first.end(), begin, begin + c_.hidden);
    }
    const Tensor pooled = round(cpu::tanh(projection("nsp.pooler", first, batch_)));
    const Tensor inner = round(product("mlm.transform", x, tokens_));
    const Tensor activated = gelu("mlm.gelu", inner);
    const Tensor normal = round(norm("mlm.norm", activated).y);
    Tensor word_logits = round(cpu::linear(normal, p_.at("embedding.token"), tokens_));
    cpu::bias_add(word_logits, p_.at("mlm.decoder.bias"));
    word_logits = round(std::move(word_logits));
    const Tensor follow_logits = projection("nsp.classifier", pooled, batch_);

    const double dloss = round(static_cast<double>(c_.loss_scale));
    const auto words = cpu::cross_entropy(word_logits, batch_of_.words, dloss);
    const auto follows = cpu::cross_entropy(follow_logits, batch_of_.follows, dloss);
    step_.loss = round(round(words.loss) + round(follows.loss));

    const Tensor dpooled =
        round(linear_backward("nsp.classifier", pooled, round(follows.gradient), batch_));
    const Tensor dword_logits = round(words.gradient);
    keep_gradient("mlm.decoder.bias",
                  cpu::bias_gradient(dword_logits, p_.at("mlm.decoder.bias").size()));
    decoder_gradient_ = round(cpu::linear_weight_gradient(dword_logits, normal, tokens_));
    const Tensor dnormal =
        round(cpu::linear_data_gradient(dword_logits, p_.at("embedding.token"), tokens_));
    const Tensor dactivated = round(norm_backward("mlm.norm", activated, dnormal));
    const Tensor dinner = gelu_backward("mlm.gelu", inner, dactivated);
    const Tensor dwords = round(product_backward("mlm.transform", x, dinner, tokens_));
    const Tensor dfirst = round(
        linear_backward("nsp.pooler", first, round(cpu::tanh_backward(dpooled, pooled)), batch_));
    Tensor spread(x.size());
    for (std::size_t i = 0; i < dfirst.size(); ++i) {
      spread[i / hidden_ * length_ * hidden_ + i % hidden_] = dfirst[i];
    }
    return sum(dwords, spread);
  }

  const BertConfig& c_;
  const HostBertBatch& batch_of_;
  std::uint64_t number_;
  Tensor mask_, embedded_, decoder_gradient_;
  std::map<int, BlockTape> tapes_;
};

}  // namespace

ReferenceStep bert_reference_step(const BertConfig& config, const HostBertBatch& batch,
                                  const NamedTensors& parameters, ReferenceStorage storage,
                                  std::uint64_t step) {
  return Reference(config, batch, parameters, storage, step).run();
}

}  // namespace ref
