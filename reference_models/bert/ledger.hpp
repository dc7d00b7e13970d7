// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step of BERT's pre-training computes, op by op, from the configuration alone.
#pragma once

#include "bert/config.hpp"
#include "common/ledger.hpp"

namespace ref {

[[nodiscard]] Ledger bert_ledger(const BertConfig& config);

}  // namespace ref
