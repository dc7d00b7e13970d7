// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How long each rank of a collective waits for others, and for whom, by the rule of the collective.
// Pure.
#pragma once

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

/// Sets the rule, the transfer, the waits and the last rank of each collective of a run.
void find_waits(JoinedRun& run);

}  // namespace prof::ranks
