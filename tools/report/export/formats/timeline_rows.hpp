// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows that formats with a timeline show: ranges, steps, CUDA calls, GPU work and counters,
// with their names and arguments. A format is a sink for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "libprof/base/result.hpp"
#include "tools/report/export/formats/counters.hpp"
#include "tools/report/export/formats/tracks.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/rank_waits.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::exports {

/// Absent cells are left out.
struct Argument {
  std::string_view word;
  reports::Cell value;
};

/// A range, a step or a CUDA call. Texts are valid during the call, as are those below.
struct HostSlice {
  std::size_t trace = 0;
  TrackKind kind = TrackKind::kThread;
  ThreadId thread;  ///< Where the kind is kThread.
  std::string_view name, category;
  std::int64_t start_ns = 0, end_ns = 0;  ///< On the time axis of the traces of a host.
  std::span<const Argument> arguments;
};

/// A kernel, a copy or a set.
struct WorkSlice {
  std::size_t trace = 0;
  reports::WorkRow& row;
  std::string_view name, category;
  std::int64_t start_ns = 0, end_ns = 0;
  /// Absent: the launch, or its thread, is unknown, or not before the start: clocks may disagree.
  std::optional<std::int64_t> launch_ns;
  /// Set for a collective that the traces of other ranks have, too.
  std::optional<reports::CollectiveWait> wait;
  std::span<const Argument> arguments;
};

class TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  virtual Status take(const HostSlice& slice) = 0;
  virtual Status take(const WorkSlice& slice) = 0;
  virtual Status take(const CounterSample& sample) = 0;
};

/// Rows without a time or an end are reported in the tally's remarks. If rows are chosen, counters
/// are read as far as these last.
Status read_timeline(const reports::RowInput& input, TimelineSink& sink);

}  // namespace prof::exports
