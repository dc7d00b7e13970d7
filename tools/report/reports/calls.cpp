// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `calls`: every CUDA call.
#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"
#include "tools/report/rows/api_calls.hpp"

namespace prof::reports {

void register_calls(Registry& registry) {
  registry.add(std::make_unique<ListReport<ApiCalls>>(ListReport<ApiCalls>::Traits{
      .name = "calls",
      .help = "every CUDA call in call order",
      .table = {"idx", "function", "thread", "depth", "status", "range", "start_ns", "time_us"},
  }));
}

}  // namespace prof::reports
