// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The loss: mean cross entropy of the next word, whose gradient replaces the logits.
#pragma once

#include "common/device_buffer.hpp"
#include "common/gradient_terms.hpp"
#include "common/kernels/fused_cross_entropy.hpp"
#include "gpt/context.hpp"

namespace ref {

/// logits (batch * length, padded_vocab). Terms: loss.gradient, loss.mean.
class Classifier {
 public:
  Classifier(const GptConfig& config, const GradientTerms& terms);

  /// Losses only; logits are unchanged.
  void forward(GptContext& context, const __nv_bfloat16* logits, const std::int32_t* targets);
  /// Losses, and logits become their gradient.
  void forward_and_backward(GptContext& context, __nv_bfloat16* logits,
                            const std::int32_t* targets);
  /// The mean of the losses, on the device.
  void reduce(GptContext& context);

  /// (1), the last reduced mean.
  [[nodiscard]] float* mean_loss() { return mean_.data(); }
  /// The same on the host. Waits.
  [[nodiscard]] float read(GptContext& context) const;

 private:
  ClassifierSizes sizes_;
  float gradient_scale_;
  prof::LayerText layer_{"loss"};
  prof::OpText forward_text_, fused_text_, mean_text_, read_text_;
  DeviceBuffer<float> losses_, mean_;
};

}  // namespace ref
