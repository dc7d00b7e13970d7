// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPT-2's training step on the CPU.
#pragma once

#include "common/reference_step.hpp"
#include "gpt/batch.hpp"
#include "gpt/config.hpp"

namespace ref {

/// `parameters` are wte, wpe, ln_1.weight, attn.c_attn.weight, ...; those of blocks are stacked.
[[nodiscard]] ReferenceStep gpt_reference_step(const GptConfig& config, const HostTokens& tokens,
                                               const NamedTensors& parameters,
                                               ReferenceStorage storage);

}  // namespace ref
