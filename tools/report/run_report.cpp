// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report, see run_report.hpp. Notes and warnings: after a table, because the end is
// what stays on a screen; on stderr beside forms for machines. A table that goes to a file or a
// pipe has its warnings on stderr, too: nobody may be looking at the file.
#include "tools/report/run_report.hpp"

#include <string>

#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/notes.hpp"

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

}  // namespace

int run_report(TraceReader& trace, const Options& options, const Streams& streams) {
  const Report& report = *options.report;
  std::vector<Column> columns;
  for (const std::size_t index : options.columns) columns.push_back(report.columns()[index]);

  tools::Output output(streams.out);
  const std::unique_ptr<Renderer> renderer =
      options.form->make(output, {.width = streams.out_width});
  CursorSource source(trace, report.work(), options.domains);
  Selection selection(source, options.step);
  renderer->begin(columns);
  const Status status = report.run({trace, selection}, options.columns, *renderer);
  if (output.error() != 0) return tools::exit_code(output.error(), streams.err, kProgram);
  renderer->end(status.ok());
  if (!status) {
    output.flush();
    tools::print_error(streams.err, kProgram, status.error().to_line());
    return tools::kFailed;
  }
  const Notes notes =
      make_notes(trace, report.work(), options.step, selection.tally(), source.counts());
  if (const Status looked_up = trace.status(); !looked_up) {
    output.flush();
    tools::print_error(streams.err, kProgram, looked_up.error().to_line());
    return tools::kFailed;
  }
  print_notes(notes, options.form->form, streams, output);
  output.flush();
  return tools::exit_code(output.error(), streams.err, kProgram);
}

}  // namespace prof::reports
