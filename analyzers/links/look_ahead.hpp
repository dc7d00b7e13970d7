// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looks at the ranges that a thread opens inside another one, ahead of the work: at most as far as
// the reader keeps ranges.
#pragma once

#include <cstdint>

#include "libprof/store/read/trace_reader.hpp"

namespace prof {

enum class LookAhead : std::uint8_t { kStopped, kAll, kGivenUp };

/// Calls `stops_at(row)` for the ranges inside `range`, until that one ends or the answer is true.
template <class StopsAt>
LookAhead look_ahead(TraceReader& reader, const RangeRow& range, StopsAt stops_at) {
  // Half of what the reader keeps: what is looked at here is soon needed again.
  constexpr int kMaxRanges = 1 << 15;
  RangeId at = range.id;
  for (int count = 0; count < kMaxRanges; ++count) {
    const RangeRef row = reader.range_after(at);
    if (!row) return LookAhead::kAll;
    at = row->id;
    if (row->thread != range.thread) continue;
    if (range.end_ns && row->start_ns > *range.end_ns) return LookAhead::kAll;
    if (stops_at(*row)) return LookAhead::kStopped;
  }
  return LookAhead::kGivenUp;
}

}  // namespace prof
