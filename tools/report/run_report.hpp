// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report over an open trace: report, renderer, notes. Takes its streams from the
// caller, so that tests can look at them.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>

#include "libprof/store/trace_reader.hpp"
#include "tools/report/options.hpp"

namespace prof::reports {

struct Streams {
  std::FILE* out = nullptr;
  std::FILE* err = nullptr;
  std::optional<std::size_t> out_width;  ///< Of the terminal, where out is one.
  bool err_shows_out = false;            ///< What is written to out is seen where err is seen.
};

/// Prints, errors too, and returns the exit code. Throws only what an allocation can.
int run_report(TraceReader& trace, const Options& options, const Streams& streams);

}  // namespace prof::reports
