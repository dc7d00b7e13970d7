// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `ops`: time, FLOPs and bytes of each op, by direction. -c op,dir,part,params,... adds the
// shapes.
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"

namespace prof::reports {

void register_ops(Registry& registry) {
  registry.add(std::make_unique<RollupReport>(RollupReport::Traits{
      .name = "ops",
      .help = "calls, kernels, time, FLOPs and bytes of each op and direction, most time first",
      .table_columns =
          "op,dir,calls,kernels,time_us,time_pct,gflop,mb,tflop_per_s,gb_per_s,roofline_pct",
      .machine_columns =
          "op,dir,calls,kernels,time_ns,time_pct,flops,bytes,tflop_per_s,gb_per_s,intensity,"
          "peak_pct,roofline_pct,flops_unknown,bytes_unknown,bytes_read,bytes_written,alg_gb_per_s,"
          "bus_gb_per_s",
  }));
}

}  // namespace prof::reports
