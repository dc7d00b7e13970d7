// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The loss of a batch of click predictions.
#pragma once

#include <prof/annotate.hpp>

#include "common/device_buffer.hpp"
#include "common/gradient_terms.hpp"
#include "common/loss_scaler.hpp"

namespace ref {

/// Mean binary cross-entropy of logits, scaled for the backward pass. Term: loss.gradient.
class ClickLoss {
 public:
  ClickLoss(const GradientTerms& terms, int batch);

  void forward(Gpu& gpu, const float* logits, const float* target, LossScaler& scaler);
  /// The gradient (batch) of the scaled loss.
  const float* backward(Gpu& gpu, const float* logits, const float* target, LossScaler& scaler);

  /// The last forward()'s loss, unscaled. Waits for the stream; its copy is an op of its own.
  [[nodiscard]] float read(Gpu& gpu) const;

 private:
  int batch_;
  bool keep_;
  DeviceBuffer<float> loss_, scaled_loss_, dloss_, dlogits_, scratch_;
  prof::OpText forward_text_;
  prof::OpText backward_text_;
  prof::OpText read_text_;
};

}  // namespace ref
