// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as text, see value_text.hpp.
#include "tools/report/table/value_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "tools/common/unicode.hpp"
#include "tools/report/table/tensor_lists.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

// Inserts thousands separators into the integer part of the number that starts at `begin`.
void group_thousands(std::size_t begin, std::string& out) {
  while (begin < out.size() && !tools::is_ascii_digit(out[begin])) ++begin;
  std::size_t digits_end = begin;
  while (digits_end < out.size() && tools::is_ascii_digit(out[digits_end])) ++digits_end;
  if (digits_end < out.size() && out[digits_end] == 'e') return;
  const std::size_t digits = digits_end - begin;
  if (digits <= 3) return;
  const std::size_t commas = (digits - 1) / 3;
  const std::size_t old_size = out.size();
  out.resize(old_size + commas);
  std::size_t to = out.size();
  std::size_t from = old_size;
  while (from > digits_end) out[--to] = out[--from];
  for (std::size_t moved = 0; to != from; ++moved) {
    if (moved > 0 && moved % 3 == 0) out[--to] = ',';
    out[--to] = out[--from];
  }
}

void append_shape(const Shape& shape, std::string& out) {
  out.push_back('(');
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out.push_back(',');
    append_integer(shape[i], out);
  }
  out.push_back(')');
}

// "13.980ms": three decimals in us, ms or s, as PyTorch's profiler writes times.
void append_scaled_time(std::int64_t time_ns, std::string& out) {
  const double time_us = static_cast<double>(time_ns) / 1e3;
  const double magnitude = std::abs(time_us);
  const double unit = magnitude >= 1e6 ? 1e6 : magnitude >= 1e3 ? 1e3 : 1;
  const std::string_view name = magnitude >= 1e6 ? "s" : magnitude >= 1e3 ? "ms" : "us";
  fmt::format_to(std::back_inserter(out), "{:.3f}{}", time_us / unit, name);
}

struct TextAppender {
  const Column& column;
  NumberStyle style;
  std::string& out;

  void operator()(std::monostate) const {}
  void operator()(std::string_view text) const { append(text, out); }
  void operator()(bool value) const { out.push_back(value ? '1' : '0'); }
  void operator()(std::int64_t value) const {
    if (style == NumberStyle::kExact) {
      append_integer(value, out);
    } else if (column.style == Column::Style::kScaledTime) {
      append_scaled_time(value, out);
    } else if (column.style == Column::Style::kTimeDigits) {
      append_time_digits(value, out);
    } else if (column.style == Column::Style::kInstant) {
      append_decimal({value, 6}, out);
    } else if (!append_duration(static_cast<double>(value))) {
      append_integer(value, out);
    }
  }
  void operator()(std::uint64_t value) const { append_integer(value, out); }
  void operator()(Decimal value) const { append_decimal(value, out); }
  void operator()(double value) const {
    const bool is_for_eyes = style == NumberStyle::kForEyes && std::isfinite(value);
    if (is_for_eyes && append_duration(value)) return;
    if (is_for_eyes && column.decimals != Column::kAllDecimals) {
      fmt::format_to(std::back_inserter(out), "{:.{}f}", value, column.decimals);
    } else {
      append_real(value, out);
    }
  }
  void operator()(AtLeast sum) const {
    if (style == NumberStyle::kForEyes) append("≥", out);
    (*this)(sum.value);
  }
  void operator()(Estimate of) const {
    if (style == NumberStyle::kExact) {
      append_real(of.value, out);
    } else {
      append_estimate(column.style == Column::Style::kTime ? of.value / 1e6 : of.value, out);
    }
  }
  void operator()(Dim3 size) const {
    append_integer(size.x, out);
    out.push_back(',');
    append_integer(size.y, out);
    out.push_back(',');
    append_integer(size.z, out);
  }
  void operator()(Shapes shapes) const {
    if (style == NumberStyle::kForEyes && shapes.tensors.size() > kLongestList) {
      out += counted_tensors(shapes.tensors);
      return;
    }
    for (std::size_t i = 0; i < shapes.tensors.size(); ++i) {
      if (i > 0) out.push_back(',');
      append_shape(shapes.tensors[i].shape, out);
    }
  }
  void operator()(Words words) const {
    for (std::size_t i = 0; i < words.pairs.size(); ++i) {
      if (i > 0) out.push_back(',');
      append(words.pairs[i].key, out);
      out.push_back('=');
      append(words.pairs[i].word, out);
    }
  }

  /// False: the column's numbers are no durations.
  [[nodiscard]] bool append_duration(double time_ns) const {
    if (column.style != Column::Style::kTime) return false;
    append_ms(time_ns, out);
    return true;
  }
};

}  // namespace

std::string_view text_for_eyes(std::string_view text, const Column& column, std::string& made) {
  if (column.style != Column::Style::kTensors || !has_list(text)) return text;
  return made = with_short_lists(text);
}

void append_signed(std::int64_t value, std::string& out) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void append_unsigned(std::uint64_t value, std::string& out) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void append_real(double value, std::string& out) {
  if (std::abs(value) < kExactIntegers && value == std::trunc(value)) {
    append_integer(static_cast<std::int64_t>(value), out);
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

void append_decimal(Decimal value, std::string& out) {
  std::uint64_t magnitude = static_cast<std::uint64_t>(value.scaled);
  if (value.scaled < 0) {
    out.push_back('-');
    magnitude = 0 - magnitude;
  }
  std::uint64_t unit = 1;
  for (int i = 0; i < value.decimals; ++i) unit *= 10;
  append_integer(magnitude / unit, out);
  if (value.decimals == 0) return;
  out.push_back('.');
  for (std::uint64_t rest = magnitude % unit; unit > 1; rest %= unit) {
    unit /= 10;
    out.push_back(static_cast<char>('0' + rest / unit));
  }
}

void append_value(const Cell& cell, const Column& column, NumberStyle style, std::string& out) {
  const std::size_t begin = out.size();
  std::visit(TextAppender{column, style, out}, cell);
  if (style == NumberStyle::kForEyes && column.thousands) group_thousands(begin, out);
  const bool is_share = column.style == Column::Style::kPercent && out.size() > begin;
  if (style == NumberStyle::kForEyes && is_share) out.push_back('%');
}

}  // namespace prof::reports
