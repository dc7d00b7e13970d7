// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as stored in tables: a start, and a duration since then. Sums and differences wrap, so that
// stored values read back equal, damaged times included (model/times.hpp saturates instead, for
// values that are computed from times).
#pragma once

#include <cstdint>

namespace prof {

/// a + b.
constexpr std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// a - b.
constexpr std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace prof
