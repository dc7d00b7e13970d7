// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of prof-run, for its command line and for its manual.
#pragma once

#include "libprof/base/result.hpp"
#include "tools/common/manual.hpp"
#include "tools/run/launch_plan.hpp"

namespace prof::tools {

/// Adds the options to `app`, which writes to `options` when it parses.
void define_run_options(CLI::App& app, RunOptions& options);
/// Of a parsed command line with --pid: one command follows, and there is no other option.
Status check_steering(const CLI::App& app);
Manual run_manual();

}  // namespace prof::tools
