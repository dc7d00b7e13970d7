// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Row: what every row of a report or of an SQL table knows about itself, and RowStream, which gives
// the rows of a kind (row_kind.hpp) one after another. The kinds have classes of their own, whose
// other members only their fields and their typed readers see.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "libprof/base/result.hpp"
#include "libprof/model/record_parts.hpp"

namespace prof {
struct TraceIdentity;
}

namespace prof::reports {

/// Reused from row to row; cells may point into it.
class Row {
 public:
  Row() = default;
  Row(const Row&) = default;
  Row& operator=(const Row&) = default;
  virtual ~Row() = default;

  [[nodiscard]] virtual const TraceIdentity& trace() const = 0;
  /// The capture of its trace that it belongs to (libprof/store/read/captures.hpp).
  [[nodiscard]] virtual std::optional<std::uint32_t> capture() const { return std::nullopt; }
  /// The innermost range around it, or the range itself; 0: none.
  [[nodiscard]] virtual RangeId stack() const { return 0; }
  /// When the program did it, since the start of the trace; absent: unknown.
  [[nodiscard]] virtual std::optional<std::int64_t> host_time_ns() const { return std::nullopt; }
  /// How long it took, which sums of times add up; absent: unknown.
  [[nodiscard]] virtual std::optional<std::int64_t> duration_ns() const { return std::nullopt; }
};

class RowStream {
 public:
  RowStream() = default;
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;
  virtual ~RowStream() = default;

  /// The next row, or null at the end or after an error. Valid until the next call.
  virtual Row* next() = 0;
  [[nodiscard]] virtual Status status() const = 0;
};

}  // namespace prof::reports
