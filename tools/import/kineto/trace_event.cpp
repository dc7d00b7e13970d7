// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/trace_event.hpp"

#include <cmath>

namespace prof::importers {

std::optional<std::int64_t> nanoseconds(const EventValue& microseconds) {
  using Kind = EventValue::Kind;
  if (microseconds.kind != Kind::kNumber && microseconds.kind != Kind::kText) return std::nullopt;
  const std::string& text = microseconds.text;
  const char* const end = text.data() + text.size();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  std::int64_t whole = 0;
  const auto [at, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc() && whole <= kMost && whole >= -kMost) {
    std::int64_t part = 0;
    const char* digit = at;
    if (digit != end && *digit == '.') {
      ++digit;
      for (std::int64_t unit = 100; digit != end && *digit >= '0' && *digit <= '9'; ++digit) {
        part += unit * (*digit - '0');
        unit /= 10;
      }
    }
    if (digit == end) return whole * 1000 + (text.starts_with('-') ? -part : part);
  }
  double number = 0;  // with an exponent
  const auto [stop, wrong] = std::from_chars(text.data(), end, number);
  if (wrong != std::errc() || stop != end || !(std::abs(number) < 9e15)) return std::nullopt;
  return std::llround(number * 1000);
}

}  // namespace prof::importers
