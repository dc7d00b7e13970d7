// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace's gaps, as lines: records that the capture lost (model/losses.hpp), and facts that the
// analyzers could not attribute, or had to guess. The notes print all of them; report `losses` adds
// their times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

enum class LossKind : std::uint8_t {
  kLost,     ///< Missing from the trace.
  kUnknown,  ///< In the trace, but not all about it is known.
  kGuess,    ///< Estimated, or contradictory.
  kNotice,   ///< Unusual, but nothing is missing.
};
std::string_view name(LossKind kind);  ///< "lost", "unknown", "guess", "notice".

/// Word of the kernels that lack a layer, a direction or a known op.
inline constexpr std::string_view kUnattributed = "unattributed";

struct LossLine {
  std::string word;  ///< The word of the loss; for a contradiction "contradicts=dtype".
  LossKind kind = LossKind::kLost;
  std::uint64_t count = 0;
  std::string what;         ///< "kernels without a recorded launch"
  std::string line;         ///< "2 kernels without a recorded launch"
  std::string_view advice;  ///< Advice against it; empty: nothing helps, or nothing is amiss.
};

/// The losses that are recorded in the trace.
std::vector<LossLine> recorded_losses(TraceReader& trace);
/// Complete once all rows of the trace are read.
std::vector<LossLine> attribution_losses(const Tally::OfTrace& work);

/// Names of devices whose peaks are not from a data sheet, and what is known of these peaks.
std::map<std::string, std::string> uncertain_peaks(TraceReader& trace);

}  // namespace prof::reports
