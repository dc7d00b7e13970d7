// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/reports.md holds what the registry says, word for word.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tools/report/reports/registry.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kBegin = "<!-- from the registry: begin -->\n";
constexpr std::string_view kEnd = "<!-- from the registry: end -->\n";

std::string expected_section() {
  Registry registry;
  register_builtin(registry);
  std::string text(kBegin);
  for (const auto& report : registry.all()) {
    text.append("\n### ").append(report->name()).append("\n\n").append(report->help());
    text.append(".\n\n- table: `").append(report->table_columns());
    text.append("`\n- csv, json: `").append(report->machine_columns());
    text.append("`\n\n| word | header | meaning |\n|---|---|---|\n");
    for (const Column& column : report->columns()) {
      text.append("| `").append(column.word).append("` | ").append(column.header);
      if (!column.unit.empty()) text.append("(").append(column.unit).append(")");
      text.append(" | ").append(column.help).append(" |\n");
    }
  }
  return text.append("\n").append(kEnd);
}

TEST(Docs, TheReportsPageIsTheRegistrys) {
  std::ifstream file(PROF_SOURCE_DIR "/docs/reports.md");
  ASSERT_TRUE(file) << "docs/reports.md is missing";
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  // A failure prints what the page must hold between the two marks.
  EXPECT_EQ(text.substr(begin, end + kEnd.size() - begin), expected_section());
}

}  // namespace
}  // namespace prof::reports
