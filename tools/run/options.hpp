// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of prof-run, for its command line and for its manual.
#pragma once

#include <memory>

#include "libprof/base/result.hpp"
#include "tools/common/command_line.hpp"
#include "tools/run/launch_plan.hpp"

namespace prof::tools {

/// Writes to `options` when it parses.
std::unique_ptr<CommandLine> run_command_line(RunOptions& options);
/// Checks a parsed command line with --pid: one command follows, and there is no other option.
Status check_steering(const CommandLine& line);
/// Checks that the run has what its capture windows need. `windows`: the value of PROF_CAPTURE.
Status check_windows(const RunOptions& options, const std::string& windows);
Manual run_manual();

}  // namespace prof::tools
