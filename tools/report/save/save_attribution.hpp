// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// `prof-report --save`: attributes a trace and stores what the analyzers say in the trace itself
// (libprof/store/save/saved_attribution.hpp). Streams; memory is bounded as that of a report is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/progress.hpp"

namespace prof::reports {

struct SaveOutcome {
  bool was_fresh = false;  ///< Nothing was done, and nothing is counted below.
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  ///< Copies and sets.
  std::uint64_t attributions = 0;
  std::int64_t bytes_added = 0;  ///< To the file; below 0 where an older analysis was larger.
};

/// `domains` as for --domain. Errors are one line each; the trace is then as it was. Updates
/// `progress`, unless that is null.
Result<SaveOutcome> save_attribution(const std::string& path, std::vector<std::string> domains,
                                     tools::Progress* progress = nullptr);

/// A line for people, without the line's end.
std::string to_line(const std::string& path, const SaveOutcome& outcome);

}  // namespace prof::reports
