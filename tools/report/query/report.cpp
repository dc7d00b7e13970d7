// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up columns, see report.hpp.
#include "tools/report/query/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "libprof/base/ascii.hpp"
#include "libprof/base/check.hpp"
#include "tools/common/nearest.hpp"
#include "tools/common/words.hpp"

namespace prof::reports {
namespace {

Error unknown_column(const ReportInfo& report, const std::string& word, std::string_view option) {
  std::vector<std::string_view> names;
  for (const Column& column : report.columns) names.push_back(column.word);
  const std::string near = tools::did_you_mean(word, names);
  return {.what = "unknown column '" + word + "' in report '" + std::string(report.name) + "'",
          .where = std::string(option),
          .hint = fmt::format("{}{}prof-report --list {} has all", near, near.empty() ? "" : " ",
                              report.name)};
}

}  // namespace

std::vector<std::size_t> ReportInfo::shown(Form form, bool several_traces) const {
  if (!is_for_people(form)) return machine;
  std::vector<std::size_t> all;
  if (several_traces) all = of_several;
  std::ranges::copy_if(table, std::back_inserter(all), [&](std::size_t index) {
    return several_traces || std::ranges::find(of_ranks, index) == of_ranks.end();
  });
  return all;
}

Result<std::vector<std::size_t>> choose_columns(const ReportInfo& report, std::string_view words,
                                                std::string_view option) {
  std::vector<std::size_t> chosen;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = lower(tools::trimmed(words.substr(begin, end - begin)));
    const auto found = std::ranges::find(report.columns, word, &Column::word);
    if (found == report.columns.end()) return unknown_column(report, word, option);
    const auto index = static_cast<std::size_t>(found - report.columns.begin());
    if (std::ranges::find(chosen, index) != chosen.end()) {
      return Error{
          .what = "column '" + word + "' is given twice", .where = std::string(option), .hint = ""};
    }
    chosen.push_back(index);
    begin = end + 1;
  }
  return chosen;
}

std::vector<std::size_t> places_of(const ReportInfo& info, std::string_view words) {
  if (words.empty()) return {};
  Result<std::vector<std::size_t>> places = choose_columns(info, words);
  PROF_CHECK(places.ok());
  return *std::move(places);
}

std::vector<std::size_t> columns_by(const ReportInfo& report, Form form,
                                    std::span<const std::size_t> keys) {
  std::vector<std::size_t> columns(keys.begin(), keys.end());
  for (const std::size_t index : report.shown(form, false)) {
    if (std::ranges::find(report.keys, index) == report.keys.end()) columns.push_back(index);
  }
  return columns;
}

std::string column_words(const ReportInfo& report, std::span<const std::size_t> indices) {
  std::string words;
  for (const std::size_t index : indices) {
    words.append(words.empty() ? "" : ",").append(report.columns[index].word);
  }
  return words;
}

}  // namespace prof::reports
