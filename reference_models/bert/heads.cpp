// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See heads.hpp.
#include "bert/heads.hpp"

#include "bert/describe.hpp"
#include "common/kernels/fill.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

// The first token of each sequence, read in place.
ProjectionSizes pooler_sizes(const BertConfig& c) {
  return {{c.batch}, c.hidden, c.hidden, BiasForm::add, c.length * c.hidden};
}

}  // namespace

BertHeads::Texts::Texts(const BertConfig& c)
    : tanh(unary("tanh", {c.batch, c.hidden})),
      tanh_backward(prof::op("tanh")
                        .bprop()
                        .in("dy", {c.batch, c.hidden}, kHalf)
                        .in("y", {c.batch, c.hidden}, kHalf)
                        .out("dx", {c.batch, c.hidden}, kHalf)),
      zero(prof::op("zero").bprop().out("dx", {c.batch, c.length, c.hidden}, kHalf)),
      copy(prof::op("copy")
               .bprop()
               .in("x", {c.batch, c.hidden}, kHalf)
               .out("y", {c.batch, c.hidden}, kHalf)) {}

BertHeads::BertHeads(Gpu& gpu, const GradientTerms& terms, const BertConfig& c,
                     Parameter& token_weight, std::uint64_t stream)
    : c_(c),
      keep_tanh_(terms.keep("nsp.tanh")),
      keep_follows_(terms.keep("heads.nsp")),
      pooler_(gpu, terms, "nsp.pooler", pooler_sizes(c), weight_initial(c, c.hidden, stream)),
      transform_(gpu, terms, "mlm.transform",
                 {{c.batch, c.length}, c.hidden, c.hidden, BiasForm::none},
                 weight_initial(c, c.hidden, stream + 2)),
      gelu_(gpu, terms, "mlm.gelu", {c.batch, c.length}, c.hidden,
            weight_initial(c, c.hidden, stream + 4)),
      norm_(gpu, terms, "mlm.norm", {c.batch, c.length}, c.hidden, c.seed, stream + 5),
      decoder_(gpu, terms, "mlm.decoder",
               {{c.batch, c.length}, c.hidden, c.vocabulary, BiasForm::add},
               weight_initial(c, c.hidden, stream + 7), token_weight),
      classifier_(gpu, terms, "nsp.classifier", {{c.batch}, c.hidden, 2},
                  weight_initial(c, c.hidden, stream + 9)),
      add_({c.batch, c.length, c.hidden}, volume(c.tokens(), c.hidden), terms.keep("heads.mlm")),
      pooled_(volume(c.batch, c.hidden)),
      dpooled_(pooled_.size()),
      dclass_(volume(c.tokens(), c.hidden)),
      texts_(c) {}

BertHeads::Logits BertHeads::forward(Gpu& gpu, const __half* hidden) {
  hidden_ = hidden;
  {
    const prof::Layer layer(follows_layer_);
    const __half* linear = pooler_.forward(gpu, hidden);
    const prof::Op op(texts_.tanh);
    tanh(gpu.stream.get(), linear, pooled_.data(), pooled_.size());
  }
  {
    const prof::Layer layer(words_layer_);
    inner_ = transform_.forward(gpu, hidden);
    activated_ = gelu_.forward(gpu, inner_);
  }
  {
    const prof::Layer layer(norm_layer_);
    normal_ = norm_.forward(gpu, activated_);
  }
  Logits logits{};
  {
    const prof::Layer layer(words_layer_);
    logits.words = decoder_.forward(gpu, normal_);
  }
  const prof::Layer layer(follows_layer_);
  logits.follows = classifier_.forward(gpu, pooled_.data());
  return logits;
}

const __half* BertHeads::backward(Gpu& gpu, const Logits& dlogits) {
  const __half* dpooled = nullptr;
  {
    const prof::Layer layer(follows_layer_);
    dpooled = classifier_.data_backward(gpu, dlogits.follows);
    classifier_.weight_backward(gpu, pooled_.data(), dlogits.follows);
    classifier_.bias_backward(gpu, dlogits.follows);
  }
  const __half* dwords = backward_words(gpu, dlogits.words);
  const prof::Layer layer(follows_layer_);
  return add_.add(gpu, dwords, backward_pooler(gpu, dpooled));
}

const __half* BertHeads::backward_words(Gpu& gpu, const __half* dlogits) {
  const __half* dnormal = nullptr;
  {
    const prof::Layer layer(words_layer_);
    dnormal = decoder_.backward(gpu, normal_, dlogits);
  }
  const __half* dactivated = nullptr;
  {
    const prof::Layer layer(norm_layer_);
    dactivated = norm_.backward(gpu, activated_, dnormal);
  }
  const prof::Layer layer(words_layer_);
  const __half* dinner = gelu_.backward(gpu, inner_, dactivated);
  return transform_.backward(gpu, hidden_, dinner);
}

// Spreads the first tokens' gradient over all tokens; the others get zero.
const __half* BertHeads::backward_pooler(Gpu& gpu, const __half* dpooled) {
  const cudaStream_t stream = gpu.stream.get();
  if (keep_tanh_) {
    const prof::Op op(texts_.tanh_backward);
    tanh_backward(stream, dpooled, pooled_.data(), dpooled_.data(), dpooled_.size());
  }
  const __half* dclass = pooler_.backward(gpu, hidden_, keep_tanh_ ? dpooled_.data() : dpooled);
  {
    const prof::Op op(texts_.zero);
    zero(stream, dclass_.data(), dclass_.size());
  }
  if (keep_follows_) {
    const prof::Op op(texts_.copy);
    scatter_rows(stream, dclass, dclass_.data(), c_.batch, c_.hidden,
                 std::int64_t{c_.length} * c_.hidden);
  }
  return dclass_.data();
}

std::vector<Parameter*> BertHeads::parameters() {
  std::vector<Parameter*> all;
  const auto append = [&](const std::vector<Parameter*>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(pooler_.parameters());
  append(transform_.parameters());
  all.push_back(&gelu_.bias());
  append(norm_.parameters());
  append(decoder_.parameters());
  append(classifier_.parameters());
  return all;
}

}  // namespace ref
