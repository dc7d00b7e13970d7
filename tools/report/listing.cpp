// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --list, see listing.hpp.
#include "tools/report/listing.hpp"

#include <fmt/format.h>

#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace prof::reports {
namespace {

std::string header_of(const Column& column) {
  std::string header(column.header);
  if (!column.unit.empty()) header.append("(").append(column.unit).append(")");
  return header;
}

}  // namespace

std::string list_report(const Report& report) {
  const ReportInfo& info = report.info();
  std::string text =
      fmt::format("{}: {}\n  rows: {}\n  table: {}\n  csv, json: {}\n", info.name, info.help,
                  info.rows, column_words(info, info.table), column_words(info, info.machine));
  fmt::format_to(std::back_inserter(text), "  {:<14} {:<13} {}\n", "word", "header", "meaning");
  for (const Column& column : std::span(info.columns).first(info.listed)) {
    fmt::format_to(std::back_inserter(text), "  {:<14} {:<13} {}\n", column.word, header_of(column),
                   column.help);
  }
  if (info.listed < info.columns.size()) {
    std::vector<std::size_t> others(info.columns.size() - info.listed);
    std::iota(others.begin(), others.end(), info.listed);
    text += fmt::format("  also as keys (--by, -c): {}\n", column_words(info, others));
  }
  if (!info.words.column.empty()) text += fmt::format("  values of {}:\n", info.words.column);
  for (const auto& [word, help] : info.words.words) {
    fmt::format_to(std::back_inserter(text), "    {:<15} {}\n", word, help);
  }
  return text;
}

}  // namespace prof::reports
