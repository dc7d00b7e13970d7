// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How cells become text in tables and CSV: numbers without regard to the locale, structures spelled
// as in the parameters of ops. JSON has its own spelling (render/json.cpp).
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "tools/report/cell.hpp"

namespace prof::reports {

enum class NumberStyle : std::uint8_t {
  kExact,   ///< Every digit, no grouping: for machines.
  kForEyes  ///< The column's decimals and grouping.
};

/// Appends a cell that is not absent and not a text. Never appends control characters.
void append_value(const Cell& cell, const Column& column, NumberStyle style,
                  fmt::memory_buffer& out);

/// Shortest form that reads back as the same value; whole numbers without exponent or point.
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
