// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See heads.hpp.
#include "bert/heads.hpp"

#include "common/kernels/fill.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {

BertHeads::BertHeads(const BertSetup& s, Parameter& token_weight, std::uint64_t stream)
    : c_(s.config),
      keep_tanh_(s.terms.keep("nsp.tanh")),
      keep_follows_(s.terms.keep("heads.nsp")),
      // The first token of each sequence, read in place.
      pooler_(s, "nsp.pooler",
              {{c_.batch}, c_.hidden, c_.hidden, BiasForm::add, c_.length * c_.hidden},
              s.initial(c_.hidden, stream)),
      transform_(s, "mlm.transform", {s.tokens(), c_.hidden, c_.hidden, BiasForm::none},
                 s.initial(c_.hidden, stream + 2)),
      gelu_(s, "mlm.gelu", c_.hidden, stream + 4),
      norm_(s, "mlm.norm", "Masked_LM:LayerNorm", stream + 5),
      decoder_(s, "mlm.decoder", {s.tokens(), c_.hidden, c_.vocabulary, BiasForm::add},
               s.initial(c_.hidden, stream + 7), &token_weight),
      classifier_(s, "nsp.classifier", {{c_.batch}, c_.hidden, 2},
                  s.initial(c_.hidden, stream + 9)),
      add_(c_, s.terms.keep("heads.mlm")),
      pooled_(volume(c_.batch, c_.hidden)),
      dpooled_(pooled_.size()),
      dclass_(volume(c_.tokens(), c_.hidden)),
      tanh_text_(unary("tanh", {c_.batch, c_.hidden})),
      tanh_backward_text_(unary_gradient("tanh", {c_.batch, c_.hidden})),
      zero_text_(prof::op("zero").bprop().out("dx", s.hidden(), kHalf)),
      copy_text_(cast_of(prof::op("copy").bprop(), {c_.batch, c_.hidden}, kHalf, kHalf)) {}

BertHeads::Logits BertHeads::forward(Gpu& gpu, const __half* hidden) {
  hidden_ = hidden;
  within(follows_layer_, [&] {
    const __half* linear = pooler_.forward(gpu, hidden);
    within(tanh_text_, [&] { tanh(gpu.stream, linear, pooled_.data(), pooled_.size()); });
  });
  within(words_layer_, [&] {
    inner_ = transform_.forward(gpu, hidden);
    activated_ = gelu_.forward(gpu, inner_);
  });
  normal_ = norm_.forward(gpu, activated_);
  Logits logits{};
  logits.words = within(words_layer_, [&] { return decoder_.forward(gpu, normal_); });
  logits.follows = within(follows_layer_, [&] { return classifier_.forward(gpu, pooled_.data()); });
  return logits;
}

const __half* BertHeads::backward(Gpu& gpu, const Logits& dlogits) {
  const __half* dpooled = within(follows_layer_, [&] {
    const __half* dx = classifier_.data_backward(gpu, dlogits.follows);
    classifier_.weight_backward(gpu, pooled_.data(), dlogits.follows);
    classifier_.bias_backward(gpu, dlogits.follows);
    return dx;
  });
  const __half* dwords = backward_words(gpu, dlogits.words);
  const prof::Layer layer(follows_layer_);
  return add_.add(gpu, dwords, backward_pooler(gpu, dpooled));
}

const __half* BertHeads::backward_words(Gpu& gpu, const __half* dlogits) {
  const __half* dnormal =
      within(words_layer_, [&] { return decoder_.backward(gpu, normal_, dlogits); });
  const __half* dactivated = norm_.backward(gpu, activated_, dnormal);
  const prof::Layer layer(words_layer_);
  return transform_.backward(gpu, hidden_, gelu_.backward(gpu, inner_, dactivated));
}

// Spreads the first tokens' gradient over all tokens; the others get zero.
const __half* BertHeads::backward_pooler(Gpu& gpu, const __half* dpooled) {
  if (keep_tanh_) {
    const prof::Op op(tanh_backward_text_);
    tanh_backward(gpu.stream, dpooled, pooled_.data(), dpooled_.data(), dpooled_.size());
    dpooled = dpooled_.data();
  }
  const __half* dclass = pooler_.backward(gpu, hidden_, dpooled);
  within(zero_text_, [&] { zero(gpu.stream, dclass_.data(), dclass_.size()); });
  if (keep_follows_) {
    const prof::Op op(copy_text_);
    scatter_rows(gpu.stream, dclass, dclass_.data(), c_.batch, c_.hidden,
                 std::int64_t{c_.length} * c_.hidden);
  }
  return dclass_.data();
}

}  // namespace ref
