// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of all reports' columns: each table fits a narrow terminal, and what it drops is not what
// tells its rows apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/all_reports.hpp"

namespace prof::reports {
namespace {

std::vector<Column> table_of(const ReportInfo& info, bool several_traces) {
  std::vector<Column> columns;
  for (const std::size_t index : info.shown(Form::kTable, several_traces)) {
    columns.push_back(info.columns[index]);
  }
  return columns;
}

class Tables : public testing::Test {
 protected:
  Tables() { register_reports(registry_); }

  Registry registry_;
};

TEST_F(Tables, FitEightyColumnsWhateverTheNames) {
  const std::string name = "a_name:" + std::string(200, 'x') + ":of_a_part";
  for (const auto& report : registry_.all()) {
    for (const bool several : {false, true}) {
      const std::vector<Column> columns = table_of(report->info(), several);
      std::vector<Cell> cells;
      for (const Column& column : columns) {
        // Texts that never shrink are words of our own.
        const bool is_word = column.shrink == Column::Shrink::kNever;
        const bool is_text = column.type == Column::Type::kText;
        cells.push_back(is_text
                            ? text(is_word ? std::string_view("runtime") : std::string_view(name))
                            : number(1234567));
      }
      std::istringstream lines(rendered("table", columns, {cells}, {}, {.width = 80}));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(tools::display_width(line), 80U) << report->info().name << ": " << line;
      }
    }
  }
}

TEST_F(Tables, OfGroupsDropNoKey) {
  constexpr std::array<std::string_view, 3> kFirstSums = {"calls", "count", "kernels"};
  int tables_with_groups = 0;
  for (const auto& report : registry_.all()) {
    const std::vector<Column> columns = table_of(report->info(), false);
    const auto sum = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return std::ranges::find(kFirstSums, column.word) != kFirstSums.end();
    });
    // key_averages has times before its calls.
    const bool is_rollup = !report->info().keys.empty() && report->info().name != "key_averages";
    if (sum == columns.end() || !is_rollup) continue;
    ++tables_with_groups;
    for (auto key = columns.begin(); key != sum; ++key) {
      EXPECT_EQ(key->drop_rank, 0) << report->info().name << ": " << key->word;
    }
  }
  EXPECT_GE(tables_with_groups, 6);
}

/// The place of a column, or the number of columns.
std::size_t place_of(const std::vector<Column>& columns, std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(columns, word, &Column::word) -
                                  columns.begin());
}

TEST_F(Tables, DropTheSpreadBeforeTheMean) {
  constexpr std::array<std::array<std::string_view, 5>, 4> kWords = {
      {{"avg_ns", "med_ns", "max_ns", "min_ns", "stddev_ns"},
       {"avg_mb", "med_mb", "max_mb", "min_mb", "stddev_mb"},
       {"k_avg_ns", "k_med_ns", "k_max_ns", "k_min_ns", "k_stddev_ns"},
       {"mean_ns", "max_ns", "min_ns", "", ""}}};
  int means = 0;
  for (const auto& report : registry_.all()) {
    const std::vector<Column> columns = table_of(report->info(), false);
    for (const auto& words : kWords) {
      const std::size_t mean = place_of(columns, words[0]);
      if (mean == columns.size()) continue;
      ++means;
      for (const std::string_view word : std::span(words).subspan(1)) {
        const std::size_t spread = place_of(columns, word);
        if (spread == columns.size()) continue;
        EXPECT_LT(columns[mean].drop_rank, columns[spread].drop_rank)
            << report->info().name << ": " << word;
      }
    }
  }
  EXPECT_GE(means, 15);
}

TEST_F(Tables, OfSqlReportsHaveTheRanksOfTheirDescription) {
  for (const Column& column : registry_.find("streams")->info().columns) {
    const bool is_dropped_first = column.word == "first_ns";
    EXPECT_EQ(column.drop_rank == 3, is_dropped_first) << column.word;
    EXPECT_TRUE(!is_dropped_first || column.style == Column::Style::kInstant);
  }
}

}  // namespace
}  // namespace prof::reports
