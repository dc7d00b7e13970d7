// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline of each GPU as a row kind (row_kinds.hpp: kDeviceTimes), by GPU and in order of
// time: one row for each stretch of one state, and of idle time of one cause. Nothing between
// captured parts.
#pragma once

#include <optional>

#include "analyzers/timeline/work_timeline.hpp"
#include "tools/report/rows/row.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// One slice and the source of its cells.
class DeviceTimeRow final : public Row {
 public:
  explicit DeviceTimeRow(const TraceMember& trace) : trace_(trace) {}
  void set(const TimelineSlice& slice, bool is_steady) {
    slice_ = &slice;
    is_steady_ = is_steady;
  }

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override {
    return slice_->part.capture;
  }
  [[nodiscard]] const TimelineSlice& slice() const { return *slice_; }
  [[nodiscard]] bool is_steady() const { return is_steady_; }
  [[nodiscard]] std::int64_t time_ns() const {
    return difference_of_times(slice_->time.end_ns, slice_->time.begin_ns);
  }
  [[nodiscard]] std::int64_t start_ns() const {
    return reports::on_axis(trace_, slice_->time.begin_ns);
  }
  [[nodiscard]] Cell cause() const {
    const bool is_idle = slice_->time.state == DeviceState::kIdle;
    return is_idle ? text(name(slice_->cause)) : absent();
  }

 private:
  const TraceMember& trace_;
  const TimelineSlice* slice_ = nullptr;
  bool is_steady_ = false;
};

}  // namespace prof::reports
