// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares one training step on the GPU with the CPU reference: loss, all gradients, AdamW's
// moments and updates, and the loss after them.
#pragma once

#include <string>

#include "gpt/config.hpp"

namespace ref {

/// Small enough that the reference takes well under a second.
[[nodiscard]] GptConfig gpt_check_config();

/// Prints a line for each comparison and the verdict; true if all agree. If the gradient term
/// `dropped` is not empty, the GPU's step omits it, and the check must fail. Throws GpuError.
[[nodiscard]] bool check_gpt(const GptConfig& config, const std::string& dropped);

}  // namespace ref
