// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the reader of a report must know about its traces: where they come from, how much of them is
// shown, and what is missing. Plain lines; the caller decides where to print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libprof/store/trace_set.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

struct Notes {
  std::vector<std::string> facts;
  std::vector<std::string> warnings;  ///< Without the word "warning".
};

/// Call after the report has run, when `tally` is complete.
Notes make_notes(const TraceSet& traces, const Choice& choice, const Tally& tally);

/// Lines that `to` lacks are appended.
void add_notes(const Notes& notes, Notes& to);

}  // namespace prof::reports
