// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The process behind --metrics: whenever a window's trace is complete, prof-report makes the
// metrics of it. Of several processes that the program starts, the last window of each counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof::tools {

struct MetricsPlan {
  std::string file;      ///< To write.
  std::string traces;    ///< Absolute, with its placeholders; %n among them.
  std::string reporter;  ///< The path of prof-report.
  std::int64_t since_ns = 0;  ///< Older traces are of other runs. By CLOCK_REALTIME.
};

/// `traces` of the plan: the last one of each process. Sorted.
std::vector<std::string> last_windows(const MetricsPlan& plan);

/// Of prof-run's option, before the program starts: the file can be written, and prof-report is
/// there.
Result<MetricsPlan> plan_metrics(const std::string& file, const std::string& traces,
                                 const std::string& own_path, std::int64_t since_ns);

/// For this process, which becomes the program. False: no process can be left behind.
bool leave_metrics_writer(const MetricsPlan& plan);

}  // namespace prof::tools
