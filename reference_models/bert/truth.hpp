// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program knows of its own step: its ledger, which shares nothing with the model, and the
// check against the CPU reference.
#pragma once

#include <string>

#include "bert/config.hpp"
#include "common/ledger.hpp"

namespace ref {

/// What a training step computes, op by op, from the sizes alone.
[[nodiscard]] Ledger bert_ledger(const BertConfig& config);

/// Compares training steps on the GPU with the CPU's reference, tensor by tensor. Prints a line for
/// the loss and for every gradient and update, on stdout; `dropped` names a term that the GPU
/// leaves out (empty: none). True if all agree. Throws GpuError.
[[nodiscard]] bool check_bert(const BertConfig& config, const std::string& dropped);

}  // namespace ref
