// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells of durations.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/report/table/cell.hpp"

namespace prof::reports {

inline Cell microseconds(std::int64_t time_ns) { return Cell{Decimal{time_ns, 3}}; }

inline Cell nanoseconds(const std::optional<std::int64_t>& time_ns) {
  return time_ns ? signed_number(*time_ns) : absent();
}

inline Cell microseconds(const std::optional<std::int64_t>& time_ns) {
  return time_ns ? microseconds(*time_ns) : absent();
}

/// Absent if the whole is unknown.
inline Cell percent(std::int64_t time_ns, std::int64_t of_ns) {
  if (of_ns <= 0) return absent();
  return real(100.0 * static_cast<double>(time_ns) / static_cast<double>(of_ns));
}

inline Cell mean_ns(std::int64_t time_ns, std::uint64_t count) {
  return real(static_cast<double>(time_ns) / static_cast<double>(count));
}

}  // namespace prof::reports
