// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// read_launches: what a trace's program launched, in order of time. Reads the trace's work once,
// and its optimizers' ranges. Keeps the last two million launches,
// of 40 bytes each; what looks for loops among them takes as much again, twice.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/loops/sequence.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::loops {

struct LaunchLog {
  std::vector<Launch> launches;
  std::uint32_t symbols = 0;   ///< Both kinds are below this.
  std::uint64_t left_out = 0;  ///< Launches before those that are kept.
};

Result<LaunchLog> read_launches(TraceReader& reader, const dialects::Registry& dialects);

}  // namespace prof::loops
