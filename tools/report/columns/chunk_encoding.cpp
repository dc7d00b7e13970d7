// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/columns/chunk_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tools/report/columns/deflated_text.hpp"

namespace prof::reports {
namespace {

using Kind = ColumnValue::Kind;

void append_varint(std::uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

void append_zigzag(std::int64_t value, std::string& bytes) {
  const auto sign = static_cast<std::uint64_t>(value >> 63);
  append_varint((static_cast<std::uint64_t>(value) << 1) ^ sign, bytes);
}

std::string integers(std::span<const ColumnValue> values) {
  std::string bytes;
  for (const ColumnValue& value : values) append_zigzag(value.integer, bytes);
  return bytes;
}

/// A null repeats the value before it, which costs least.
std::string differences(std::span<const ColumnValue> values) {
  std::string bytes;
  std::int64_t before = 0;
  for (const ColumnValue& value : values) {
    const std::int64_t now = value.kind == Kind::kNull ? before : value.integer;
    append_zigzag(now - before, bytes);
    before = now;
  }
  return bytes;
}

/// So that their differences are exact, too.
bool are_small(std::span<const ColumnValue> values) {
  return std::ranges::all_of(values, [](const ColumnValue& value) {
    return value.integer >= -kMostExact / 2 && value.integer <= kMostExact / 2;
  });
}

/// Bytes of equal weight side by side: those of signs and exponents repeat.
std::string reals(std::span<const ColumnValue> values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double real = values[i].kind == Kind::kNull ? 0 : values[i].real;
    const auto bits = std::bit_cast<std::uint64_t>(real);
    for (std::size_t byte = 0; byte < sizeof bits; ++byte) {
      bytes[byte * values.size() + i] = static_cast<char>(bits >> (8 * byte));
    }
  }
  return bytes;
}

std::string bools(std::span<const ColumnValue> values) {
  std::string bytes;
  for (const ColumnValue& value : values) bytes.push_back(static_cast<char>(value.integer));
  return bytes;
}

std::string ids(std::span<const ColumnValue> values) {
  std::string bytes;
  for (const ColumnValue& value : values) {
    append_varint(value.kind == Kind::kNull ? 0 : value.text, bytes);
  }
  return bytes;
}

struct Encoded {
  std::string_view encoding;
  std::string data;
};

Encoded encoded_integers(std::span<const ColumnValue> values) {
  Encoded plain{"integer", deflated_text(integers(values))};
  if (!are_small(values)) return plain;
  Encoded made{"delta", deflated_text(differences(values))};
  return made.data.size() < plain.data.size() ? made : plain;
}

Encoded encoded(std::span<const ColumnValue> values, Kind kind) {
  switch (kind) {
    case Kind::kNull:
      break;
    case Kind::kInteger:
    case Kind::kDecimal:
      return encoded_integers(values);
    case Kind::kReal:
      return {"real", deflated_text(reals(values))};
    case Kind::kBool:
      return {"bool", deflated_text(bools(values))};
    case Kind::kText:
      return {"text", deflated_text(ids(values))};
    case Kind::kJson:
      return {"json", deflated_text(ids(values))};
  }
  return {"null", ""};
}

/// Empty: all are 0.
std::string flags(std::span<const ColumnValue> values) {
  std::string bytes;
  for (const ColumnValue& value : values) bytes.push_back(static_cast<char>(value.flag));
  return bytes.find_first_not_of('\0') == std::string::npos ? "" : deflated_text(bytes);
}

}  // namespace

std::int64_t divisor_of(const ColumnValue& decimal) {
  std::int64_t divisor = 1;
  for (int i = 0; i < decimal.decimals; ++i) divisor *= 10;
  return divisor;
}

std::string chunk_object(std::span<const ColumnValue> values, ColumnValue::Kind kind) {
  const auto [encoding, data] = encoded(values, kind);
  std::string text = fmt::format("{{\"rows\":{},\"encoding\":\"{}\"", values.size(), encoding);
  if (kind == Kind::kDecimal) {
    const auto first = std::ranges::find(values, Kind::kDecimal, &ColumnValue::kind);
    text += fmt::format(",\"divisor\":{}", divisor_of(*first));
  }
  if (kind != Kind::kNull) text += fmt::format(",\"data\":\"{}\"", data);
  const bool has_ids = kind == Kind::kText || kind == Kind::kJson;
  const std::string own_flags = kind == Kind::kNull || has_ids ? "" : flags(values);
  if (!own_flags.empty()) text += fmt::format(",\"flags\":\"{}\"", own_flags);
  return text + "}";
}

}  // namespace prof::reports
