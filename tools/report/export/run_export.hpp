// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report --export over open traces.
#pragma once

#include <optional>
#include <string>

#include "libprof/store/read/trace_set.hpp"
#include "tools/common/streams.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::exports {

struct Export {
  formats::Format format;
  const reports::RowFilter& filter;   ///< Chooses the rows to write.
  std::optional<std::string> output;  ///< A file or a folder; absent: the stream.
  std::size_t jobs = 1;               ///< Threads that read traces.
};

/// Writes the file and prints notes and any errors to `streams.err`; returns the exit code. Throws
/// only std::bad_alloc.
int run_export(const TraceSet& traces, const Export& what, const tools::Streams& streams);

}  // namespace prof::exports
