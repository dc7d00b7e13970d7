// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Stochastic gradient descent without momentum.
#pragma once

#include <prof/annotate.hpp>

#include "common/gpu.hpp"
#include "common/parameter.hpp"

namespace ref {

/// Keeps no state of the parameters. Used by one thread.
class Sgd {
 public:
  explicit Sgd(float learning_rate) : learning_rate_(learning_rate) {}

  /// One op of the current layer: the parameter and its fp16 copy take a step, unless a gradient of
  /// this step was found infinite.
  void step(Gpu& gpu, Parameter& parameter, const ScalerState* state);

 private:
  float learning_rate_;
  prof::OpCache texts_;
};

}  // namespace ref
