// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic loss scaling: scaling the loss keeps small fp16 gradients from vanishing, and a step
// whose gradients overflow is skipped.
#pragma once

#include <prof/annotate.hpp>
#include <vector>

#include "common/device_buffer.hpp"
#include "common/gpu.hpp"
#include "common/gradient_terms.hpp"
#include "common/kernels/update.hpp"

namespace ref {

/// Lives on the device; no call waits. Terms: loss.scale, loss.unscale.
class LossScaler {
 public:
  LossScaler(const GradientTerms& terms, float initial_scale);

  /// *scaled = *loss times the scale. An op of the current layer.
  void scale_loss(Gpu& gpu, const float* loss, float* scaled);
  /// *dloss = the gradient of the unscaled loss, which is the scale.
  void scale_gradient(Gpu& gpu, float* dloss);
  /// Clears the last step's infinities.
  void clear(Gpu& gpu);
  /// Lowers the scale after an overflow, raises it after many steps without one.
  void adjust(Gpu& gpu);

  [[nodiscard]] ScalerState* state() { return state_.data(); }
  [[nodiscard]] bool divides() const { return keep_unscale_; }

 private:
  bool keep_scale_;
  bool keep_unscale_;
  DeviceBuffer<ScalerState> state_;
  DeviceBuffer<float> one_;
  prof::OpText scale_text_;
  prof::OpText scale_backward_text_;
  prof::OpText clear_text_;
  prof::OpText adjust_text_;
};

}  // namespace ref
