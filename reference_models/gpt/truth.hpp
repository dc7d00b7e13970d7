// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program knows of its own step: its ledger, which shares nothing with the model, and the
// check against the CPU reference.
#pragma once

#include <string>

#include "common/ledger.hpp"
#include "gpt/config.hpp"

namespace ref {

/// What a training step computes, op by op, from the sizes alone: one GPU's part of a step that is
/// not the first, so that optimizer states exist. Validation is not in it.
[[nodiscard]] Ledger gpt_ledger(const GptConfig& config);

/// Compares a training step on the GPU with the CPU reference: loss, all gradients, AdamW's moments
/// and updates, and the loss after them. Prints a line for each and the verdict; true if all agree.
/// If the gradient term `dropped` is not empty, the GPU's step omits it, and the check must fail.
/// Throws GpuError.
[[nodiscard]] bool check_gpt(const GptConfig& config, const std::string& dropped);

}  // namespace ref
