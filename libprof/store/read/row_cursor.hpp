// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowCursor: a stream of rows, in bounded memory: of a table, of attributed work, of a report. A
// TraceReader's cursor keeps the trace open even after the reader is gone. One thread, the
// reader's.
#pragma once

#include "libprof/base/result.hpp"

namespace prof {

/// `Row` is const if the rows are records; it is not if a row computes its cells when asked.
template <typename Row>
class RowCursor {
 public:
  virtual ~RowCursor() = default;
  /// The next row, or null at the end or after an error (see status()). Valid until the next call.
  virtual Row* next() = 0;
  [[nodiscard]] virtual Status status() const = 0;
};

}  // namespace prof
