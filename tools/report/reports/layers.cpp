// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `layers`: time, FLOPs and bytes of each layer, by direction.
#include "tools/report/reports/registry.hpp"
#include "tools/report/reports/rollup_report.hpp"
#include "tools/report/rows/gpu_work_fields.hpp"

namespace prof::reports {

void register_layers(Registry& registry) {
  registry.add(std::make_unique<RollupReport<Kernels>>(RollupReport<Kernels>::Traits{
      .name = "layers",
      .help = "kernels, time, FLOPs and bytes of each layer and direction, longest first",
      .table = {"layer", "dir", "kernels", "time_us", "time_pct", "gflop", "mb", "tflop_per_s",
                "gb_per_s", "peak_pct", "roofline_pct"},
  }));
}

}  // namespace prof::reports
