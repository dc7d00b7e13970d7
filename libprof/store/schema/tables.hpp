// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a trace, in their order: those of each kind of record, in the order of the list of
// kinds. A kind that is one row describes its table itself (model/record_kind.hpp); the others have
// one header each (*_tables.hpp), and the code that fills them in write/*_rows.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "libprof/model/records.hpp"
#include "libprof/store/schema/api_tables.hpp"
#include "libprof/store/schema/host_op_tables.hpp"
#include "libprof/store/schema/meta_tables.hpp"
#include "libprof/store/schema/range_tables.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/schema/work_tables.hpp"

namespace prof::schema {

/// The columns of a described kind.
template <IsOneRow Record>
constexpr auto columns_of() {
  constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    RecordKind<Record>::columns([&count](const auto&) { ++count; });
    return count;
  }();
  std::array<Column, kCount> columns;
  std::size_t next = 0;
  RecordKind<Record>::columns([&](const auto& column) { columns[next++] = column.text; });
  return columns;
}

template <IsOneRow Record>
inline constexpr auto kColumnsOf = columns_of<Record>();

template <IsOneRow Record>
constexpr Table table_of() {
  constexpr TableText kText = RecordKind<Record>::kTable;
  Table table{kText.name, kText.doc, kColumnsOf<Record>, kText.key};
  // Rows that are numbered in order of arrival do not replace each other.
  if (!kColumnsOf<Record>.front().is_assigned) table.conflict = Conflict::kReplace;
  if (!kText.update.empty()) table.conflict = Conflict::kUpdate;
  table.update = kText.update;
  table.since = kText.since;
  return table;
}

/// Whether a column gets its value from the field.
template <IsOneRow Record>
constexpr bool has_column_for(auto field) {
  bool found = false;
  RecordKind<Record>::columns([&](const auto& one) {
    if constexpr (requires { one.field == field; }) found |= one.field == field;
    if constexpr (requires { one.whole == field; }) found |= one.whole == field;
    if constexpr (requires { one.start == field; }) found |= one.start == field || one.end == field;
  });
  return found;
}

template <IsOneRow Record>
constexpr bool has_column_for_each_field() {
  bool all = true;
  RecordKind<Record>::fields([&all](std::string_view, auto field) {
    if constexpr (requires { field.kField; }) {
      all &= has_column_for<Record>(field.kField);
    } else {
      all &= has_column_for<Record>(field);
    }
  });
  return all;
}

template <typename Record>
requires IsOneRow<Record>
struct TablesOf<Record> {
  static_assert(has_column_for_each_field<Record>(), "a field is in no column");
  static constexpr std::array kTables = {table_of<Record>()};
};

/// Host ops are described like a table and stored behind a view.
template <>
struct TablesOf<HostOpRecord> {
  static constexpr Table kView = [] {
    Table view = table_of<HostOpRecord>();
    view.select = kHostOpSelect;
    view.rows = kHostOpRowTable.name;
    return view;
  }();
  static constexpr std::array kTables = {kView, kHostOpRowTable, kHostOpFormTable};
};

template <typename... Record>
constexpr auto join_tables(RecordList<Record...>) {
  std::array<Table, (TablesOf<Record>::kTables.size() + ...)> tables;
  auto* next = tables.begin();
  ((next = std::ranges::copy(TablesOf<Record>::kTables, next).out), ...);
  return tables;
}

inline constexpr auto kTables = join_tables(AllRecords{});

/// Versions of traces differ by tables and columns alone, and values that a trace of an older
/// version lacks are NULL.
constexpr bool is_each_version_an_addition() {
  std::int32_t newest = kOldestSchema;
  for (const Table& table : kTables) {
    newest = std::max(newest, table.since);
    for (const Column& column : table.columns) {
      if (column.since <= table.since) continue;
      newest = std::max(newest, column.since);
      if (column.type.find("NOT NULL") < column.type.size() || column.type == kSqlKey) return false;
    }
  }
  return newest == kVersion;
}
static_assert(is_each_version_an_addition());

constexpr std::size_t index_of(std::string_view table) {
  return static_cast<std::size_t>(std::ranges::find(kTables, table, &Table::name) -
                                  kTables.begin());
}

}  // namespace prof::schema
