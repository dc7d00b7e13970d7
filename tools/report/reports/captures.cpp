// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `captures`: the captured parts of a run.
#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"
#include "tools/report/rows/captured_parts.hpp"

namespace prof::reports {

void register_captures(Registry& registry) {
  registry.add(std::make_unique<ListReport<CapturedParts>>(ListReport<CapturedParts>::Traits{
      .name = "captures",
      .help = "the captured parts of the run, with the GPU work of each",
      .table = {"capture", "start_ns", "time_us", "kernels", "copies", "gpu_us", "opener",
                "closer"},
  }));
}

}  // namespace prof::reports
