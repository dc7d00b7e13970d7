// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as text, see value_text.hpp.
#include "tools/report/table/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "tools/common/unicode.hpp"
#include "tools/common/words.hpp"
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

  void operator()(Absent) const {}
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
      out += tensor_count_text(shapes.tensors);
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

namespace {

struct TensorCount {
  std::size_t tensors = 0;
  double elements = 0;
  std::size_t length = 0;  ///< Bytes of the list's text.
};

/// "28.6 M elements".
std::string elements_text(double elements) {
  constexpr std::array<std::string_view, 5> kCountUnits = {"", "k ", "M ", "G ", "T "};
  std::size_t unit = 0;
  // 999.5 would be rounded to four digits.
  while (elements >= 999.5 && unit + 1 < kCountUnits.size()) {
    elements /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || elements >= 99.95 ? 0 : elements >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}element{}", elements, decimals, kCountUnits[unit],
                     unit == 0 && elements == 1 ? "" : "s");
}

std::string to_text(const TensorCount& count) {
  return fmt::format("[{} tensors, {}]", count.tensors, elements_text(count.elements));
}

/// The elements of a tensor whose shape is written as "64,3,7,7".
std::optional<double> elements_of(std::string_view sizes) {
  double elements = 1;
  while (!sizes.empty()) {
    const std::size_t end = std::min(sizes.find(','), sizes.size());
    const auto size = tools::parse_number<std::uint64_t>(sizes.substr(0, end));
    if (!size) return std::nullopt;
    elements *= static_cast<double>(*size);
    sizes.remove_prefix(std::min(end + 1, sizes.size()));
  }
  return elements;
}

/// The list of shapes that `text` begins with: "[(64,3),(64)]".
std::optional<TensorCount> list_at(std::string_view text) {
  TensorCount count;
  std::size_t at = 1;
  while (at < text.size() && text[at] == '(') {
    const std::size_t end = text.find(')', at);
    if (end >= text.size()) return std::nullopt;
    const auto elements = elements_of(text.substr(at + 1, end - at - 1));
    if (!elements) return std::nullopt;
    ++count.tensors;
    count.elements += *elements;
    at = end + 1;
    if (at < text.size() && text[at] == ',') ++at;
  }
  if (at >= text.size() || text[at] != ']') return std::nullopt;
  count.length = at + 1;
  return count;
}

}  // namespace

std::string with_short_lists(std::string_view text) {
  std::string made;
  for (std::size_t at = text.find('['); at < text.size(); at = text.find('[')) {
    const auto list = list_at(text.substr(at));
    const bool is_long = list && list->tensors > kLongestList;
    made.append(text.substr(0, at)).append(is_long ? to_text(*list) : "[");
    text.remove_prefix(at + (is_long ? list->length : 1));
  }
  return made.append(text);
}

std::string tensor_count_text(std::span<const Tensor> tensors) {
  TensorCount count{.tensors = tensors.size()};
  for (const Tensor& tensor : tensors) {
    double elements = 1;
    for (const auto size : tensor.shape) elements *= static_cast<double>(size);
    count.elements += elements;
  }
  return to_text(count);
}

}  // namespace prof::reports
