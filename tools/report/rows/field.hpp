// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a row kind is made of. A row kind is a class with
//
//     static constexpr RowNames kNames;         // names of its rows
//     static constexpr bool kHasSteps;          // rows belong to steps: --step applies
//     using Row = ...;                          // the source of one row's cells
//     static constexpr std::span<const Field<Row>> kFields;  // every column, in declared order
//     class Cursor {                            // opens over a RowInput and streams
//       Row* next();                            // null at the end or after an error
//       Status status() const;
//     };
//
// and, if its rows can be summed, `using Sums` with add(Row&), merge(const Sums&), weight(), a
// member `durations` and each_part() for its other members, which are plain data, and kSums.
// kFields gives the columns of machine forms, of the SQL table, of --list and of docs/reports.md.
// Rows of several traces come one trace after another; ids are those of the row's trace.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "tools/report/cell.hpp"

namespace prof::reports {

struct RowNames {
  std::string_view one, many;  ///< For people: "API call", "API calls".
  std::string_view table;      ///< For SQL: "cuda_calls".
};

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

template <typename RowType>
struct Field {
  Column column;
  Cell (*value)(RowType&) = nullptr;
  Role role = Role::kValue;
};

template <typename SumsType>
struct SumField {
  Column column;
  /// `all` holds the sums over all groups.
  Cell (*value)(const SumsType& sums, const SumsType& all);
  Role role = Role::kValue;
  bool of_each = false;  ///< Computed from each row's duration, which the sums then keep.
};

/// Fields common to all row kinds: the trace of a row. Row::trace() is its identity; its capture is
/// Row::capture().
template <typename Row>
inline constexpr std::array<Field<Row>, 4> kTraceFields = {{
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8),
     [](Row& row) { return text(row.trace().name); }, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"),
     [](Row& row) { return row.trace().rank ? number(*row.trace().rank) : absent(); }, Role::kKey},
    {Column::text("host", "Host", "host name of the machine").cut_end(8),
     [](Row& row) { return text(row.trace().host); }, Role::kKey},
    {Column::text("run", "Run", "job id set by the launcher").cut_end(8),
     [](Row& row) { return text(row.trace().run); }, Role::kKey},
}};

/// The capture of its trace that a row belongs to (libprof/store/captures.hpp).
template <typename Row>
inline constexpr Field<Row> kCaptureField = {
    Column::integer("capture", "Capture", "",
                    "number of the captured part of the run; absent: the trace has no parts"),
    [](Row& row) {
      const std::optional<std::uint32_t> capture = row.capture();
      return capture ? number(*capture) : absent();
    },
    Role::kOnRequest};

/// A row kind's own fields, then the trace's.
template <typename Row, std::size_t count>
constexpr std::array<Field<Row>, count + 4> with_trace_alone(const Field<Row> (&own)[count]) {
  std::array<Field<Row>, count + 4> all{};
  for (std::size_t i = 0; i < count; ++i) all[i] = own[i];
  for (std::size_t i = 0; i < 4; ++i) all[count + i] = kTraceFields<Row>[i];
  return all;
}

/// The fields of a row kind: its own, then the trace's and the capture.
template <typename Row, std::size_t count>
consteval std::array<Field<Row>, count + 5> with_trace(const Field<Row> (&own)[count]) {
  std::array<Field<Row>, count + 5> all{};
  const std::array<Field<Row>, count + 4> of_trace = with_trace_alone<Row>(own);
  for (std::size_t i = 0; i < of_trace.size(); ++i) all[i] = of_trace[i];
  all[of_trace.size()] = kCaptureField<Row>;
  return all;
}

/// Column indices looked up at compile time: an unknown word does not compile.
class ColumnList {
 public:
  [[nodiscard]] constexpr std::span<const std::size_t> indices() const {
    return {indices_.data(), count_};
  }

 protected:
  constexpr void add(std::size_t index) { indices_[count_++] = index; }

 private:
  std::array<std::size_t, 32> indices_{};
  std::size_t count_ = 0;
};

/// Columns of Kind's rows.
template <typename Kind>
struct RowColumns : ColumnList {
  consteval RowColumns(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) add(index_of(word));
  }

  static consteval std::size_t index_of(std::string_view word) {
    for (std::size_t i = 0; i < Kind::kFields.size(); ++i) {
      if (Kind::kFields[i].column.word == word) return i;
    }
    throw "the row kind has no such column";
  }
};

/// Columns of groups of Kind's rows: its keys, then its sums.
template <typename Kind>
struct GroupColumns : ColumnList {
  consteval GroupColumns(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) add(index_of(word));
  }

  static consteval std::size_t index_of(std::string_view word) {
    std::size_t index = 0;
    for (const auto& field : Kind::kFields) {
      if (field.role != Role::kKey) continue;
      if (field.column.word == word) return index;
      ++index;
    }
    for (const auto& sum : Kind::kSums) {
      if (sum.column.word == word) return index;
      ++index;
    }
    throw "the row kind has no such key or sum";
  }
};

}  // namespace prof::reports
