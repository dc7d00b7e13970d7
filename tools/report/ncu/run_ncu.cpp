// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/ncu/run_ncu.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/ncu/ncu_command.hpp"
#include "tools/report/rows/reading.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kNcuProgram = "prof-report";

/// For terminals, with the line breaks of quoted arguments.
std::string printable(std::string_view command) {
  std::string text;
  while (true) {
    const std::size_t end = command.find('\n');
    tools::append_printable(command.substr(0, end), text);
    text += '\n';
    if (end == std::string_view::npos) return text;
    command.remove_prefix(end + 1);
  }
}

}  // namespace

int run_ncu(const TraceSet& traces, const RowFilter& filter, std::uint64_t idx,
            const tools::Streams& streams) {
  Reading reading(attribute_by_analyzers(filter.range_options), Reading::Keeps::kNothing,
                  traces.size(), streams.progress);
  Tally tally;
  const RowInput input{traces, reading, filter, tally};
  const Result<NcuCommand> command = ncu_command(input, idx);
  if (streams.progress != nullptr) streams.progress->finish();
  Status status = command ? Status{} : Status(command.error());
  for (const TraceMember& trace : traces.members()) {
    if (status) status = trace.reader.status();
  }
  if (!status) {
    tools::print_error(streams.err, kNcuProgram, status.error().to_line());
    return tools::kFailed;
  }
  tools::Output output(streams.out);
  output.write(printable(command->line));
  output.flush();
  for (const std::string& fact : command->facts) tools::print_error(streams.err, kNcuProgram, fact);
  for (const std::string& warning : command->warnings) {
    tools::print_error(streams.err, kNcuProgram, "warning: " + warning);
  }
  return tools::exit_code(output.error(), streams.err, kNcuProgram);
}

}  // namespace prof::reports
