// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeDecoder: decodes a range from a row of table range_row, which holds the range's own values,
// and from the rows to which that row refers (schema/range_tables.hpp). One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/read/block_times.hpp"
#include "libprof/store/read/trace_tables.hpp"
#include "libprof/store/schema/range_tables.hpp"

namespace prof {

/// A range as it is stored. Times are relative to the trace's start.
struct StoredRange {
  RangeId id = 0, parent = 0, alias_of = 0;
  const RangeForm* form = nullptr;
  std::string_view numbers;  ///< Valid as long as the row.
  std::optional<std::int64_t> start_ns, duration_ns;
  std::optional<std::uint64_t> sequence;
};

class RangeDecoder {
 public:
  explicit RangeDecoder(TraceTables& tables) : tables_(tables), times_(tables.range_blocks) {}
  Status prepare();

  static constexpr std::string_view kTable = schema::kRangeRowTable.name;
  static constexpr std::string_view kColumns[] = {"id",          "up",  "form_id", "start_ns",
                                                  "duration_ns", "seq", "numbers"};

  /// Reads a row of kTable with kColumns, as a scan or a Statement provides it.
  template <typename Row>
  void take(const Row& row, StoredRange& range) {
    range.id = row.unsigned_integer(0);
    range.parent = row.is_null(1) ? 0 : range.id - row.unsigned_integer(1);
    range.form = &row_or_default(tables_.range_forms, row.integer(kForm));
    range.start_ns.reset();
    if (!row.is_null(3)) {
      const std::int64_t block = schema::range_block_id(range.id);
      range.start_ns = times_.since_trace_start(block, row.integer(3));
    }
    range.duration_ns.reset();
    if (!row.is_null(4)) range.duration_ns = row.integer(4);
    range.sequence.reset();
    if (!row.is_null(5)) range.sequence = row.unsigned_integer(5);
    range.numbers = row.blob(6);
    range.alias_of = range.form->kind == RangeRecord::Kind::kAlias ? look_up(range.id, kAlias) : 0;
  }
  /// The payload of the range taken last.
  [[nodiscard]] Payload payload_of(const StoredRange& range);
  [[nodiscard]] const Status& status() const { return status_; }

  using Wants = std::function<bool(DomainId, StringId text)>;
  /// Visits the ranges on threads' stacks whose text is wanted, in the order of their ids.
  Status visit(const Wants& wants, const std::function<void(const StoredRange&)>& visit);

 private:
  static constexpr int kForm = 2;  // column of kColumns
  // Columns of range_rare.
  static constexpr int kAlias = 0, kPayload = 1;
  /// A column of the range's row in range_rare; 0: it has no such row.
  std::uint64_t look_up(RangeId id, int column);

  TraceTables& tables_;
  Statement rare_;
  BlockTimes times_;
  Status status_;
};

}  // namespace prof
