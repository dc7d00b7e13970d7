// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cell: one typed value in a report's row, and Column: its name, header, unit and help text.
// Reports make cells, renderers print them; neither knows the other. Cells do not own texts: they
// are valid until the report makes its next row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "libprof/model/records.hpp"
#include "libprof/model/tensor.hpp"
#include "tools/report/table/why.hpp"

namespace prof::reports {

/// value = scaled / 10^decimals, exactly: times in microseconds keep their nanoseconds.
struct Decimal {
  std::int64_t scaled = 0;
  std::uint8_t decimals = 0;
};

/// The shapes of an op's tensors, in order.
struct Shapes {
  std::span<const Tensor> tensors;
};

struct WordPair {
  std::string_view key, word;
};

/// A small fixed dictionary: an object in JSON, "key=word,..." in text.
struct Words {
  std::span<const WordPair> pairs;
};

/// A sum with unknown parts: the true value is this or more.
struct AtLeast {
  double value = 0;
};

/// A value that is estimated: in forms for people "~" and two digits.
struct Estimate {
  double value = 0;
};

/// Unknown or not applicable. Printed as "-", an empty field, or null.
struct Absent {
  Why why = Why::kUnstated;
};

using Cell = std::variant<Absent, bool, std::int64_t, std::uint64_t, Decimal, double, AtLeast,
                          Estimate, std::string_view, Dim3, Shapes, Words>;

inline Cell absent(Why why = Why::kUnstated) { return Absent{why}; }

inline Cell signed_number(std::int64_t value) {
  return Cell{std::in_place_type<std::int64_t>, value};
}
inline Cell number(std::uint64_t value) { return Cell{std::in_place_type<std::uint64_t>, value}; }
inline Cell real(double value) { return Cell{std::in_place_type<double>, value}; }
inline Cell real(const std::optional<double>& value, Why why = Why::kUnstated) {
  return value ? real(*value) : absent(why);
}

inline Cell estimate(double value) { return Cell{Estimate{value}}; }

/// An empty text counts as absent.
inline Cell text(std::string_view value, Why why = Why::kUnstated) {
  return value.empty() ? absent(why) : Cell{std::in_place_type<std::string_view>, value};
}

struct Column {
  std::string_view word;  ///< The name for -c; the JSON key and, without `csv`, the CSV header.
  std::string_view header;
  std::string_view unit;  ///< Shown in the table header; empty: none.
  std::string_view help;
  enum class Align : std::uint8_t { kLeft, kRight } align = Align::kLeft;
  bool thousands = false;  ///< Group digits in tables: 1,234,567.
  /// How forms for people write a value.
  enum class Style : std::uint8_t {
    kPlain,
    // Nanoseconds in milliseconds (table/time_text.hpp).
    kTime,     ///< Three digits.
    kInstant,  ///< Since the start of the trace: all digits.
    // Nanoseconds with the unit that suits each.
    kScaledTime,  ///< Three decimals.
    kTimeDigits,  ///< As many digits as nvprof.
    kPercent,     ///< Shares as "0.17%".
    kTensors,     ///< Long lists of tensors in a text as their count (table/value_text.hpp).
  } style = Style::kPlain;
  /// Decimal places of real values in tables.
  static constexpr std::uint8_t kAllDecimals = 255;
  std::uint8_t decimals = 0;
  std::uint8_t min_width = 1;  ///< Least width in tables, also of a shrunk column.
  /// How a column fits into a narrow terminal. Names are cut in the middle, sentences wrapped.
  enum class Shrink : std::uint8_t {
    kNever,
    kCutEnd,    ///< Most of the start stays: names.
    kCutFront,  ///< Most of the end stays: paths, whose last parts say most.
    kWrap,      ///< Words go on in the lines below.
  } shrink = Shrink::kNever;
  /// A table that is too wide drops its columns of the highest rank first, from 6 on readily
  /// (table/table_layout.hpp). 0: never dropped.
  std::uint8_t drop_rank = 0;
  /// The CSV header, if it is not the word.
  std::string_view csv{};
  /// The column's type in SQL. Lists are text there.
  enum class Type : std::uint8_t { kText, kInteger, kReal } type = Type::kText;
  /// The JSON form, where it is not a value of that type.
  enum class Json : std::uint8_t { kOfType, kFlag, kSizes, kShapes, kWords } json = Json::kOfType;
  /// Where forms for people show a column that several rows, one after the other, share: in each of
  /// them; in the first of them, as "GPU activities:"; or as a line above them, outer headings
  /// first. Absent headings have no line. Below new headings, the table begins anew. kBelow: in
  /// tables as a line of its own below the row, "Show: ...", which is never cut; absent, there is
  /// none.
  enum class Place : std::uint8_t { kCell, kLabel, kHeading, kBelow } place = Place::kCell;

