// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of forms, see renderer.hpp.
#include <array>

#include "tools/report/table/renderer.hpp"

namespace prof::reports {

std::span<const FormInfo> forms() {
  static constexpr std::array kForms = {
      FormInfo{Form::kTable, "table", "aligned text for people", "txt", make_table_renderer},
      FormInfo{Form::kMarkdown, "markdown", "a table for GitHub and other Markdown", "md",
               make_markdown_renderer},
      FormInfo{Form::kCsv, "csv", "RFC 4180, one header line", "csv", make_csv_renderer},
      FormInfo{Form::kJson, "json", "an array with an object for each row", "json",
               make_json_renderer},
      FormInfo{Form::kJsonLines, "jsonl", "JSON Lines: an object for each row", "jsonl",
               make_json_lines_renderer},
      FormInfo{Form::kColumns, "columns", "compressed columns of all reports in one JSON document",
               "columns", nullptr},
  };
  return kForms;
}

}  // namespace prof::reports
