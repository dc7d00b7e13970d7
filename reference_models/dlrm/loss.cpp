// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See loss.hpp.
#include "dlrm/loss.hpp"

#include <vector>

#include "common/describe.hpp"
#include "common/kernels/bce.hpp"

namespace ref {
namespace {

constexpr auto kLossType = prof::DType::float32;

}  // namespace

ClickLoss::ClickLoss(const GradientTerms& terms, int batch)
    : batch_(batch),
      keep_(terms.keep("loss.gradient")),
      loss_(1),
      scaled_loss_(1),
      dloss_(1),
      dlogits_(std::vector<float>(static_cast<std::size_t>(batch))),
      scratch_(kBceScratch),
      forward_text_(prof::op("binary_cross_entropy_with_logits")
                        .fprop()
                        .in("x", {batch}, kLossType)
                        .in("target", {batch}, kLossType)
                        .out("loss", {1}, kLossType)
                        .attr("reduction", "mean")),
      backward_text_(prof::op("binary_cross_entropy_with_logits")
                         .bprop()
                         .in("x", {batch}, kLossType)
                         .in("target", {batch}, kLossType)
                         .in("dloss", {1}, kLossType)
                         .out("dx", {batch}, kLossType)
                         .attr("reduction", "mean")),
      read_text_(prof::op("to")
                     .fprop()
                     .in("x", {1}, kLossType)
                     .out("y", {1}, kLossType)
                     .attr("to", "host")) {}

void ClickLoss::forward(Gpu& gpu, const float* logits, const float* target, LossScaler& scaler) {
  within(forward_text_, [&] {
    bce_with_logits(gpu.stream, logits, target, loss_.data(), scratch_.data(), batch_);
  });
  scaler.scale_loss(gpu, loss_.data(), scaled_loss_.data());
}

const float* ClickLoss::backward(Gpu& gpu, const float* logits, const float* target,
                                 LossScaler& scaler) {
  scaler.scale_gradient(gpu, dloss_.data());
  if (keep_) {
    const prof::Op op(backward_text_);
    bce_with_logits_backward(gpu.stream, logits, target, dloss_.data(), dlogits_.data(), batch_);
  }
  return dlogits_.data();
}

float ClickLoss::read(Gpu& gpu) const {
  const prof::Op op(read_text_);
  return loss_.read_first(gpu.stream);
}

}  // namespace ref
