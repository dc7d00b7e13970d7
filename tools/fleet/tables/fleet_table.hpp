// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// FleetTable: a table of a store. Its rows are the lines of a report about one trace, or about the
// traces of a run, behind columns that say what they are of. The one definition of a store's
// tables: statements, inserts and docs/fleet_tables.md are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/query/report.hpp"

namespace prof::fleet {

/// Version of the tables below. Incremented by what is added: a table, or a column, whose type is
/// Nullable or a text, which rows from before leave empty. Nothing is removed, renamed or given
/// another meaning, so `prof-fleet init` and `add` bring a store of any older version to the
/// present one (docs/decisions/0015-fleet.md).
constexpr int kSchemaVersion = 2;

struct StoredColumn {
  std::string_view name, type;  ///< `type` is ClickHouse's.
  std::string_view unit, help;
};

struct FleetTable {
  std::string_view name, help;
  std::string_view order;  ///< Key by which its rows are sorted.
  /// Null: prof-fleet itself writes its rows.
  const reports::Report* report = nullptr;
  bool is_of_run = false;               ///< Made from all traces of a run that are added together.
  std::vector<std::size_t> cells = {};  ///< Indices of the report's columns that are stored.
  std::vector<StoredColumn> columns = {};  ///< All, in order: those before the cells first.
};

/// The columns with which every row of a report's table begins.
std::span<const StoredColumn> row_keys();

/// All tables of a store, `added` first.
std::span<const FleetTable> fleet_tables();

/// The one in which a trace, or the traces of a run together, are noted once all their rows are
/// stored: rows of attempts that are not there do not count.
constexpr std::string_view kAdded = "added";

}  // namespace prof::fleet
