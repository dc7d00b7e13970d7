// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares training steps on the GPU with the CPU's reference, tensor by tensor.
#pragma once

#include <string>

#include "bert/config.hpp"

namespace ref {

/// Prints a line for the loss and for every gradient and update, on stdout; `dropped` names a term
/// that the GPU leaves out (empty: none). True if all agree.
[[nodiscard]] bool check_bert(const BertConfig& config, const std::string& dropped);

}  // namespace ref
