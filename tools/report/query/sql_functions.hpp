// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions that SQLite lacks, for SQL reports and for --sql:
//
//     median(x)        the middle value, or the mean of the two middle ones
//     p95(x)           the value that 95 % do not exceed, interpolated as numpy does
//     stddev_samp(x)   standard deviation of the sample; NULL for fewer than two values
//     stddev_pop(x)    standard deviation of the population
//     step_number(t)   the step that a range of that text is; NULL: it is none
//
// The others are aggregates: NULL is left out; without a value the result is NULL. median and p95
// keep the values of a group, 8 bytes each.
#pragma once

#include <span>

#include "libprof/store/sqlite/sql_aggregate.hpp"
#include "libprof/store/sqlite/sql_function.hpp"

namespace prof::reports {

std::span<const SqlAggregateFunction> aggregates();
std::span<const SqlFunction> sql_functions();

}  // namespace prof::reports
