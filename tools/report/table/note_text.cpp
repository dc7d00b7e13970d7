// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Notes as text, see note_text.hpp. They hold names from the trace, which are escaped.
#include "tools/report/table/note_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "tools/common/unicode.hpp"
#include "tools/report/table/markdown_text.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kWarning = "warning:";

constexpr std::string_view kIndent = "  ";

/// `begun`: columns of its first line that are used.
void append_note(std::string_view line, Form form, std::optional<std::size_t> width,
                 std::size_t begun, std::string& out) {
  std::string safe;
  tools::append_printable(line, safe);
  if (form == Form::kMarkdown) return append_markdown(safe, out);
  std::string_view rest = safe;
  const std::size_t all = std::max(width.value_or(std::string::npos), begun + 1);
  append(tools::take_line(rest, all - begun), out);
  while (!rest.empty()) {
    out.push_back('\n');
    append(kIndent, out);
    append(tools::take_line(rest, all - std::min(all - 1, kIndent.size())), out);
  }
}

}  // namespace

void add_notes(const Notes& notes, Notes& to) {
  const auto add = [](const std::vector<std::string>& from, std::vector<std::string>& lines) {
    for (const std::string& line : from) {
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  };
  add(notes.facts, to.facts);
  add(notes.warnings, to.warnings);
}

void write_notes(const Notes& notes, Form form, const tools::Styles& wanted,
                 std::optional<std::size_t> width, tools::Output& output) {
  // Markdown is text to copy, also from a terminal.
  const tools::Styles styles = form == Form::kMarkdown ? tools::Styles() : wanted;
  std::string& out = output.buffer();
  std::string_view before = "\n";
  const auto begin_note = [&](tools::Style style) {
    append(before, out);
    if (form != Form::kMarkdown) before = "";
    append(styles.begin(style), out);
  };
  for (const std::string& fact : notes.facts) {
    begin_note(tools::Style::kDim);
    append_note(fact, form, width, 0, out);
    append(styles.end(), out);
    out.push_back('\n');
  }
  for (const std::string& warning : notes.warnings) {
    begin_note(tools::Style::kYellow);
    append(kWarning, out);
    append(styles.end(), out);
    out.push_back(' ');
    append_note(warning, form, width, kWarning.size() + 1, out);
    out.push_back('\n');
  }
  output.commit();
}

}  // namespace prof::reports
