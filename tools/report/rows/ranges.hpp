// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX ranges as a row kind (row_kinds.hpp: kRanges), by id: each thread's in the order of opening.
#pragma once

#include "tools/report/rows/table_row.hpp"

namespace prof::reports {

/// An opening of a range.
class RangeOpening final : public RecordRow<RangeSpanRow> {
 public:
  static constexpr std::string_view kTable = "range";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const RangeSpanRow>> open(TraceReader& trace) {
    return trace.all_ranges();
  }
  static std::uint64_t key(const RangeSpanRow& range, std::uint64_t) { return range.id; }
  /// An alias repeats an opening that has its own row.
  static bool skip(const RangeSpanRow& range, const Captures& captures);

  [[nodiscard]] RangeId stack() const override { return record().id; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override { return own_time_ns(); }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override;
};

}  // namespace prof::reports
