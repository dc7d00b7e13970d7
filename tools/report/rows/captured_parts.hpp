// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The captured parts of a run as a row kind, in time order, with the GPU work of each. A trace
// without parts is one, of which neither a start nor an end is known.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/trace_wise.hpp"

namespace prof::reports {

/// One captured part and the source of its cells.
class CapturedPart {
 public:
  explicit CapturedPart(const TraceMember& trace) : trace_(trace) {}

  CaptureRow row;
  bool has_times = true;
  std::uint64_t kernels = 0, copies = 0;
  std::int64_t gpu_ns = 0;

  [[nodiscard]] const TraceIdentity& trace() const { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const { return row.number; }
  [[nodiscard]] Cell start_ns() const {
    return has_times ? signed_number(on_axis(trace_, row.start_ns)) : absent();
  }
  /// Absent: it has not ended.
  [[nodiscard]] std::optional<std::int64_t> duration_ns() const {
    if (!has_times || !row.end_ns) return std::nullopt;
    return difference_of_times(*row.end_ns, row.start_ns);
  }
  void add(const GpuRow& work);

 private:
  const TraceMember& trace_;
};

class CapturedPartsOfTrace {
 public:
  CapturedPartsOfTrace(const TraceMember& trace, const Choice&) : trace_(trace) {}
  CapturedPart* next();
  [[nodiscard]] Status status() const { return status_; }

 private:
  /// Reads the GPU work once.
  void count();

  const TraceMember& trace_;
  std::vector<CapturedPart> parts_;
  std::size_t at_ = 0;
  bool is_counted_ = false;
  Status status_;
};

// clang-format off
inline constexpr auto kCapturedPartsFields = with_trace_alone<CapturedPart>({
    {Column::integer("capture", "Capture", "", "number of the captured part of the run, from 1 in each trace"), [](CapturedPart& r) { return number(r.row.number); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](CapturedPart& r) { return r.start_ns(); }},
    {Column::real("time_us", "Time", "us", "time from its start to its end; absent: it has not ended", 0).grouped().wide(9), [](CapturedPart& r) { return microseconds(r.duration_ns()); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "time from its start to its end; absent: it has not ended").grouped().wide(9), [](CapturedPart& r) { return nanoseconds(r.duration_ns()); }},
    {Column::integer("kernels", "Kernels", "", "kernels that started in it").grouped(), [](CapturedPart& r) { return number(r.kernels); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets that started in it").grouped().drop(3), [](CapturedPart& r) { return number(r.copies); }},
    {Column::real("gpu_us", "GPU time", "us", "total time of its kernels, copies and sets", 0).grouped().wide(9), [](CapturedPart& r) { return microseconds(r.gpu_ns); }, Role::kAlias},
    {Column::integer("gpu_ns", "GPU time", "ns", "total time of its kernels, copies and sets").grouped().wide(9), [](CapturedPart& r) { return signed_number(r.gpu_ns); }},
    {Column::text("opener", "Opened by", "why it began").cut_end(12), [](CapturedPart& r) { return text(r.row.opener); }},
    {Column::text("closer", "Closed by", "why it ended; absent: it has not").cut_end(12).drop(2), [](CapturedPart& r) { return text(r.row.closer); }},
});
// clang-format on

/// The captured parts of a run.
struct CapturedParts {
  using Row = CapturedPart;
  static constexpr RowNames kNames = {"capture", "captures", "captures"};
  static constexpr bool kHasSteps = false;
  static constexpr std::span<const Field<Row>> kFields = kCapturedPartsFields;
  using Cursor = TraceWiseCursor<CapturedPartsOfTrace, kCapturedPartsFields>;
};

}  // namespace prof::reports
