// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/store/row_binary.hpp"

#include <bit>
#include <cmath>

#include "tools/report/table/value_text.hpp"

namespace prof::fleet {

static_assert(std::endian::native == std::endian::little, "RowBinary is little-endian");

using reports::Cell;

namespace {

std::optional<double> real_of(const Cell& cell) {
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* value = std::get_if<reports::AtLeast>(&cell)) return value->value;
  if (const auto* value = std::get_if<reports::Estimate>(&cell)) return value->value;
  if (const auto* value = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<bool>(&cell)) return *value ? 1 : 0;
  if (const auto* value = std::get_if<reports::Decimal>(&cell)) {
    return static_cast<double>(value->scaled) / std::pow(10.0, value->decimals);
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const Cell& cell) {
  if (const auto* value = std::get_if<std::int64_t>(&cell)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&cell)) {
    return static_cast<std::int64_t>(*value);
  }
  const std::optional<double> real = real_of(cell);
  if (!real || !std::isfinite(*real) || std::abs(*real) >= 0x1p63) return std::nullopt;
  return std::llround(*real);
}

}  // namespace

void RowBinary::add_length(std::uint64_t length) {
  while (length >= 0x80) {
    bytes_ += static_cast<char>(length | 0x80U);
    length >>= 7U;
  }
  bytes_ += static_cast<char>(length);
}

void RowBinary::add_text(std::string_view text) {
  add_length(text.size());
  bytes_ += text;
}

void RowBinary::add_texts(std::span<const std::string> texts) {
  add_length(texts.size());
  for (const std::string& text : texts) add_text(text);
}

void RowBinary::add_cell(const Cell& cell, std::string_view type) {
  if (type == "Nullable(Int64)") return add_nullable(integer_of(cell));
  if (type == "Nullable(Float64)") return add_nullable(real_of(cell));
  if (const auto* text = std::get_if<std::string_view>(&cell)) return add_text(*text);
  std::string text;
  if (!std::holds_alternative<reports::Absent>(cell)) {
    append_value(cell, reports::Column{}, reports::NumberStyle::kExact, text);
  }
  add_text(text);
}

}  // namespace prof::fleet
