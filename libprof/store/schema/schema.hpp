// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The only definition of trace.db's schema: tables, columns and views, with descriptions. The
// tables come from the descriptions of records (schema/tables.hpp). The SQL that creates and fills
// the tables and docs/formats/schema.md are generated from these lists. A capture writes raw tables
// only: results of analyzers are in separate tables, which can be dropped and rebuilt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libprof/base/output_removal.hpp"
#include "libprof/model/record_kind.hpp"

namespace prof::schema {

/// Stored in the file's header, to distinguish traces from other SQLite files.
inline constexpr std::int32_t kApplicationId = kTraceApplicationId;
/// PRAGMA user_version and meta "schema_version". Incremented by additions: a table or a column,
/// with the new version as its `since`. Nothing is removed, renamed or given another meaning, so
/// all versions from kOldestSchema on are read (docs/decisions/0002-trace-file.md).
inline constexpr std::int32_t kVersion = 4;
/// The one row of table process.
inline constexpr std::int64_t kProcessId = 1;

using Column = ColumnText;

/// The effect of a new row on an older one with the same key.
enum class Conflict : std::uint8_t { kFail, kReplace, kUpdate };

struct Table {
  std::string_view name;
  std::string_view doc;
  std::span<const Column> columns;
  /// Key columns of a WITHOUT ROWID table, else empty.
  std::string_view primary_key = {};
  Conflict conflict = Conflict::kFail;
  std::string_view update = {};  ///< For Conflict::kUpdate, the columns that it sets.
  /// A view over the other tables, which hold its rows in fewer bytes; empty: it is stored itself.
  std::string_view select = {};
  std::string_view rows = {};  ///< For such a view: the table that has a row for each of its rows.
  std::int32_t since = kOldestSchema;  ///< The version that added it.
};

/// The tables of a kind of record, in order: `kTables` (schema/tables.hpp).
template <typename Record>
struct TablesOf;

/// For tables of blocks, as `update`: the existing row is kept, and returned as a new one would be.
inline constexpr std::string_view kKeepStart = "start_ns=start_ns RETURNING start_ns";

inline constexpr std::string_view kRepeatDoc =
    "0; counts up among rows whose key is otherwise equal";

struct View {
  std::string_view name;
  std::string_view doc;
  std::string_view select;
};

struct Index {
  std::string_view name;
  std::string_view doc;
  std::string_view on;  ///< Table, columns and condition.
};

struct MetaKey {
  std::string_view key;
  std::string_view doc;
};

std::span<const Table> tables();
std::span<const View> views();
/// Views with the names of Nsight Systems' SQLite export.
std::span<const View> nsys_views();
/// Indexes that a reader can do without, at the cost of a full table scan.
std::span<const Index> indexes();
/// Keys of table meta that libprof defines; producers may add others.
std::span<const MetaKey> meta_keys();

/// Tables that `prof-report --save` adds (schema/saved_tables.cpp). A trace has all of them, or
/// none.
std::span<const Table> saved_tables();
std::span<const View> saved_views();

/// The statement that creates it, as SQLite stores it.
std::string create(const Table& table);
std::string create(const View& view);
/// The statement that adds a row: a parameter for each column that SQLite does not assign.
std::string insert(const Table& table);
/// The statements that create an empty trace: tables, indexes, views, header fields.
std::string ddl();
/// The text of docs/formats/schema.md.
std::string markdown();

}  // namespace prof::schema
