// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/columns.md is what the registry and the row kinds say: PROF_UPDATE_DOCS=1 writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <string>

#include "analyzers/timeline/idle_cause.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kHead =
    "<!-- Generated from the reports: PROF_UPDATE_DOCS=1 build/tests/report_test "
    "--gtest_filter='Docs.*' -->\n"
    "# Reports and columns\n\n"
    "`prof-report --list NAME` prints the same. [reports.md](reports.md) explains how to read a "
    "report, [sql.md](sql.md) how to ask the tables.\n";

std::string text_of(const char* path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

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

// Columns that reports share are stated once.
void append_report(const Registry& registry, const Report& report, std::string& text) {
  const ReportInfo& info = report.info();
  text.append("\n### ").append(info.name).append("\n\n").append(info.help);
  text.append(".\n\n- rows: ").append(info.rows);
  text.append("\n- table: `").append(column_words(info, info.table));
  text.append("`\n- csv, json: `").append(column_words(info, info.machine)).append("`");
  const auto first = std::ranges::find_if(
      registry.all(), [&](const auto& other) { return same_columns(other->info(), info); });
  if (first->get() == &report) {
    append_columns(info, text);
  } else {
    text.append("\n- columns: those of `").append((*first)->info().name).append("`\n");
  }
}

bool has_columns_of(const ReportInfo& info, const RowKind& kind) {
  return std::ranges::all_of(kind.fields, [&](const Field& field) {
    return std::ranges::any_of(info.columns, [&](const Column& column) {
      return column.word == field.column.word && column.help == field.column.help;
    });
  });
}

// Of a report with the same columns, the name is enough.
void append_table(const Registry& registry, const RowKind& kind, std::string& text) {
  text.append("\n### Table ").append(kind.names.table).append("\n\n").append(kind.names.help);
  text.append(".\n\n");
  const auto alike = std::ranges::find_if(
      registry.all(), [&](const auto& report) { return has_columns_of(report->info(), kind); });
  std::string by_name;
  std::string rows;
  for (const Field& field : kind.fields) {
    const Column& column = field.column;
    rows.append("| `").append(column.word).append("` | ").append(column.unit).append(" | ");
    rows.append(column.help).append(" |\n");
    if (field.role != Role::kOnRequest) continue;
    by_name.append(by_name.empty() ? "`" : ", `").append(column.word).append("`");
  }
  if (alike != registry.all().end()) {
    text.append("- columns: those of `").append((*alike)->info().name).append("`\n");
  } else {
    text.append("| word | unit | meaning |\n|---|---|---|\n").append(rows);
  }
  if (by_name.empty()) return;
  if (alike == registry.all().end()) text.append("\n");
  text.append("- not in `SELECT *`: ").append(by_name).append("\n");
}

std::string columns_page() {
  Registry registry;
  register_reports(registry);
  std::string text(kHead);
  for (const ReportGroup& group : registry.groups()) {
    text.append("\n## ").append(group.purpose).append("\n");
    for (const Report* report : group.reports) append_report(registry, *report, text);
  }
  text.append("\n## Tables for --sql\n");
  for (const RowKind* kind : row_kinds()) append_table(registry, *kind, text);
  return text;
}

template <typename Columns, typename HeaderOf>
void expect_unlike_headers(std::string_view of, const Columns& columns, HeaderOf header_of) {
  std::set<std::string> seen;
  for (const auto& one : columns) {
    const Column& column = header_of(one);
    if (column.header.empty()) continue;  // of lines that another tool prints
    const std::string header = fmt::format("{}({})", column.header, column.unit);
    EXPECT_TRUE(seen.insert(header).second) << of << ": " << header;
  }
}

TEST(Docs, NoTwoColumnsOfATableHaveOneHeader) {
  Registry registry;
  register_reports(registry);
  for (const auto& report : registry.all()) {
    expect_unlike_headers(report->info().name, report->info().columns,
                          [](const Column& column) -> const Column& { return column; });
  }
  for (const RowKind* kind : row_kinds()) {
    expect_unlike_headers(kind->names.table, kind->fields,
                          [](const Field& field) -> const Column& { return field.column; });
  }
}

TEST(Docs, TheColumnsPageIsTheRegistrys) {
  constexpr const char* kPage = PROF_SOURCE_DIR "/docs/columns.md";
  if (std::getenv("PROF_UPDATE_DOCS") != nullptr) std::ofstream(kPage) << columns_page();
  EXPECT_TRUE(text_of(kPage) == columns_page())
      << "run this test with PROF_UPDATE_DOCS=1 and commit docs/columns.md";
}

TEST(Docs, TheConventionsHaveEveryCauseOfIdleTime) {
  std::string table = "| cause | meaning | evidence |\n|---|---|---|\n";
  for (const auto& [word, meaning, evidence] : idle_cause_texts()) {
    table.append("| `").append(word).append("` | ").append(meaning).append(" | ");
    table.append(evidence).append(" |\n");
  }
  const std::string page = text_of(PROF_SOURCE_DIR "/docs/conventions.md");
  EXPECT_NE(page.find(table), std::string::npos) << table;
}

}  // namespace
}  // namespace prof::reports
