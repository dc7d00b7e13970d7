// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `overhead`: time spent in CUDA and CUPTI themselves.
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"
#include "tools/report/rows/overheads.hpp"

namespace prof::reports {

void register_overhead(Registry& registry) {
  registry.add(std::make_unique<RollupReport<Overheads>>(RollupReport<Overheads>::Traits{
      .name = "overhead",
      .help = "time spent in CUDA and CUPTI themselves, by kind, longest first",
      .table = {"kind", "count", "time_us", "time_pct", "mean_us", "min_us", "max_us"},
  }));
}

}  // namespace prof::reports
