// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA calls as a row kind (row_kinds.hpp: kApiCalls), in call order.
#pragma once

#include "tools/report/rows/table_row.hpp"

namespace prof::reports {

/// A call of a CUDA function.
class ApiCall final : public RecordRow<ApiCallRow> {
 public:
  static constexpr std::string_view kTable = "api_call";
  static constexpr std::string_view kKey = "correlation";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const ApiCallRow>> open(TraceReader& trace) {
    return trace.api_calls();
  }
  static std::uint64_t key(const ApiCallRow& call, std::uint64_t) { return call.correlation; }

  [[nodiscard]] RangeId stack() const override { return record().range; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override { return own_time_ns(); }
};

}  // namespace prof::reports
