// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What TraceReader and its cursors share: the connection and the small tables to which rows refer.
// Read once; constant after load().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/db_pages.hpp"
#include "libprof/store/sqlite_db.hpp"
#include "libprof/store/string_table.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

struct ApiFunction {
  ApiRecord::Domain domain = ApiRecord::Domain::kRuntime;
  StringId name;
};

struct WorkOrigin {
  Origin origin = Origin::kNone;
  std::uint32_t graph = 0;
  std::uint64_t graph_node = 0;
};

struct Queue {
  std::uint32_t device = 0, context = 0, stream = 0;
};

/// The row of an id, or a default row for an unknown id.
template <typename Row>
const Row& row_or_default(const std::vector<Row>& rows, std::int64_t id) {
  static constexpr Row kMissing{};
  const auto index = static_cast<std::uint64_t>(id);
  return index < rows.size() ? rows[index] : kMissing;
}

struct TraceTables {
  explicit TraceTables(SqliteDb database) : db(std::move(database)) {}
  Status load();

  /// For scans (TableScan); null if SQLite must read them.
  DbPages* pages_or_null() { return pages ? &*pages : nullptr; }

  SqliteDb db;
  StringTable strings{db};
  std::optional<DbPages> pages;
  std::vector<ApiFunction> functions;
  std::vector<WorkOrigin> origins;
  std::vector<Queue> queues;
  std::vector<LaunchConfig> configs;
};

std::unique_ptr<GpuCursor> make_gpu_cursor(std::shared_ptr<TraceTables> tables,
                                           TraceReader::Work work);

}  // namespace prof
