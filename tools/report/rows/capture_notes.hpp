// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of the notes about the captures of a trace.
#pragma once

#include <string>

#include "libprof/store/read/trace_reader.hpp"

namespace prof::reports {

/// "3 captures: steps 10, 20, 30 (1.2 s of 60.1 s)"; empty unless there are several.
std::string captures_line(const Captures& captures);
/// Empty if the last one ended.
std::string unended_line(const Captures& captures);

}  // namespace prof::reports
