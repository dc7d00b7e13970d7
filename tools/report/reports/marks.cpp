// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `marks`: every NVTX mark.
#include "tools/report/rows/marks.hpp"
#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"

namespace prof::reports {

void register_marks(Registry& registry) {
  registry.add(std::make_unique<ListReport<Marks>>(ListReport<Marks>::Traits{
      .name = "marks",
      .help = "every NVTX mark in order of arrival",
      .table = {"idx", "text", "domain", "thread", "range", "payload", "start_ns"},
  }));
}

}  // namespace prof::reports
