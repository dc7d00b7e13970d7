// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantities: the cost of work, from an op's model to the sums of a report. One list of members, so
// that a new quantity is one line here. docs/conventions.md says how each is counted.
#pragma once

#include <optional>

namespace prof {

template <typename Each>
struct PerQuantity {
  Each flops{};            ///< Floating-point operations.
  Each bytes{};            ///< read + written.
  Each read{}, written{};  ///< Both absent if only the sum is known.
  /// For a collective, as defined by nccl-tests: the size that is divided by time for its algorithm
  /// bandwidth and for its bus bandwidth (absent if the number of ranks is unknown).
  Each algorithm_bytes{}, bus_bytes{};
};

/// Absent: unknown. Never 0 for unknown.
using Quantities = PerQuantity<std::optional<double>>;

/// Calls `visit` once for each quantity, passing that member of every argument.
template <typename Visit, typename... Holders>
constexpr void for_each_quantity(Visit visit, Holders&... holders) {
  visit(holders.flops...);
  visit(holders.bytes...);
  visit(holders.read...);
  visit(holders.written...);
  visit(holders.algorithm_bytes...);
  visit(holders.bus_bytes...);
}

}  // namespace prof
