// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Field: a column of a row kind, and how its cells are made. The fields of a kind stand in its .cpp
// file, one line each, as functions of the kind's own class of rows; everybody else sees functions
// of Row. They give the columns of machine forms, of the SQL table, of --list and of
// docs/columns.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tools/report/table/cell.hpp"

namespace prof::reports {

class Row;

enum class Role : std::uint8_t {
  kValue,
  kKey,        ///< Rows can be grouped by it: text or integer.
  kAlias,      ///< Repeats another column in other words or units: for people, or on request.
  kOnRequest,  ///< Only with -c, where a condition or an order names it, or by name in SQL.
};

/// Machine forms have the column without -c.
constexpr bool is_for_programs(Role role) {
  return role != Role::kAlias && role != Role::kOnRequest;
}

struct Field {
  constexpr Field() = default;
  constexpr Field(const Column& of, Cell (*cell)(Row&), Role in = Role::kValue)
      : column(of), value(cell), role(in) {}
  /// `Function` is a lambda without captures that makes a cell of a class derived from Row.
  template <typename Function>
  constexpr Field(const Column& of, Function, Role in = Role::kValue)
      : column(of), value(cell_by<Function>), role(in) {}

  Column column{};
  Cell (*value)(Row&) = nullptr;
  Role role = Role::kValue;

 private:
  template <typename Function, typename RowType>
  static RowType& as_argument(Row& row, Cell (Function::*)(RowType&) const) {
    return static_cast<RowType&>(row);
  }
  template <typename Function>
  static Cell cell_by(Row& row) {
    return Function{}(as_argument(row, &Function::operator()));
  }
};

/// Cells that all row kinds have.
namespace trace_cells {

Cell name(Row& row);
Cell rank(Row& row);
Cell host(Row& row);
Cell run(Row& row);
Cell capture(Row& row);

}  // namespace trace_cells

// clang-format off
/// Fields common to all row kinds: the trace of a row.
inline constexpr Field kTraceFields[] = {
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), trace_cells::name, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), trace_cells::rank, Role::kKey},
    {Column::text("host", "Host", "host name of the machine").cut_end(8), trace_cells::host, Role::kKey},
    {Column::text("run", "Run", "job id set by the launcher").cut_end(8), trace_cells::run, Role::kKey},
};
inline constexpr Field kCaptureField = {
    Column::integer("capture", "Capture", "", "number of the captured part of the run; absent: the trace has no parts"), trace_cells::capture, Role::kOnRequest};
// clang-format on

/// A row kind's own fields, then the trace's.
template <std::size_t count>
consteval auto with_trace_alone(const Field (&own)[count]) {
  std::array<Field, count + std::size(kTraceFields)> all{};
  for (std::size_t i = 0; i < count; ++i) all[i] = own[i];
  for (std::size_t i = 0; i < std::size(kTraceFields); ++i) all[count + i] = kTraceFields[i];
  return all;
}

/// The fields of a row kind: its own, then the trace's and the capture.
template <std::size_t count>
consteval auto with_trace(const Field (&own)[count]) {
  std::array<Field, count + std::size(kTraceFields) + 1> all{};
  for (std::size_t i = 0; i < count; ++i) all[i] = own[i];
  for (std::size_t i = 0; i < std::size(kTraceFields); ++i) all[count + i] = kTraceFields[i];
  all.back() = kCaptureField;
  return all;
}

}  // namespace prof::reports
