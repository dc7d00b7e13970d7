// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A program's part of docs/options.md.
#include "tools/manual/forms.hpp"
#include "tools/manual/texts.hpp"

namespace prof::manuals {
namespace {

/// Escapes text for a table cell: no bar ends the cell, and <word> is no tag.
std::string cell(std::string_view text) { return escaped(text, "|<"); }

}  // namespace

std::string markdown_section(const tools::Manual& manual) {
  std::string text = "\n## " + manual.program + "\n\n" + manual.brief + "\n\n`" + manual.program;
  text.append(" ").append(manual.arguments).append("`\n\n| option | meaning |\n|---|---|\n");
  for (const tools::ManualOption& option : manual.options) {
    text.append("| `").append(joined(option.flags, "`, `"));
    if (!option.type.empty()) text.append(" ").append(escaped(option.type, "|"));
    text.append("` | ").append(cell(option.help));
    text.append(option.is_repeatable ? "; may be repeated |\n" : " |\n");
  }
  return text;
}

}  // namespace prof::manuals
