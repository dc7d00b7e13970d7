// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `sync`: time spent waiting, by what was waited for.
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"
#include "tools/report/rows/synchronizations.hpp"

namespace prof::reports {

void register_sync(Registry& registry) {
  registry.add(
      std::make_unique<RollupReport<Synchronizations>>(RollupReport<Synchronizations>::Traits{
          .name = "sync",
          .help = "waits and their time by what was waited for, longest first",
          .table = {"type", "function", "count", "time_us", "time_pct", "mean_us", "min_us",
                    "max_us"},
      }));
}

}  // namespace prof::reports
