// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The same training step on the CPU, in double precision, implemented independently: it shares with
// the GPU's only the initial values. What the model stores in bf16 may be rounded here, too, so
// that necessary rounding does not blur the comparison.
#pragma once

#include <map>
#include <string>

#include "common/cpu_tensor.hpp"
#include "gpt/batch.hpp"
#include "gpt/config.hpp"

namespace ref {

/// Tensors by name: wte, wpe, ln_1.weight, attn.c_attn.weight, ...; those of blocks are stacked.
using NamedTensors = std::map<std::string, cpu::Tensor>;

enum class Bfloat16Storage { rounded, exact };

struct GptReferenceStep {
  double loss;
  NamedTensors gradients;  // before clipping
};

[[nodiscard]] GptReferenceStep gpt_reference_step(const GptConfig& config, const HostTokens& tokens,
                                                  const NamedTensors& parameters,
                                                  Bfloat16Storage storage);

}  // namespace ref
