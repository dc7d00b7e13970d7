// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `captures`: the parts of the run that were captured.
#include "tools/report/rows/captures.hpp"

#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"

namespace prof::reports {

void register_captures(Registry& registry) {
  registry.add(std::make_unique<ListReport<Captures>>(ListReport<Captures>::Traits{
      .name = "captures",
      .help = "the parts of the run that were captured (prof-run --capture), in time order",
      .table = {"capture", "start_ns", "time_us", "opener", "closer"},
  }));
}

}  // namespace prof::reports
