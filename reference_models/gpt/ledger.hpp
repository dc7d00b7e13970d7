// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a training step computes, op by op, from the sizes alone. Shares nothing with the model.
#pragma once

#include "common/ledger.hpp"
#include "gpt/config.hpp"

namespace ref {

/// One GPU's part of a step that is not the first: optimizer states exist. Validation is not in it.
[[nodiscard]] Ledger gpt_ledger(const GptConfig& config);

}  // namespace ref
