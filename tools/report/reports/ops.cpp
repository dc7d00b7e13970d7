// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `ops`: time, FLOPs and bytes of each op, by direction. -c op,dir,part,params,... adds the
// shapes.
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"
#include "tools/report/rows/gpu_work_fields.hpp"

namespace prof::reports {

void register_ops(Registry& registry) {
  registry.add(std::make_unique<RollupReport<Kernels>>(RollupReport<Kernels>::Traits{
      .name = "ops",
      .help = "calls, kernels, time, FLOPs and bytes of each op and direction, longest first",
      .table = {"op", "dir", "calls", "kernels", "time_us", "time_pct", "gflop", "mb",
                "tflop_per_s", "gb_per_s", "roofline_pct"},
  }));
}

}  // namespace prof::reports
