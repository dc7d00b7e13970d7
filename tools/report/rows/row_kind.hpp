// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowKind: what reports, SQL and options know about a kind of rows. Each is a constant in a file of
// this folder, and a line in row_kinds.inc. Rows of several traces come one trace after another;
// ids are those of the row's trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "libprof/store/read/row_cursor.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/row.hpp"

namespace prof::reports {

struct Nesting;
struct RowInput;
struct SumKind;

struct RowNames {
  std::string_view one, many;  ///< For people: "API call", "API calls".
  std::string_view table;      ///< For SQL: "cuda_calls".
  std::string_view help;       ///< One line about the table's rows: "every CUDA call".
  std::string_view missing{};  ///< The message if there is none; empty: a standard one.
};

/// How --step chooses among rows.
enum class Steps : std::uint8_t {
  kNone,    ///< They do not belong to steps.
  kOwn,     ///< The stream leaves rows of other steps out.
  kOfHost,  ///< By Row::stack(), or else Row::host_time_ns().
};

/// How --range does.
enum class Ranges : std::uint8_t {
  kNone,     ///< They do not belong to ranges.
  kOwn,      ///< The stream is made of what is in these ranges.
  kOfStack,  ///< By Row::stack().
};

struct RowKind {
  RowNames names;
  std::span<const Field> fields;  ///< Every column, in declared order.
  Steps steps = Steps::kNone;
  Ranges ranges = Ranges::kNone;
  /// The objects that the input refers to must outlive the stream.
  std::unique_ptr<RowCursor<Row>> (*open)(const RowInput& input) = nullptr;
  const SumKind* sums = nullptr;  ///< Null: rows cannot be summed up.
  /// Where a row lies among others of its thread; null: rows do not lie inside of others.
  Nesting (*nesting)(const Row& row) = nullptr;
  /// For rows that are sums, the kind that is summed up: options choose among its rows.
  const RowKind* summed = nullptr;
  /// How often a stream reads the GPU work of a trace, and whether as a timeline.
  std::uint8_t reads_work = 0;
  bool reads_timeline = false;

  [[nodiscard]] bool has_steps() const { return steps != Steps::kNone; }
  [[nodiscard]] bool has_ranges() const { return ranges != Ranges::kNone; }
  /// Null: there is no such column.
  [[nodiscard]] const Field* find(std::string_view word) const {
    for (const Field& field : fields) {
      if (field.column.word == word) return &field;
    }
    return nullptr;
  }
};

/// The rows of a kind for those who know their class.
template <typename RowType>
class RowsOf {
 public:
  RowsOf(const RowKind& kind, const RowInput& input) : stream_(kind.open(input)) {}

  RowType* next() { return static_cast<RowType*>(stream_->next()); }
  [[nodiscard]] Status status() const { return stream_->status(); }

 private:
  std::unique_ptr<RowCursor<Row>> stream_;
};

}  // namespace prof::reports
