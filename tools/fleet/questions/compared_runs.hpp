// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The runs that a question compares: whether they are in the store, and what differs besides time.
#pragma once

#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/fleet/questions/question.hpp"

namespace prof::fleet {

/// Lines about ranks without a trace, other numbers of ranks, and other GPUs: said before a
/// comparison. An error if a run is not in the store.
Result<std::vector<std::string>> differences_of_runs(Store& store, const Asked& asked);

}  // namespace prof::fleet
