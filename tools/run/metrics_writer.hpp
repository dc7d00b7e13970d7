// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The process behind --metrics: whenever a window's trace is complete, prof-report makes the
// metrics of it. Of several processes that the program starts, the last window of each counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof::tools {

/// When files were last changed, in nanoseconds, by path.
using ChangedFiles = std::map<std::string, std::int64_t>;

struct MetricsPlan {
  std::string file;            ///< To write.
  std::string traces;          ///< Absolute, with its placeholders; %n among them.
  std::string reporter;        ///< The path of prof-report.
  ChangedFiles existing = {};  ///< Traces of other runs, unless they change.
};

/// `traces` of the plan: the last one of each process. Sorted. A process that had none while
/// another one had two has ended, or has nothing to do.
std::vector<std::string> last_windows(const MetricsPlan& plan);

/// Makes the plan for prof-run's option before the program starts. Checks that the file can be
/// written and that prof-report is there.
Result<MetricsPlan> plan_metrics(const std::string& file, const std::string& traces,
                                 const std::string& own_path);

/// For this process, which becomes the program.
Status leave_metrics_writer(const MetricsPlan& plan);

}  // namespace prof::tools
