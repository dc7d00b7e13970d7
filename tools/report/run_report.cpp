// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report, see run_report.hpp. Notes and warnings follow a table, because the end
// stays on the screen; with machine forms they go to stderr. If a table goes to a file or a pipe,
// its warnings also go to stderr: nobody may be looking at the file.
#include "tools/report/run_report.hpp"

#include <string>

#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/notes.hpp"
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
  const bool for_people = form == Form::kTable;
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

Status print_rows(const RowInput& input, const Options& options, const Streams& streams,
                  tools::Output& output) {
  const std::unique_ptr<Renderer> renderer =
      options.form->make(output, {.width = streams.out_width});
  if (options.sql) return print_query(input, *options.sql, options.form->form, *renderer);
  std::vector<Column> columns;
  for (const std::size_t index : options.columns) {
    columns.push_back(options.report->info().columns[index]);
  }
  renderer->begin(columns);
  Status status = options.report->run(input, options.columns, *renderer);
  if (output.error() == 0) renderer->end(status.ok());
  return status;
}

}  // namespace

int run_report(const TraceSet& traces, const Options& options, const Streams& streams) {
  tools::Output output(streams.out);
  Tally tally;
  Status status = print_rows({traces, attribute_by_analyzers(options.domains), options.step, tally},
                             options, streams, output);
  if (output.error() != 0) return tools::exit_code(output.error(), streams.err, kProgram);
  Notes notes;
  if (status) {
    notes = make_notes(traces, options.step, tally);
    status = status_of(traces);
  }
  if (!status) {
    output.flush();
    tools::print_error(streams.err, kProgram, status.error().to_line());
    return tools::kFailed;
  }
  print_notes(notes, options.form->form, streams, output);
  output.flush();
  return tools::exit_code(output.error(), streams.err, kProgram);
}

}  // namespace prof::reports
