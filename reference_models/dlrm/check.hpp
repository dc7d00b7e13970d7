// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares a training step on the GPU with the CPU's reference, tensor by tensor.
#pragma once

#include <string>

#include "dlrm/config.hpp"

namespace ref {

/// Sizes at which the reference takes under a second, small enough that every table has rows looked
/// up several times and others never.
[[nodiscard]] DlrmConfig check_config();

/// Prints a line for the loss and for every gradient and update, on stdout; `dropped` names a term
/// that the GPU leaves out (empty: none). True if all agree.
[[nodiscard]] bool check_gradients(const DlrmConfig& config, const std::string& dropped);

}  // namespace ref
