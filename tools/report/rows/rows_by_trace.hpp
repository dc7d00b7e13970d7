// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowsByTrace: the rows of a kind over several traces, made of those of one trace, and chosen
// by what the kind says about them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/row_kind.hpp"

namespace prof::reports {

class KindFilter;

/// The rows of one trace.
class RowsOfTrace : public RowCursor<Row> {
 public:
  /// The part of the trace that lies before the last row; absent: unknown. Seldom asked.
  [[nodiscard]] virtual std::optional<double> part_read() { return std::nullopt; }
};

class RowsByTrace final : public RowCursor<Row> {
 public:
  using OpenTrace = std::unique_ptr<RowsOfTrace> (*)(const TraceMember& trace,
                                                     const RowInput& input);

  RowsByTrace(const RowKind& kind, const RowInput& input, OpenTrace open_trace);
  ~RowsByTrace() override;

  Row* next() override;
  [[nodiscard]] Status status() const override { return status_; }

 private:
  const RowKind& kind_;
  RowInput input_;
  OpenTrace open_trace_;
  bool takes_all_;
  std::size_t at_ = 0;
  std::unique_ptr<RowsOfTrace> open_;
  std::unique_ptr<KindFilter> chooser_;
  std::size_t place_ = 0;
  Status status_;
};

/// `OneTrace` is a RowsOfTrace that opens over a trace and the whole input.
template <typename OneTrace>
std::unique_ptr<RowCursor<Row>> rows_by_trace(const RowKind& kind, const RowInput& input) {
  return std::make_unique<RowsByTrace>(
      kind, input,
      [](const TraceMember& trace, const RowInput& whole) -> std::unique_ptr<RowsOfTrace> {
        return std::make_unique<OneTrace>(trace, whole);
      });
}

}  // namespace prof::reports
