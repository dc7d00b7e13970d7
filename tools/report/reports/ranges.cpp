// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `ranges`: how often and how long each range was open.
#include "tools/report/rows/ranges.hpp"
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"

namespace prof::reports {

void register_ranges(Registry& registry) {
  registry.add(std::make_unique<RollupReport<Ranges>>(RollupReport<Ranges>::Traits{
      .name = "ranges",
      .help = "openings and time of each NVTX range, longest first; a nested range counts in both",
      .table = {"text", "domain", "count", "time_us", "mean_us", "min_us", "max_us"},
  }));
}

}  // namespace prof::reports
