// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The only definition of trace.db's schema: tables, columns and views, with descriptions. The SQL
// that creates the tables and docs/schema.md are both generated from these lists. A capture writes
// raw tables only: what analyzers derive is in separate tables, which can be dropped and rebuilt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace prof::schema {

/// In the file's header (PRAGMA application_id), to distinguish traces from other SQLite files:
/// "prof".
inline constexpr std::int32_t kApplicationId = 0x70726f66;
/// PRAGMA user_version and meta "schema_version". Incremented by every change that an older reader
/// could misread, which new tables, views and trailing columns are not.
inline constexpr std::int32_t kVersion = 1;
/// The one row of table process.
inline constexpr std::int64_t kProcessId = 1;

struct Column {
  std::string_view name;
  std::string_view type;  ///< SQL type with its constraints.
  std::string_view doc;
};

struct Table {
  std::string_view name;
  std::string_view doc;
  std::span<const Column> columns;
  std::string_view primary_key;  ///< Key columns of a WITHOUT ROWID table, else empty.
};

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
/// Whether a table has a column in this version of the schema.
bool has_column(std::string_view table, std::string_view column);
std::span<const View> views();
/// Indexes that a reader can do without, at the cost of a full table scan.
std::span<const Index> indexes();
/// Keys of table meta that libprof defines; producers may add others.
std::span<const MetaKey> meta_keys();

/// What `prof-report --save` adds (schema_saved.cpp). A trace has all of them, or none.
std::span<const Table> saved_tables();
std::span<const View> saved_views();

/// The statement that creates it, as SQLite stores it.
std::string create(const Table& table);
std::string create(const View& view);
/// The statements that create an empty trace: tables, indexes, views, header fields.
std::string ddl();
/// docs/schema.md.
std::string markdown();

}  // namespace prof::schema
