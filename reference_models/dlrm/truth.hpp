// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program knows of its own step: its ledger, which shares nothing with the model, and the
// check against the CPU reference.
#pragma once

#include <string>

#include "common/ledger.hpp"
#include "dlrm/config.hpp"

namespace ref {

/// What a training step computes, op by op, from the sizes alone.
[[nodiscard]] Ledger dlrm_ledger(const DlrmConfig& config);

/// Sizes at which the reference takes under a second, small enough that every table has rows looked
/// up several times and others never.
[[nodiscard]] DlrmConfig check_config();

/// Compares a training step on the GPU with the CPU's reference, tensor by tensor. Prints a line
/// for the loss and for every gradient and update, on stdout; `dropped` names a term that the GPU
/// leaves out (empty: none). True if all agree.
[[nodiscard]] bool check_gradients(const DlrmConfig& config, const std::string& dropped);

}  // namespace ref
