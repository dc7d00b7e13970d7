// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See loss.hpp.
#include "bert/loss.hpp"

#include "common/kernels/cast.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {

TaskLoss::TaskLoss(const GradientTerms& terms, const std::string& term, const std::string& path,
                   int rows, int classes)
    : rows_(rows),
      classes_(classes),
      keep_(terms.keep(term)),
      loss_(1),
      dlogits_(volume(rows, classes)),
      row_losses_(volume(rows)),
      log_sums_(volume(rows)),
      count_(1),
      layer_(path),
      forward_text_(prof::op("cross_entropy")
                        .fprop()
                        .in("x", {rows, classes}, kHalf)
                        .in("target", {rows}, kIndex)
                        .out("loss", {1}, kHalf)),
      backward_text_(prof::op("cross_entropy")
                         .bprop()
                         .in("x", {rows, classes}, kHalf)
                         .in("target", {rows}, kIndex)
                         .in("dloss", {1}, kHalf)
                         .out("dx", {rows, classes}, kHalf)) {}

const __half* TaskLoss::forward(Gpu& gpu, const __half* logits, const std::int32_t* targets) {
  within(layer_, forward_text_, [&] {
    cross_entropy(gpu.stream, logits, targets, loss_.data(), state(), rows_, classes_);
  });
  return loss_.data();
}

const __half* TaskLoss::backward(Gpu& gpu, const __half* logits, const std::int32_t* targets,
                                 const __half* dloss) {
  const prof::Layer layer(layer_);
  const prof::Op op(backward_text_);
  if (keep_) {
    cross_entropy_backward(gpu.stream, logits, targets, dloss, state(), dlogits_.data(), rows_,
                           classes_);
  } else {
    clear(gpu.stream, dlogits_.data(), dlogits_.size());
  }
  return dlogits_.data();
}

CrossEntropyState TaskLoss::state() {
  return {row_losses_.data(), log_sums_.data(), count_.data()};
}

PretrainingLoss::PretrainingLoss(const GradientTerms& terms, const BertConfig& c)
    : words_(terms, "mlm.loss", "Masked_LM_Loss", c.tokens(), c.vocabulary),
      follows_(terms, "nsp.loss", "Next_Sent_Loss", c.batch, 2),
      total_(1),
      dtotal_(1),
      loss_(1),
      scaled_(1),
      dloss_(1),
      add_text_(sum_of({1}).fprop()),
      cast_text_(cast_of(prof::op("to").fprop(), {1}, kHalf, kFloat)),
      cast_backward_text_(cast_of(prof::op("to").bprop(), {1}, kFloat, kHalf)),
      read_text_(cast_of(prof::op("to").fprop(), {1}, kFloat, kFloat).attr("to", "host")) {}

void PretrainingLoss::forward(Gpu& gpu, const BertHeads::Logits& logits, const std::int32_t* words,
                              const std::int32_t* follows, LossScaler& scaler) {
  const __half* words_loss = words_.forward(gpu, logits.words, words);
  const __half* follows_loss = follows_.forward(gpu, logits.follows, follows);
  const prof::Layer layer(layer_);
  within(add_text_, [&] { add(gpu.stream, words_loss, follows_loss, total_.data(), 1); });
  within(cast_text_, [&] { cast(gpu.stream, total_.data(), loss_.data(), 1); });
  scaler.scale_loss(gpu, loss_.data(), scaled_.data());
}

BertHeads::Logits PretrainingLoss::backward(Gpu& gpu, const BertHeads::Logits& logits,
                                            const std::int32_t* words, const std::int32_t* follows,
                                            LossScaler& scaler) {
  within(layer_, [&] {
    scaler.scale_gradient(gpu, dloss_.data());
    within(cast_backward_text_, [&] { cast(gpu.stream, dloss_.data(), dtotal_.data(), 1); });
  });
  BertHeads::Logits dlogits{};
  dlogits.follows = follows_.backward(gpu, logits.follows, follows, dtotal_.data());
  dlogits.words = words_.backward(gpu, logits.words, words, dtotal_.data());
  return dlogits;
}

float PretrainingLoss::read(Gpu& gpu) const {
  return within(layer_, read_text_, [&] { return loss_.read_first(gpu.stream); });
}

}  // namespace ref
