// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The trace that a run is expected to leave, for the code that reports its absence: prof-run's
// watcher and the collector in the process that prof-run became.
#pragma once

#include <cstdint>
#include <string>

namespace prof {

struct ExpectedTrace {
  std::string path;  ///< Absolute path, with its placeholders.
  std::string old;   ///< fingerprint() of the existing file that may be replaced, or empty.
  std::int64_t since_ns = 0;  ///< The run's start, by CLOCK_REALTIME.
};

/// Whether the run left a trace of that name.
bool was_written(const ExpectedTrace& expected);

/// The message for the user; `why`: the part behind the colon.
std::string no_trace_line(const ExpectedTrace& expected, const std::string& why);
/// All that is known if nobody could investigate further.
std::string why_perhaps();

}  // namespace prof
