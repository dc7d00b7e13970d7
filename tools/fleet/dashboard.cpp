// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/dashboard.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/fleet/questions/question.hpp"

namespace prof::fleet {
namespace {

using nlohmann::json;

constexpr const char* kPlugin = "grafana-clickhouse-datasource";
constexpr int kTableFormat = 1, kSeriesFormat = 0;
constexpr int kWidth = 24, kHeight = 9;

json data_source() { return {{"type", kPlugin}, {"uid", "${source}"}}; }

constexpr const char* kRunA = "'${run_a}'";
constexpr const char* kRunB = "'${run_b}'";

/// Conditions for the two chosen runs.
Conditions of_runs() { return {.all = {fmt::format("run IN ({}, {})", kRunA, kRunB)}}; }

/// Conditions for the chosen jobs, any of which may match.
Conditions of_jobs() {
  Conditions conditions;
  conditions.runs.emplace_back("job IN (${job:singlequote})");
  return conditions;
}

std::string statement_of(const reports::Report& question, std::string_view database) {
  const Marks marks{{"by", default_keys(question)}, {"a", kRunA}, {"b", kRunB}};
  const bool has_runs = !arguments_of(question).empty();
  return expand(statement_in(question), database, has_runs ? of_runs() : of_jobs(), marks);
}

json panel(std::string_view kind, std::string_view title, const std::string& sql, int format,
           int place) {
  return {{"type", kind},
          {"title", title},
          {"datasource", data_source()},
          {"gridPos", {{"x", 0}, {"y", place * kHeight}, {"w", kWidth}, {"h", kHeight}}},
          {"targets", json::array({{{"refId", "A"},
                                    {"datasource", data_source()},
                                    {"editorType", "sql"},
                                    {"format", format},
                                    {"queryType", format == kTableFormat ? "table" : "timeseries"},
                                    {"rawSql", sql}}})}};
}

/// A variable whose values a statement finds.
json variable(std::string_view name, std::string_view label, const std::string& sql,
              bool has_several) {
  json made = {
      {"type", "query"}, {"name", name}, {"label", label},       {"datasource", data_source()},
      {"query", sql},    {"refresh", 1}, {"multi", has_several}, {"includeAll", has_several}};
  if (has_several) made["current"] = {{"text", "All"}, {"value", "$__all"}};
  return made;
}

}  // namespace

std::string dashboard(std::string_view database) {
  json panels = json::array();
  const auto add = [&](std::string_view kind, std::string_view title, const std::string& sql,
                       int format) {
    panels.push_back(panel(kind, title, sql, format, static_cast<int>(panels.size())));
  };
  for (const auto& question : questions().all()) {
    const std::string sql = statement_of(*question, database);
    if (question->info().name == "history") {
      add("timeseries", "Time of a step, ns",
          fmt::format(
              "SELECT toDateTime(began, 'UTC') AS time, work_ns, period_ns FROM ({}) ORDER BY time",
              sql),
          kSeriesFormat);
    }
    add("table", question->info().help, sql, kTableFormat);
  }
  const std::string added = fmt::format("FROM `{}`.`{}`", database, kAdded);
  const json board = {
      {"title", "prof-fleet"},
      {"schemaVersion", 39},
      {"time", {{"from", "now-90d"}, {"to", "now"}}},
      {"templating",
       {{"list",
         json::array({{{"type", "datasource"}, {"name", "source"}, {"query", kPlugin}},
                      variable("job", "Job", "SELECT DISTINCT job " + added, true),
                      variable("run_a", "Run A",
                               "SELECT run " + added + " GROUP BY run ORDER BY min(began)", false),
                      variable("run_b", "Run B",
                               "SELECT run " + added + " GROUP BY run ORDER BY min(began) DESC",
                               false)})}}},
      {"panels", panels}};
  return board.dump(2) + "\n";
}

}  // namespace prof::fleet
