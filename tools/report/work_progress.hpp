// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress of reading attributed GPU work, whatever report or SQL reads it.
#pragma once

#include <cstdint>
#include <optional>

#include "libprof/store/trace_set.hpp"
#include "tools/common/progress.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// Which part of a trace's GPU work lies before a row. Rows come in the order of their
/// correlations, which SQLite finds the ends of without reading the rows.
class WorkSpan {
 public:
  explicit WorkSpan(TraceReader& trace);

  /// Absent if the ends are unknown.
  [[nodiscard]] std::optional<double> part_before(const GpuRow& row) const;

 private:
  std::uint64_t first_ = 0, last_ = 0;
};

/// The same work; reading it updates `progress`, which must outlive what reads. Every trace counts
/// alike. If the traces are read more than once, which SQL may do, only the rows are counted.
AttributeWork with_progress(AttributeWork attribute, std::size_t traces, tools::Progress& progress);

}  // namespace prof::reports
