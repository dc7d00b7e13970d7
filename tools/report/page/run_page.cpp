// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page/run_page.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/result_file.hpp"
#include "tools/report/page/write_page.hpp"
#include "tools/report/rows/reading.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kProgram = "prof-report";

/// Two traces are a comparison, as report `diff` takes them, unless they are of ranks of one run.
std::size_t base_of(const TraceSet& traces, std::size_t chosen) {
  const std::size_t given = traces.size() + traces.left_out().size();
  if (chosen > 0 || given != 2) return chosen;
  const TraceIdentity& a = traces.members()[0].identity;
  const TraceIdentity& b = traces.members()[1].identity;
  return a.rank && b.rank && a.rank != b.rank && a.run == b.run ? 0 : 1;
}

/// Another page, nothing, an empty file, or no file that has contents of its own.
bool may_be_replaced(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return true;
  constexpr std::string_view kBegin = "<!doctype html>";
  std::ifstream file(path, std::ios::binary);
  std::string begin(kBegin.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() <= 0 || begin == kBegin;
}

Status write_file(const TraceSet& traces, const Page& page, const tools::Streams& streams,
                  Notes& notes) {
  // One of several is another page than was asked for.
  if (traces.size() < 2 && !traces.left_out().empty()) return traces.left_out().front();
  for (const TraceMember& trace : traces.members()) {
    if (!tools::same_file(page.path, trace.reader.path())) continue;
    return Error{
        .what = "is the trace itself", .where = page.path, .hint = "give --html another name"};
  }
  if (!may_be_replaced(page.path)) {
    return Error{.what = "exists and is not a page",
                 .where = page.path,
                 .hint = "remove it yourself, or give --html another name"};
  }
  Result<tools::ResultFile> file = tools::ResultFile::create(page.path);
  if (!file) return file.error();
  tools::Output output(file->stream());
  Reading reading(attribute_by_analyzers(page.filter.range_options), Reading::Keeps::kTimelines,
                  traces.size(), streams.progress);
  // A page has few of many ranks in full.
  if (traces.size() <= Reading::kMostKept) reading.read_ahead(traces, page.jobs, true);
  PROF_TRY(write_page({.traces = traces,
                       .base_traces = base_of(traces, page.base_traces),
                       .registry = page.registry,
                       .filter = page.filter,
                       .reading = reading},
                      output, notes));
  output.flush();
  return file->finish(output.error());
}

}  // namespace

int run_page(const TraceSet& traces, const Page& page, const tools::Streams& streams) {
  Notes notes;
  const Status status = write_file(traces, page, streams, notes);
  if (streams.progress != nullptr) streams.progress->finish();
  if (!status) {
    tools::print_error(streams.err, kProgram, status.error().to_line());
    return tools::kFailed;
  }
  for (const std::string& warning : notes.warnings) {
    tools::print_error(streams.err, kProgram, "warning: " + warning);
  }
  return tools::kDone;
}

}  // namespace prof::reports
