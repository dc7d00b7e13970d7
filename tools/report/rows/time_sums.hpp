// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The totals of rows that have a duration (Row::duration_ns()).
#pragma once

#include "tools/report/rows/sums.hpp"

namespace prof::reports {

// NOLINTNEXTLINE(readability-identifier-naming): a constant, though it is defined elsewhere
extern const SumKind kTimeSums;

}  // namespace prof::reports
