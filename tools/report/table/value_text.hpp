// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How cells become text: numbers independent of the locale, structures spelled as in op parameters.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libprof/model/tensor.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

enum class NumberStyle : std::uint8_t {
  kExact,   ///< All digits, no grouping: for programs.
  kForEyes  ///< The column's decimals and grouping.
};

/// Appends a cell that is neither absent nor text. Never appends control characters.
void append_value(const Cell& cell, const Column& column, NumberStyle style, std::string& out);

/// Appends a cell as a JSON value.
void append_json(const Cell& cell, std::string& out);

/// A text as people see it, in full or in `made`.
std::string_view text_for_eyes(std::string_view text, const Column& column, std::string& made);

/// Shortest form that parses back to the same value; integers without exponent or decimal point.
void append_real(double value, std::string& out);

void append_decimal(Decimal value, std::string& out);

inline void append(std::string_view text, std::string& out) { out += text; }

void append_signed(std::int64_t value, std::string& out);
void append_unsigned(std::uint64_t value, std::string& out);

template <std::integral Integer>
void append_integer(Integer value, std::string& out) {
  if constexpr (std::signed_integral<Integer>) {
    append_signed(value, out);
  } else {
    append_unsigned(value, out);
  }
}

// Lists of tensors for people: an optimizer's step has hundreds.

/// Longer lists are shown as their count.
inline constexpr std::size_t kLongestList = 4;

/// "T=[(64,3,7,7),(64),...]" as "T=[148 tensors, 28.6 M elements]", where the list is long. Other
/// text stays.
std::string with_short_lists(std::string_view text);

/// Whether with_short_lists() may change the text.
inline bool has_list(std::string_view text) { return text.find("[(") != std::string_view::npos; }

/// "[148 tensors, 28.6 M elements]".
std::string tensor_count_text(std::span<const Tensor> tensors);

}  // namespace prof::reports
