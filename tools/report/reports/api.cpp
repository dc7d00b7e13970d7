// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `api`: calls and time of each CUDA function.
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"
#include "tools/report/rows/api_calls.hpp"

namespace prof::reports {

void register_api(Registry& registry) {
  registry.add(std::make_unique<RollupReport<ApiCalls>>(RollupReport<ApiCalls>::Traits{
      .name = "api",
      .help = "calls and time of each CUDA function, longest first; one inside another counts in "
              "both lines",
      .table = {"api", "function", "count", "time_us", "time_pct", "mean_us", "min_us", "max_us"},
  }));
}

}  // namespace prof::reports
