// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `kernels`: every GPU kernel in launch order.
#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"
#include "tools/report/rows/gpu_work_fields.hpp"

namespace prof::reports {

void register_kernels(Registry& registry) {
  registry.add(std::make_unique<ListReport<Kernels>>(ListReport<Kernels>::Traits{
      .name = "kernels",
      .help = "every GPU kernel in launch order",
      .table = {"idx", "dir", "layer", "op", "params", "kernel", "time_us"},
      .tells_steps = true,
  }));
}

}  // namespace prof::reports
