// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `gpu`: kernels, memory copies and memory sets in launch order, with attribution.
#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"
#include "tools/report/rows/gpu_work_fields.hpp"

namespace prof::reports {

void register_gpu(Registry& registry) {
  registry.add(std::make_unique<ListReport<GpuWork>>(ListReport<GpuWork>::Traits{
      .name = "gpu",
      .help = "every GPU kernel, memory copy and memory set in launch order",
      .table = {"idx", "dir", "layer", "op", "params", "kernel", "bytes", "time_us"},
  }));
}

}  // namespace prof::reports
