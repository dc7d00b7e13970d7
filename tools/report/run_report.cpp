// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report, see run_report.hpp. Notes and warnings follow a table, because the end
// stays on the screen; with machine forms they go to stderr. If a table goes to a file or a pipe,
// its warnings also go to stderr: nobody may be looking at the file.
#include "tools/report/run_report.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string>

#include "libprof/base/counted.hpp"
#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/notes.hpp"
#include "tools/report/output_file.hpp"
#include "tools/report/sql/query.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kProgram = "prof-report";

void append_note(std::string_view line, tools::Output& output) {
  std::string safe;
  tools::append_printable(line, safe);
  safe += '\n';
  output.write(safe);
}

void print_notes(const Notes& notes, Form form, const Streams& streams, tools::Output& output) {
  const bool for_people = is_for_people(form);
  if (for_people) {
    output.write("\n");
    for (const std::string& fact : notes.facts) append_note(fact, output);
    for (const std::string& warning : notes.warnings) append_note("warning: " + warning, output);
    if (streams.err_shows_out) return;
  } else {
    for (const std::string& fact : notes.facts) tools::print_error(streams.err, kProgram, fact);
  }
  for (const std::string& warning : notes.warnings) {
    tools::print_error(streams.err, kProgram, "warning: " + warning);
  }
}

/// The error of the first trace whose look-ups failed.
Status status_of(const TraceSet& traces) {
  for (const TraceMember& trace : traces.members()) PROF_TRY(trace.reader.status());
  return {};
}

Status print_report(const RowInput& input, const ReportRequest& request, const Options& options,
                    Renderer& renderer, const tools::Output& output, Notes& notes) {
  const ReportInfo& info = request.report->info();
  const auto lines = Lines::make(request.lines, info.columns, request.columns, renderer);
  if (!lines) return lines.error();
  std::vector<Column> columns;
  for (const std::size_t index : request.columns) columns.push_back(info.columns[index]);
  renderer.begin(columns);
  Status status = request.report->run(
      input, {.columns = (*lines)->columns(), .layers = options.layers}, **lines);
  if (status) status = (*lines)->finish();
  const std::uint64_t hidden = (*lines)->made() - (*lines)->printed();
  if (hidden > 0) {
    notes.facts.push_back(fmt::format("{}: {} of {} not shown", info.name, grouped(hidden),
                                      counted((*lines)->made(), "line", "lines")));
  }
  if (output.error() == 0) renderer.end(status.ok());
  return status;
}

/// One report, or the SQL if `request` is null, and what is to be said about it.
Status print_one(const TraceSet& traces, const Options& options, const ReportRequest* request,
                 std::optional<std::size_t> width, tools::Output& output, Notes& notes) {
  Tally tally;
  const RowInput input{traces, attribute_by_analyzers(options.domains), options.choice, tally};
  const std::unique_ptr<Renderer> renderer = options.form->make(output, {.width = width});
  const Status status = request == nullptr
                            ? print_query(input, *options.sql, options.form->form, *renderer)
                            : print_report(input, *request, options, *renderer, output, notes);
  if (status && output.error() == 0) add_notes(make_notes(traces, options.choice, tally), notes);
  return status;
}

std::string heading(const ReportInfo& info) {
  std::string title(info.title.empty() ? info.help : info.title);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return fmt::format(" ** {} ({}):\n\n", title, info.name);
}

/// All reports to one output.
Status print_all(const TraceSet& traces, const Options& options, std::optional<std::size_t> width,
                 tools::Output& output, Notes& notes) {
  if (options.sql) return print_one(traces, options, nullptr, width, output, notes);
  const bool several = options.reports.size() > 1;
  for (const ReportRequest& request : options.reports) {
    if (several && &request != &options.reports.front()) output.write("\n");
    if (several) output.write(heading(request.report->info()));
    PROF_TRY(print_one(traces, options, &request, width, output, notes));
    if (output.error() != 0) return {};
  }
  return {};
}

int fail(const Error& error, const Streams& streams) {
  tools::print_error(streams.err, kProgram, error.to_line());
  return tools::kFailed;
}

/// A file, or with several reports a folder with a file for each.
int run_to_files(const TraceSet& traces, const Options& options, const Streams& streams) {
  Notes notes;
  const bool is_folder = options.reports.size() > 1 || names_folder(*options.output);
  std::vector<const ReportRequest*> requests;
  for (const ReportRequest& request : options.reports) requests.push_back(&request);
  if (requests.empty()) requests.push_back(nullptr);
  for (const ReportRequest* request : requests) {
    std::string path = *options.output;
    if (is_folder) {
      const std::string_view name = request == nullptr ? "sql" : request->report->info().name;
      const auto file = file_in_folder(path, name, options.form->extension);
      if (!file) return fail(file.error(), streams);
      path = *file;
    }
    auto file = OutputFile::create(path);
    if (!file) return fail(file.error(), streams);
    tools::Output output(file->stream());
    const Status status = print_one(traces, options, request, std::nullopt, output, notes);
    if (!status) return fail(status.error(), streams);
    output.flush();
    if (const Status kept = file->finish(output.error()); !kept) {
      return fail(kept.error(), streams);
    }
  }
  if (const Status status = status_of(traces); !status) return fail(status.error(), streams);
  tools::Output output(streams.out);
  print_notes(notes, Form::kCsv, streams, output);
  return 0;
}

}  // namespace

int run_report(const TraceSet& traces, const Options& options, const Streams& streams) {
  if (options.output) return run_to_files(traces, options, streams);
  tools::Output output(streams.out);
  Notes notes;
  Status status = print_all(traces, options, streams.out_width, output, notes);
  if (output.error() != 0) return tools::exit_code(output.error(), streams.err, kProgram);
  if (status) status = status_of(traces);
  if (!status) {
    output.flush();
    return fail(status.error(), streams);
  }
  print_notes(notes, options.form->form, streams, output);
  output.flush();
  return tools::exit_code(output.error(), streams.err, kProgram);
}

}  // namespace prof::reports
