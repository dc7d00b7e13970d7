// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up columns, see report.hpp.
#include "tools/report/report.hpp"

#include <algorithm>
#include <string>

namespace prof::reports {

Result<std::vector<std::size_t>> choose_columns(const Report& report, std::string_view words) {
  const std::span<const Column> columns = report.columns();
  std::vector<std::size_t> chosen;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [word](const Column& column) { return column.word == word; });
    if (found == columns.end()) {
      std::string valid;
      for (const Column& column : columns) {
        valid.append(valid.empty() ? "" : ",").append(column.word);
      }
      return Error{.what = "unknown column '" + std::string(word) + "' in report '" +
                           std::string(report.name()) + "'",
                   .where = "-c",
                   .hint = "columns are " + valid};
    }
    const auto index = static_cast<std::size_t>(found - columns.begin());
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) {
      return Error{
          .what = "column '" + std::string(word) + "' is given twice", .where = "-c", .hint = ""};
    }
    chosen.push_back(index);
    begin = end + 1;
  }
  return chosen;
}

}  // namespace prof::reports
