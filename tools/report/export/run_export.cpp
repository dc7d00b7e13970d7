// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of an export, see run_export.hpp. The file is for programs, so notes go to stderr.
#include "tools/report/export/run_export.hpp"

#include <optional>
#include <string>
#include <utility>

#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/result_file.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/gz_stream.hpp"
#include "tools/report/ranks/find_rank_waits.hpp"
#include "tools/report/rows/notes.hpp"
#include "tools/report/rows/reading.hpp"

namespace prof::exports {
namespace {

constexpr std::string_view kProgram = "prof-report";

using tools::ResultFile;

Status write_rows(const TraceSet& traces, const Export& what, const tools::Streams& streams,
                  tools::Output& output, reports::Notes& notes) {
  reports::Reading reading(reports::attribute_by_analyzers(what.filter.range_options),
                           reports::Reading::Keeps::kWork, traces.size(), streams.progress);
  reading.read_ahead(traces, what.jobs, false);
  reports::Tally tally;
  const reports::RowInput input{traces, reading, what.filter, tally,
                                reports::find_rank_waits(traces, reading)};
  Status status = what.format.write(input, output);
  output.flush();
  for (const TraceMember& trace : traces.members()) {
    if (status) status = trace.reader.status();
  }
  if (status) reports::add_notes(make_notes(traces, what.filter, tally), notes);
  return status;
}

Result<std::string> path_of(const Export& what) {
  if (!tools::names_folder(*what.output)) return *what.output;
  return tools::file_in_folder(*what.output, what.format.word, what.format.extension);
}

Status write_file(const TraceSet& traces, const Export& what, const tools::Streams& streams,
                  reports::Notes& notes) {
  const Result<std::string> path = path_of(what);
  if (!path) return path.error();
  for (const TraceMember& trace : traces.members()) {
    if (!tools::same_file(*path, trace.reader.path())) continue;
    return Error{.what = "is the trace itself", .where = *path, .hint = "give -o another name"};
  }
  Result<tools::ResultFile> file = tools::ResultFile::create(*path);
  if (!file) return file.error();
  if (!path->ends_with(".gz")) {
    tools::Output output(file->stream());
    PROF_TRY(write_rows(traces, what, streams, output, notes));
    return file->finish(output.error());
  }
  GzStream compressed(file->stream());
  if (compressed.stream() == nullptr) {
    return Error{.what = "no memory to compress it", .where = *path, .hint = ""};
  }
  tools::Output output(compressed.stream());
  PROF_TRY(write_rows(traces, what, streams, output, notes));
  const int error = output.error() != 0 ? output.error() : compressed.finish();
  return file->finish(error);
}

}  // namespace

int run_export(const TraceSet& traces, const Export& what, const tools::Streams& streams) {
  reports::Notes notes;
  Status status;
  int write_error = 0;
  if (what.output) {
    status = write_file(traces, what, streams, notes);
  } else {
    tools::Output output(streams.out);
    if (streams.progress != nullptr && !streams.out_is_file) {
      output.before_write([&] { streams.progress->finish(); });
    }
    status = write_rows(traces, what, streams, output, notes);
    write_error = output.error();
  }
  if (streams.progress != nullptr) streams.progress->finish();
  if (write_error != 0) return tools::exit_code(write_error, streams.err, kProgram);
  if (!status) {
    tools::print_error(streams.err, kProgram, status.error().to_line());
    return tools::kFailed;
  }
  for (const std::string& fact : notes.facts) tools::print_error(streams.err, kProgram, fact);
  for (const std::string& warning : notes.warnings) {
    tools::print_error(streams.err, kProgram, "warning: " + warning);
  }
  return 0;
}

}  // namespace prof::exports
