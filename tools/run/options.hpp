// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of prof-run, for its command line and for its manual.
#pragma once

#include "tools/common/manual.hpp"
#include "tools/run/launch_plan.hpp"

namespace prof::tools {

/// Adds the options to `app`, which writes to `options` when it parses.
void define_run_options(CLI::App& app, RunOptions& options);
Manual run_manual();

}  // namespace prof::tools
