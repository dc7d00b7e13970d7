// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as short texts.
#pragma once

#include <cstdint>
#include <string>

namespace prof::reports {

/// Milliseconds with three digits, but nothing below a nanosecond, and all digits before the point:
/// "0.00230", "0.725", "39.1", "6,688".
void append_ms(double time_ns, std::string& out);

template <typename Number>
std::string ms_text(Number time_ns) {
  std::string text;
  append_ms(static_cast<double>(time_ns), text);
  return text;
}

/// An estimate with two digits: "~0.72", "~39", "~6,700".
void append_estimate(double value, std::string& out);
std::string estimate_text(double value);

/// As nvprof writes it, with its unit: "608ns", "2.6560us", "26.435us", "115.18ms", "8.92100s":
/// whole nanoseconds below a microsecond, five digits below a second, then six. Halves are rounded
/// up; what is rounded up to 1000 of a unit is 1 of the next. From a million seconds on, all digits
/// of the seconds.
void append_time_digits(std::int64_t time_ns, std::string& out);

}  // namespace prof::reports
