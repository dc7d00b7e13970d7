// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Row: what every row of a report or of an SQL table knows about itself. Each kind of rows
// (row_kind.hpp) has a class of its own, whose other members only its fields and those who read
// RowsOf<it> see.
#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace prof::reports
