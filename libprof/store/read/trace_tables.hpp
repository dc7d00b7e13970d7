// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Data shared by TraceReader and its cursors: the connection and the small tables to which rows
// refer. Read once; constant after load().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/read/block_times.hpp"
#include "libprof/store/read/string_table.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/sqlite/db_pages.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

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

/// Properties shared by several ranges.
struct RangeForm {
  RangeRecord::Kind kind = RangeRecord::Kind::kPushPop;
  ThreadId thread;
  DomainId domain{};
  StringId text;  ///< The text or its template.
  StringId signature;
  ThreadId forward_thread;
  std::uint32_t category = 0;
  Payload::Type payload = Payload::Type::kNone;
};

/// The enumerator of a stored number; `unknown` for those above `last`.
template <typename Source, typename Enum>
Enum enumerator(const Source& row, int column, Enum last, Enum unknown) {
  const std::int64_t value = row.integer(column);
  const bool known = value >= 0 && value <= static_cast<std::int64_t>(last);
  return known ? static_cast<Enum>(value) : unknown;
}

/// Properties shared by several calls, as stored in api_call's columns.
struct CallForm {
  std::int64_t function = 0;
  ThreadId thread;
  std::int32_t status = 0;
};

/// Properties shared by several kernels or memory sets.
struct WorkForm {
  std::int64_t queue = 0;
  ConfigId config{};
  std::uint64_t bytes = 0;
  std::int64_t memory = 0;
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

  /// The pages for scans (TableScan); null if SQLite must read them.
  DbPages* pages_or_null() { return pages ? &*pages : nullptr; }

  SqliteDb db;
  StringTable strings{db};
  std::optional<DbPages> pages;
  std::vector<ApiFunction> functions;
  std::vector<WorkOrigin> origins;
  std::vector<Queue> queues;
  std::vector<LaunchConfig> configs;
  std::vector<RangeForm> range_forms;
  std::vector<CallForm> call_forms;
  std::vector<WorkForm> kernel_forms, set_forms;
  std::vector<TimeBlock> range_blocks, launch_blocks;  ///< Indexed by id.

 private:
  Status load_forms();
  Status load_blocks(std::string_view table, std::vector<TimeBlock>& blocks);
};

std::unique_ptr<GpuCursor> make_gpu_cursor(std::shared_ptr<TraceTables> tables,
                                           TraceReader::Work work);

}  // namespace prof
