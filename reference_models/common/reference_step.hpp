// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CPU reference takes and gives: the same training step in double precision, implemented
// independently of the GPU's, with which it shares only the batch and the initial values.
#pragma once

#include <map>
#include <string>

#include "common/cpu_tensor.hpp"

namespace ref {

/// Tensors by the name of their parameter.
using NamedTensors = std::map<std::string, cpu::Tensor>;

/// Whether the reference rounds what the model stores to the type in which it is stored. If it does
/// so, necessary rounding does not blur the comparison.
enum class ReferenceStorage { rounded, exact };

struct ReferenceStep {
  double loss;
  NamedTensors gradients;  // of the unscaled loss, before clipping
};

}  // namespace ref