  // A column is one expression: real("mean_us", "Mean", "us", "mean time", 3).grouped().
  static constexpr Column text(std::string_view word, std::string_view header,
                               std::string_view help) {
    return {.word = word, .header = header, .unit = {}, .help = help};
  }
  static constexpr Column integer(std::string_view word, std::string_view header,
                                  std::string_view unit, std::string_view help) {
    Column column{.word = word, .header = header, .unit = unit, .help = help};
    column.align = Align::kRight;
    column.type = Type::kInteger;
    return column;
  }
  static constexpr Column real(std::string_view word, std::string_view header,
                               std::string_view unit, std::string_view help,
                               std::uint8_t decimals) {
    Column column = integer(word, header, unit, help);
    column.decimals = decimals;
    column.type = Type::kReal;
    return column;
  }
  /// A duration. Cells have it in nanoseconds, whole ones or, of `type` kReal, real ones.
  static constexpr Column time(std::string_view word, std::string_view header,
                               std::string_view help, Type type = Type::kInteger) {
    Column column = integer(word, header, "ns", help).styled(Style::kTime);
    column.type = type;
    return column;
  }
  /// A time since the start of the trace, in nanoseconds.
  static constexpr Column instant(std::string_view word, std::string_view header,
                                  std::string_view help) {
    return integer(word, header, "ns", help).grouped().styled(Style::kInstant);
  }
  /// The unit in forms for people.
  [[nodiscard]] constexpr std::string_view shown_unit() const {
    return style == Style::kTime || style == Style::kInstant ? "ms" : unit;
  }
  [[nodiscard]] constexpr Column grouped() const {
    Column column = *this;
    column.thousands = true;
    return column;
  }
  [[nodiscard]] constexpr Column styled(Style how) const {
    Column column = *this;
    column.style = how;
    return column;
  }
  [[nodiscard]] constexpr Column in_json(Json what) const {
    Column column = *this;
    column.json = what;
    return column;
  }
  [[nodiscard]] constexpr Column placed(Place where) const {
    Column column = *this;
    column.place = where;
    return column;
  }
  [[nodiscard]] constexpr Column right() const {
    Column column = *this;
    column.align = Align::kRight;
    return column;
  }
  [[nodiscard]] constexpr Column wide(std::uint8_t width) const {
    Column column = *this;
    column.min_width = width;
    return column;
  }
  [[nodiscard]] constexpr Column cut(Shrink how, std::uint8_t least) const {
    Column column = wide(least);
    column.shrink = how;
    return column;
  }
  [[nodiscard]] constexpr Column cut_end(std::uint8_t least) const {
    return cut(Shrink::kCutEnd, least);
  }
  [[nodiscard]] constexpr Column cut_front(std::uint8_t least) const {
    return cut(Shrink::kCutFront, least);
  }
  [[nodiscard]] constexpr Column wrap(std::uint8_t least) const {
    return cut(Shrink::kWrap, least);
  }
  [[nodiscard]] constexpr Column drop(std::uint8_t rank) const {
    Column column = *this;
    column.drop_rank = rank;
    return column;
  }
};

}  // namespace prof::reports
