// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a DLRM training step computes, op by op, from the config alone.
#pragma once

#include "common/ledger.hpp"
#include "dlrm/config.hpp"

namespace ref {

[[nodiscard]] Ledger dlrm_ledger(const DlrmConfig& config);

}  // namespace ref
