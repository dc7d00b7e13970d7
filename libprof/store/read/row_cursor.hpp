// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowCursor: a stream of rows from a trace, in bounded memory. Keeps the trace open even after the
// reader that made it is gone. One thread, the reader's.
#pragma once

#include "libprof/base/result.hpp"

namespace prof {

template <typename Row>
class RowCursor {
 public:
  virtual ~RowCursor() = default;
  /// The next row, or null at the end or after an error (see status()). Valid until the next call.
  virtual const Row* next() = 0;
  [[nodiscard]] virtual Status status() const = 0;
};

}  // namespace prof
