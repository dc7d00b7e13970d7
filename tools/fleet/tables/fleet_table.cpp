// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/tables/fleet_table.hpp"

#include <array>
#include <numeric>

#include "tools/fleet/tables/registry.hpp"
#include "tools/report/all_reports.hpp"

namespace prof::fleet {
namespace {

using reports::Column;

constexpr std::array<StoredColumn, 2> kRowKeys = {{
    {"attempt", "UInt64", "", "attempt to add the trace; only those in `added` count"},
    {"run", "String", "", "id of the run"},
}};

constexpr std::array<StoredColumn, 17> kAddedColumns = {{
    {"attempt", "UInt64", "", "attempt to add it, which the rows of the other tables repeat"},
    {"run", "String", "", "id of the run: --run, or what the launcher set, or that of the trace"},
    {"subject", "String", "",
     "id of what was added: of a trace by its content, of traces together by theirs"},
    {"is_run", "UInt8", "", "1: traces together, for `collectives` and `stragglers`"},
    {"ranks", "UInt32", "", "traces: 1, or those that were added together"},
    {"rank", "Nullable(Int64)", "", "rank of the process in its job"},
    {"world_size", "Nullable(Int64)", "", "ranks of the job"},
    {"host", "String", "", "host name of the machine"},
    {"gpu", "String", "", "name of the GPU"},
    {"job", "String", "", "--job, or the label job"},
    {"commit", "String", "", "--commit, or the label commit: of the program's source"},
    {"program", "String", "", "command line of the program"},
    {"file", "String", "", "path of the trace"},
    {"labels", "Array(String)", "", "--label, each as KEY=VALUE, in order"},
    {"began", "UInt32", "s", "start of the capture, seconds since 1970 (UTC)"},
    {"added", "UInt32", "s", "when it was added, seconds since 1970 (UTC)"},
    {"rows", "UInt64", "", "rows that it has in the other tables"},
}};

/// The reports that are tables, each with the key by which it is sorted; `columns` of a report that
/// is not a file here.
struct ReportTable {
  std::string_view name, order;
  bool is_of_run = false;
  std::string_view columns = {};
  std::string_view help = {};
};
constexpr std::array<ReportTable, 8> kReportTables = {{
    {"facts", "run, op, layer"},
    {"steps", "run"},
    {"idle", "run"},
    {"device_states", "run, host"},
    {"losses", "run", false, "rank,kind,word,what,count,time_ns",
     "what the traces lack, and what is estimated in them"},
    {"collectives", "run, op", true},
    {"waits", "run", true},
    {"stragglers", "run", true,
     "rank,host,waited_for_ns,share_pct,last_pct,cause,why,excess_ns,own_ns,others_ns,layer,op,dir,"
     "all_waits_ns,waits_ns,cost_ns,cost_pct",
     "ranks that make steps longer, or for which others wait, and why, as prof-report's "
     "stragglers"},
}};

std::string_view type_of(const Column& column) {
  switch (column.type) {
    case Column::Type::kText:
      return "String";
    case Column::Type::kInteger:
      return "Nullable(Int64)";
    case Column::Type::kReal:
      return "Nullable(Float64)";
  }
  return "String";
}

FleetTable table_of(const ReportTable& source, const reports::Report& report) {
  const reports::ReportInfo& info = report.info();
  FleetTable table{.name = source.name,
                   .help = source.help.empty() ? info.help : source.help,
                   .order = source.order,
                   .report = &report,
                   .is_of_run = source.is_of_run};
  if (source.columns.empty()) {
    table.cells.resize(info.columns.size());
    std::iota(table.cells.begin(), table.cells.end(), std::size_t{0});
  } else if (auto chosen = choose_columns(info, source.columns)) {
    table.cells = std::move(*chosen);
  }
  table.columns.assign(kRowKeys.begin(), kRowKeys.end());
  for (const std::size_t cell : table.cells) {
    const Column& column = info.columns[cell];
    table.columns.push_back({column.word, type_of(column), column.unit, column.help});
  }
  return table;
}

std::vector<FleetTable> make_tables() {
  static const auto registries = [] {
    std::array<reports::Registry, 2> made;
    fleet_tables::register_tables(made[0]);
    reports::register_reports(made[1]);
    return made;
  }();
  std::vector<FleetTable> tables = {
      {.name = kAdded,
       .help = "traces that are in the store, and runs whose traces were added together",
       .order = "run",
       .columns = {kAddedColumns.begin(), kAddedColumns.end()}}};
  for (const ReportTable& source : kReportTables) {
    const auto& registry = registries[source.columns.empty() ? 0 : 1];
    if (const reports::Report* report = registry.find(source.name)) {
      tables.push_back(table_of(source, *report));
    }
  }
  return tables;
}

}  // namespace

std::span<const StoredColumn> row_keys() { return kRowKeys; }

std::span<const FleetTable> fleet_tables() {
  static const std::vector<FleetTable> tables = make_tables();
  return tables;
}

}  // namespace prof::fleet
