// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Differences between two sides besides their times: stated before anything is compared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/report/compare/gpu_pairs.hpp"

namespace prof::reports {

/// A line each: other models of GPUs, other numbers of ranks, ranks without a trace, GPUs that are
/// on one side alone. The first `base_traces` traces are the base.
std::vector<std::string> unlike_sides(const TraceSet& traces, std::size_t base_traces,
                                      const GpuPairs& pairs);

/// Files compared with themselves.
bool are_same_files(const TraceSet& traces, std::size_t base_traces);

}  // namespace prof::reports
