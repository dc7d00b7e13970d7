// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a reader of a report must know about its trace: where it comes from, how much of it is
// shown, and what is missing from it. Plain lines; where they are printed is the program's matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libprof/store/trace_reader.hpp"
#include "tools/report/selection.hpp"

namespace prof::reports {

struct Notes {
  std::vector<std::string> facts;
  std::vector<std::string> warnings;  ///< Without the word "warning".
};

/// After the report has run: `tally` and `counts` are complete then.
Notes make_notes(TraceReader& trace, TraceReader::Work work, std::optional<std::int64_t> step,
                 const Tally& tally, const AttributionCounts& counts);

}  // namespace prof::reports
