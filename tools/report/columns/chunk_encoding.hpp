// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A chunk of the columns format (docs/formats/columns.md): values of one kind, to the bytes of its
// streams.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace prof::reports {

enum class ValueFlag : char { kNone, kNull, kAtLeast, kEstimate };

/// A value of a column. Texts are ids: indices into the column's texts, from 1.
struct ColumnValue {
  enum class Kind : std::uint8_t { kNull, kInteger, kDecimal, kReal, kBool, kText, kJson };

  union {
    std::int64_t integer = 0;  ///< Holds kDecimal, scaled, and kBool, too.
    double real;
    std::uint32_t text;  ///< Holds kJson, too.
  };
  Kind kind = Kind::kNull;
  ValueFlag flag = ValueFlag::kNull;
  std::uint8_t decimals = 0;  ///< For kDecimal.
};

/// The largest magnitude of integers that binary64 holds exactly, as does every program that
/// computes in it.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
constexpr bool is_exact(std::int64_t value) { return value >= -kMostExact && value <= kMostExact; }

/// 10^decimals.
std::int64_t divisor_of(const ColumnValue& decimal);

/// The object of a chunk, as it is printed. All values are null or of `kind`, decimals of equally
/// many places.
std::string chunk_object(std::span<const ColumnValue> values, ColumnValue::Kind kind);

}  // namespace prof::reports
