// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The schema of trace.db, told once: tables, columns and views with what they mean. The SQL that
// makes the tables and docs/schema.md are both made from these lists. Raw tables only: what
// analyzers derive lives in tables of their own, which they can drop and rebuild.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace prof::schema {

/// In the file's header (PRAGMA application_id), so that other SQLite files are told apart: "prof".
inline constexpr std::int32_t kApplicationId = 0x70726f66;
/// PRAGMA user_version and meta "schema_version". Grows with every change that an older reader
/// could misread; new tables, views and columns at a table's end are no such change.
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
  std::string_view primary_key;  ///< Columns of the key of a table without rowid, else empty.
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
std::span<const View> views();
/// What a reader may do without, at the price of reading a table whole.
std::span<const Index> indexes();
/// Keys of table meta that libprof gives a meaning; producers may add others.
std::span<const MetaKey> meta_keys();

/// The statements that make an empty trace: tables, indexes, views, header fields.
std::string ddl();
/// docs/schema.md.
std::string markdown();

}  // namespace prof::schema
