// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Selection: the part of one trace's attributed GPU work that a report shows, in launch order:
// numbered before filtering, filtered, tallied.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

struct Work {
  std::uint64_t idx = 0;  ///< 1 for the first row of the first trace, regardless of the filter.
  const GpuRow* row = nullptr;
  const Attribution* attribution = nullptr;
};

class Selection {
 public:
  using Filter = std::function<bool(const Work&)>;

  /// Without a filter, everything is shown. `before`: number of rows in earlier traces.
  Selection(WorkSource& source, Filter filter, WorkCounts& counts, StepSet& steps,
            std::uint64_t before = 0)
      : source_(source), filter_(std::move(filter)), counts_(counts), steps_(steps) {
    work_.idx = before;
  }

  /// The next row, or null at the end or after an error. Valid until the next call.
  const Work* next();
  [[nodiscard]] std::uint64_t last_idx() const { return work_.idx; }

 private:
  WorkSource& source_;
  Filter filter_;
  WorkCounts& counts_;
  StepSet& steps_;
  Work work_;
};

}  // namespace prof::reports
