// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of times read from a file. A damaged file may hold any numbers, so sums saturate.
#pragma once

#include <cstdint>

namespace prof {

constexpr std::int64_t sum_of_times(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

constexpr void add_time(std::int64_t& sum, std::int64_t time_ns) {
  sum = sum_of_times(sum, time_ns);
}

/// a - b.
constexpr std::int64_t difference_of_times(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace prof
