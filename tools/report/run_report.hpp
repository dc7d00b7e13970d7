// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report over open traces: report, renderer, notes. The caller passes the streams,
// so that tests can read them.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>

#include "libprof/store/read/trace_set.hpp"
#include "tools/common/progress.hpp"
#include "tools/common/styles.hpp"
#include "tools/report/options.hpp"

namespace prof::reports {

struct Streams {
  std::FILE* out = nullptr;
  std::FILE* err = nullptr;
  std::optional<std::size_t> out_width;  ///< Terminal width, if out is a terminal.
  tools::Styles out_styles = {};
  bool err_shows_out = false;  ///< out and err are shown in the same place.
  /// Shown on err; null: not shown.
  tools::Progress* progress = nullptr;
  bool out_is_file = false;  ///< Writing to it disturbs no terminal.
};

/// Prints the report and any errors; returns the exit code. Throws only std::bad_alloc.
int run_report(const TraceSet& traces, const Options& options, const Streams& streams);

}  // namespace prof::reports
