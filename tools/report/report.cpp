// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up columns, see report.hpp.
#include "tools/report/report.hpp"

#include <algorithm>
#include <string>

namespace prof::reports {

std::vector<std::size_t> ReportInfo::shown(Form form, bool several_traces) const {
  if (form != Form::kTable) return machine;
  std::vector<std::size_t> all;
  if (several_traces) all = of_several;
  all.insert(all.end(), table.begin(), table.end());
  return all;
}

Result<std::vector<std::size_t>> choose_columns(const ReportInfo& report, std::string_view words) {
  std::vector<std::size_t> chosen;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    const auto found = std::find_if(report.columns.begin(), report.columns.end(),
                                    [word](const Column& column) { return column.word == word; });
    if (found == report.columns.end()) {
      std::string valid;
      for (const Column& column : report.columns) {
        valid.append(valid.empty() ? "" : ",").append(column.word);
      }
      return Error{.what = "unknown column '" + std::string(word) + "' in report '" +
                           std::string(report.name) + "'",
                   .where = "-c",
                   .hint = "columns are " + valid};
    }
    const auto index = static_cast<std::size_t>(found - report.columns.begin());
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) {
      return Error{
          .what = "column '" + std::string(word) + "' is given twice", .where = "-c", .hint = ""};
    }
    chosen.push_back(index);
    begin = end + 1;
  }
  return chosen;
}

std::string column_words(const ReportInfo& report, std::span<const std::size_t> indices) {
  std::string words;
  for (const std::size_t index : indices) {
    words.append(words.empty() ? "" : ",").append(report.columns[index].word);
  }
  return words;
}

}  // namespace prof::reports
