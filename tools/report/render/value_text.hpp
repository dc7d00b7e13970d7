// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How cells become text: numbers independent of the locale, structures spelled as in op parameters.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "tools/report/cell.hpp"

namespace prof::reports {

enum class NumberStyle : std::uint8_t {
  kExact,   ///< All digits, no grouping: for programs.
  kForEyes  ///< The column's decimals and grouping.
};

/// Appends a cell that is neither absent nor text. Never appends control characters.
void append_value(const Cell& cell, const Column& column, NumberStyle style,
                  fmt::memory_buffer& out);

/// Appends a cell as a JSON value.
void append_json(const Cell& cell, fmt::memory_buffer& out);

/// Shortest form that parses back to the same value; integers without exponent or decimal point.
void append_real(double value, fmt::memory_buffer& out);

void append_decimal(Decimal value, fmt::memory_buffer& out);

inline void append(std::string_view text, fmt::memory_buffer& out) {
  out.append(text.data(), text.data() + text.size());
}

template <typename Integer>
void append_integer(Integer value, fmt::memory_buffer& out) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.data() + digits.size());
}

}  // namespace prof::reports
