// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `os_calls`: every recorded call of the operating system.
#include "tools/report/rows/os_calls.hpp"

#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"

namespace prof::reports {

void register_os_calls(Registry& registry) {
  registry.add(std::make_unique<ListReport<OsCalls>>(ListReport<OsCalls>::Traits{
      .name = "os_calls",
      .help = "every recorded call of the operating system, in order of arrival",
      .table = {"idx", "function", "thread", "thread_name", "range", "start_ns", "time_us"},
  }));
}

}  // namespace prof::reports
