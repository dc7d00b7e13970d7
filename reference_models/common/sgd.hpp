// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Stochastic gradient descent without momentum.
#pragma once

#include <prof/annotate.hpp>

#include "common/gpu.hpp"
#include "common/parameter.hpp"

namespace ref {

/// Stateless. Used by one thread.
class Sgd {
 public:
  explicit Sgd(float learning_rate) : learning_rate_(learning_rate) {}

  /// One op of the current layer: updates the parameter and its fp16 copy, unless one of this
  /// step's gradients was infinite.
  void step(Gpu& gpu, Parameter& parameter, const ScalerState* state);

 private:
  float learning_rate_;
  prof::OpCache texts_;
};

}  // namespace ref
