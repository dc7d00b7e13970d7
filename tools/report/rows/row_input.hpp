// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowInput: the source of a report's rows, and Tally: counts of the rows read, for the notes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/model/attribution_counts.hpp"
#include "analyzers/steps/step_set.hpp"
#include "libprof/base/result.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/rows/rank_waits.hpp"
#include "tools/report/rows/reading.hpp"

namespace prof::reports {

/// Counts for one trace. "Shown" rows passed the filter.
struct WorkCounts {
  std::uint64_t kernels = 0;  ///< In the whole trace, as far as it was read.
  std::uint64_t copies = 0;   ///< Copies and sets, likewise.
  std::uint64_t shown_kernels = 0;
  std::uint64_t shown_copies = 0;
  std::uint64_t shown_unattributed = 0;  ///< Kernels lacking a layer, direction or known op.
  /// Kernels without an op that is more than a name.
  std::uint64_t shown_without_op = 0;
  std::uint64_t shown_in_steps = 0;  ///< Kernels in any step.
  std::int64_t shown_kernel_ns = 0;

  WorkCounts& operator+=(const WorkCounts& other);
};

/// Whether what a comparison was asked to watch stays within its limit.
struct LimitVerdict {
  enum class Kind : std::uint8_t { kWithin, kExceeded, kUndecided } kind = Kind::kWithin;
  double change_pct = 0;  ///< The largest one that exceeds it.
  std::string why;        ///< It is undecided.
};

struct Tally {
  struct OfTrace {
    WorkCounts work;
    AttributionCounts analysis;  ///< Covers all work, including what is not shown.
  };
  std::vector<OfTrace> traces;  ///< As in the trace set; empty: no GPU work was requested.
  bool with_copies = false;     ///< Copies and sets were requested.
  FilterTally filter;
  std::vector<std::string> remarks;   ///< The report's own lines for the notes.
  std::vector<std::string> warnings;  ///< Likewise: what could not be read, and is left out.
  bool compares = false;              ///< Two sides, which do not add up.
  LimitVerdict limit;                 ///< Set by a comparison.
  std::size_t folded_lines = 0;       ///< Lines of numbered layers that were added to others.

  /// For row kinds other than GPU work: the name and number of rows.
  std::string_view row, rows;
  std::uint64_t row_count = 0;    ///< In the traces.
  std::uint64_t shown_count = 0;  ///< The rows that passed the filters.

  [[nodiscard]] WorkCounts work() const;  ///< Over all traces.
  /// A remark, unless it is there already.
  void remark_once(std::string_view line);
};

/// Owns nothing; all of it must outlive the cursors opened over it.
struct RowInput {
  const TraceSet& traces;
  Reading& reading;
  const RowFilter& filter;
  Tally& tally;                   ///< Complete once all rows are read.
  FindRankWaits find_waits = {};  ///< Empty: other ranks do not matter.
};

/// A time of a trace on the time axis shared by the traces of its host.
inline std::int64_t on_axis(const TraceMember& trace, std::int64_t time_ns) {
  return sum_of_times(time_ns, trace.identity.offset_ns);
}

}  // namespace prof::reports
