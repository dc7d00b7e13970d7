// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cell: one typed value of a report's row, and Column: what a user is told about it. Reports make
// cells, renderers print them; neither knows the other. Cells do not own texts: they are valid
// until the report makes its next row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "libprof/model/records.hpp"
#include "libprof/model/tensor.hpp"

namespace prof::reports {

/// value = scaled / 10^decimals, exactly: times in microseconds keep their nanoseconds.
struct Decimal {
  std::int64_t scaled = 0;
  std::uint8_t decimals = 0;
};

/// The shapes of an op's tensors, in their order.
struct Shapes {
  std::span<const Tensor> tensors;
};

struct WordPair {
  std::string_view key, word;
};

/// Small fixed dictionary: JSON prints an object, texts print "key=word,...".
struct Words {
  std::span<const WordPair> pairs;
};

/// A sum of which some parts are not known, so that the truth is this or more.
struct AtLeast {
  double value = 0;
};

/// monostate: absent, that is not known or not applicable. Printed as "-", an empty field, or null.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, Decimal, double,
                          AtLeast, std::string_view, Dim3, Shapes, Words>;

inline Cell absent() { return {}; }

/// An empty text is an absent one.
inline Cell text(std::string_view value) {
  return value.empty() ? Cell{} : Cell{std::in_place_type<std::string_view>, value};
}

struct Column {
  std::string_view word;  ///< What -c takes; the JSON key and the CSV header.
  std::string_view header;
  std::string_view unit;  ///< Shown in the table's header; empty: none.
  std::string_view help;
  enum class Align : std::uint8_t { kLeft, kRight } align = Align::kLeft;
  bool thousands = false;      ///< Tables group the digits: 1,234,567.
  std::uint8_t decimals = 0;   ///< Of real values in tables.
  std::uint8_t min_width = 1;  ///< In tables, of all columns; of those that may shrink see below.
  /// How a table fits a terminal that is too narrow. Columns that may shrink are not cut below
  /// min_width as long as there is room, and then down to their header.
  enum class Shrink : std::uint8_t {
    kNever,
    kCutEnd,
    kCutFront,  ///< For paths, whose end tells most.
  } shrink = Shrink::kNever;
};

}  // namespace prof::reports
