// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The same training step on the CPU, in double precision, implemented independently: it shares with
// the GPU's only the initial values. What the model stores in fp16 may be rounded to fp16 here,
// too, so that necessary rounding does not blur the comparison.
#pragma once

#include <map>
#include <string>

#include "common/cpu_tensor.hpp"
#include "dlrm/batch.hpp"
#include "dlrm/config.hpp"

namespace ref {

/// Tensors by name: bottom.0.weight, bottom.0.bias, embedding.0, top.0.weight, ...
using NamedTensors = std::map<std::string, cpu::Tensor>;

enum class HalfStorage { rounded, exact };

struct ReferenceStep {
  double loss;
  NamedTensors gradients;  // of the unscaled loss, by parameter
};

[[nodiscard]] ReferenceStep reference_step(const DlrmConfig& config, const HostBatch& batch,
                                           const NamedTensors& parameters, HalfStorage storage);

}  // namespace ref
