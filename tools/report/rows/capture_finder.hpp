// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CaptureFinder: which capture of a trace a row belongs to, where a run was captured in windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "libprof/model/times.hpp"
#include "libprof/store/record_cursor.hpp"
#include "tools/report/cell.hpp"

namespace prof::reports {

class CaptureFinder {
 public:
  /// The trace need not outlive it.
  explicit CaptureFinder(TraceReader& trace) {
    const auto records = records_of<CaptureRecord>(trace);
    while (const CaptureRecord* record = records->next()) {
      captures_.push_back({record->number,
                           difference_of_times(record->start_ns, trace.start_realtime_ns()),
                           record->first_range, record->end_range});
    }
  }

  /// The whole run was captured, or the trace is of another tool.
  [[nodiscard]] bool empty() const { return captures_.empty(); }

  /// What begins at that time, since the start of the trace.
  [[nodiscard]] Cell at(std::optional<std::int64_t> time_ns) const {
    if (!time_ns) return absent();
    const auto after = std::ranges::upper_bound(captures_, *time_ns, {}, &Capture::start_ns);
    return after == captures_.begin() ? absent() : number((after - 1)->number);
  }

  /// Whether a capture recorded the push/pop range. Others have led to CUDA graphs between windows.
  [[nodiscard]] bool has(RangeId range) const { return find(range) != nullptr; }
  [[nodiscard]] Cell of(RangeId range) const {
    const Capture* const found = find(range);
    return found != nullptr ? number(found->number) : absent();
  }

 private:
  struct Capture {
    std::uint32_t number;
    std::int64_t start_ns;
    RangeId first_range, end_range;
  };

  [[nodiscard]] const Capture* find(RangeId range) const {
    const auto after = std::ranges::upper_bound(captures_, range, {}, &Capture::first_range);
    if (after == captures_.begin()) return nullptr;
    const Capture& capture = *(after - 1);
    return capture.end_range == 0 || range < capture.end_range ? &capture : nullptr;
  }

  std::vector<Capture> captures_;  ///< By number, and so by time.
};

}  // namespace prof::reports
