// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The LAMB optimizer over all parameters of a model: unscaling, clipping by the norm of all
// gradients, and the step, each a single op over all tensors.
#pragma once

#include <prof/annotate.hpp>
#include <vector>

#include "common/gpu.hpp"
#include "common/kernels/lamb.hpp"
#include "common/loss_scaler.hpp"
#include "common/parameter.hpp"

namespace ref {

/// Matrices decay, vectors (biases, norms) do not. Used by one thread; calls only launch work.
class Lamb {
 public:
  /// All parameters are fp16 and must outlive the optimizer.
  Lamb(Gpu& gpu, const std::vector<Parameter*>& parameters, const LambOptions& options);

  /// Updates the parameters from the scaled fp16 gradients, unless the scaler finds infinities.
  void step(Gpu& gpu, LossScaler& scaler);

  /// The norm of all gradients of the last step, unscaled and not clipped. Waits for the device.
  [[nodiscard]] float grad_norm() const { return state_.download().front().norm; }

 private:
  struct Texts {
    prof::OpText scale, norm, clip, lamb;
    explicit Texts(const std::vector<Parameter*>& parameters);
  };

  [[nodiscard]] LambTable table();

  LambOptions options_;
  std::vector<Parameter*> parameters_;  // matrices first, equal shapes together
  std::vector<DeviceBuffer<float>> moments_;
  DeviceBuffer<LambTensor> tensors_;
  DeviceBuffer<LambChunk> chunks_;
  DeviceBuffer<float> partial_, ratios_;
  DeviceBuffer<LambState> state_;
  Texts texts_;
};

}  // namespace ref
