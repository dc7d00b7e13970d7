// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/reports.md holds what the registry says, word for word: PROF_UPDATE_DOCS=1 rewrites it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <span>
#include <sstream>

#include "analyzers/timeline/idle_cause.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kBegin = "<!-- from the registry: begin -->\n";
constexpr std::string_view kEnd = "<!-- from the registry: end -->\n";

void append_columns(const ReportInfo& report, std::string& text) {
  text.append("\n\n| word | header | meaning |\n|---|---|---|\n");
  for (const Column& column : std::span(report.columns).first(report.listed)) {
    text.append("| `").append(column.word).append("` | ").append(column.header);
    if (!column.unit.empty()) text.append("(").append(column.shown_unit()).append(")");
    text.append(" | ").append(column.help).append(" |\n");
  }
  if (!report.words.column.empty()) {
    text.append("\n| `").append(report.words.column).append("` | meaning |\n|---|---|\n");
  }
  for (const auto& [word, help] : report.words.words) {
    text.append("| `").append(word).append("` | ").append(help).append(" |\n");
  }
  if (report.listed == report.columns.size()) return;
  std::vector<std::size_t> others(report.columns.size() - report.listed);
  std::iota(others.begin(), others.end(), report.listed);
  text.append("\nAlso as keys: `").append(column_words(report, others)).append("`\n");
}

bool same_columns(const ReportInfo& a, const ReportInfo& b) {
  return std::ranges::equal(a.columns, b.columns, [](const Column& left, const Column& right) {
    return left.word == right.word && left.help == right.help;
  });
}

// Columns that reports share are told once.
std::string expected_section() {
  Registry registry;
  register_reports(registry);
  std::string text(kBegin);
  for (const auto& report : registry.all()) {
    const ReportInfo& info = report->info();
    text.append("\n### ").append(info.name).append("\n\n").append(info.help);
    text.append(".\n\n- rows: ").append(info.rows);
    text.append("\n- table: `").append(column_words(info, info.table));
    text.append("`\n- csv, json: `").append(column_words(info, info.machine)).append("`");
    const auto first = std::ranges::find_if(
        registry.all(), [&](const auto& other) { return same_columns(other->info(), info); });
    if (first->get() == report.get()) {
      append_columns(info, text);
    } else {
      text.append("\n- columns: those of `").append((*first)->info().name).append("`\n");
    }
  }
  return text.append("\n").append(kEnd);
}

TEST(Docs, TheReportsPageIsTheRegistrys) {
  constexpr const char* kPage = PROF_SOURCE_DIR "/docs/reports.md";
  std::ifstream file(kPage);
  ASSERT_TRUE(file) << "docs/reports.md is missing";
  std::stringstream page;
  page << file.rdbuf();
  std::string text = page.str();
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t length = end + kEnd.size() - begin;
  if (std::getenv("PROF_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << text.replace(begin, length, expected_section());
    return;
  }
  // A failure prints what the page must hold between the two marks.
  EXPECT_EQ(text.substr(begin, length), expected_section());
}

// The rows of its list begin as --list has it.
TEST(Docs, TheSqlPageHasEveryTable) {
  std::ifstream file(PROF_SOURCE_DIR "/docs/sql.md");
  ASSERT_TRUE(file);
  std::stringstream page;
  page << file.rdbuf();
  std::string text = page.str();
  std::erase(text, '`');
  for (const RowKind* kind : row_kinds()) {
    const std::string row = "\n| " + std::string(kind->names.table) + " | ";
    EXPECT_NE(text.find(row + std::string(kind->names.help)), std::string::npos) << row;
  }
}

TEST(Docs, TheConventionsHaveEveryCauseOfIdleTime) {
  std::ifstream file(PROF_SOURCE_DIR "/docs/conventions.md");
  ASSERT_TRUE(file);
  std::stringstream page;
  page << file.rdbuf();
  std::string table = "| cause | meaning | evidence |\n|---|---|---|\n";
  for (const auto& [word, meaning, evidence] : idle_cause_texts()) {
    table.append("| `").append(word).append("` | ").append(meaning).append(" | ");
    table.append(evidence).append(" |\n");
  }
  EXPECT_NE(page.str().find(table), std::string::npos) << table;
}

}  // namespace
}  // namespace prof::reports
