// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AdamW over the parameters' 16 tensors, after clipping by the norm of all gradients. Nothing waits
// for the host, so that a step may be replayed from a CUDA graph.
#pragma once

#include <vector>

#include "common/gradient_terms.hpp"
#include "common/kernels/adamw.hpp"
#include "gpt/parameters.hpp"

namespace ref {

/// Term: clip.
class GptOptimizer {
 public:
  /// `parameters` must outlive the optimizer.
  GptOptimizer(const GptConfig& config, GptParameters& parameters, const GradientTerms& terms);

  /// Moments to zero, masters to the parameters' values: once, before the first update.
  void prepare(GptContext& context);

  void zero_gradients(GptContext& context);
  void compute_gradient_norm(GptContext& context);
  void step(GptContext& context);

  // Of all tensors, laid out as the parameters are. Masters are the parameters in float.
  [[nodiscard]] const DeviceBuffer<float>& masters() const { return masters_; }
  [[nodiscard]] const DeviceBuffer<float>& first_moments() const { return m_; }
  [[nodiscard]] const DeviceBuffer<float>& second_moments() const { return v_; }

 private:
  struct Texts {
    prof::OpText zero_gradients, zero_moments, norm, clip;
    std::vector<prof::OpText> to_master, adamw;  // by tensor
    Texts(const GptConfig& config, const GptParameters& parameters);
  };

  void zero_moments(GptContext& context);

  GptParameters& parameters_;
  AdamwOptions options_;
  float weight_decay_, limit_;
  bool clip_;
  bool prepared_ = false;
  DeviceBuffer<float> masters_, m_, v_, norm_scratch_;
  DeviceBuffer<AdamwState> state_;
  prof::LayerText layer_{"Optimizer"};
  Texts texts_;
};

}  // namespace ref
