// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DbRecord: one row in SQLite's record format (https://www.sqlite.org/fileformat.html,
// section 2.1). Trusts nothing: a damaged record is not parsed. Values point into the payload.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace prof {

/// Bytes that must be readable after the data to decode, so that fixed-size loads need no check.
inline constexpr std::size_t kDecodePadding = 32;

/// SQLite's varint: seven bits per byte, high bits first; a ninth byte has eight. Returns a pointer
/// past it.
inline const std::uint8_t* take_db_varint(const std::uint8_t* at, std::uint64_t& value) {
  value = *at & 0x7fU;
  if (*at++ < 0x80) return at;
  for (int i = 1; i < 8; ++i) {
    value = value << 7 | (*at & 0x7fU);
    if (*at++ < 0x80) return at;
  }
  value = value << 8 | *at++;
  return at;
}

inline std::uint32_t big_endian_16(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 8 | at[1];
}
inline std::uint32_t big_endian_32(const std::uint8_t* at) {
  return big_endian_16(at) << 16 | big_endian_16(at + 2);
}

// Serial types: 0 NULL, 1 to 6 integers of 1, 2, 3, 4, 6 and 8 bytes, 7 a double, 8 and 9 the
// numbers 0 and 1, 10 and 11 not used, then blobs (even) and texts (odd).
inline constexpr std::uint32_t kDbNull = 0;
inline constexpr std::uint32_t kDbFirstBlob = 12;
inline constexpr std::uint64_t kDbLargestType = 1U << 31;  // sums of sizes stay in 64 bits

/// How to make an integer from eight bytes, of which the first `size` are its own.
struct DbNumber {
  std::uint8_t size;
  std::uint8_t shift;
  std::int64_t mask;
  std::int64_t constant;
};
inline constexpr std::array<DbNumber, kDbFirstBlob> kDbNumbers = {{{0, 0, 0, 0},
                                                                   {1, 56, -1, 0},
                                                                   {2, 48, -1, 0},
                                                                   {3, 40, -1, 0},
                                                                   {4, 32, -1, 0},
                                                                   {6, 16, -1, 0},
                                                                   {8, 0, -1, 0},
                                                                   {8, 0, 0, 0},
                                                                   {0, 0, 0, 0},
                                                                   {0, 0, 0, 1},
                                                                   {0, 0, 0, 0},
                                                                   {0, 0, 0, 0}}};

class DbRecord {
 public:
  static constexpr std::size_t kMaxColumns = 32;

  /// Parses the first `columns` columns of a record; missing ones are NULL. False: damaged.
  /// The payload must stay valid, with kDecodePadding readable bytes after it.
  bool parse(std::span<const std::uint8_t> payload, std::size_t columns) {
    payload_ = payload.data();
    std::uint64_t header_bytes = 0;
    const std::uint8_t* at = take_db_varint(payload_, header_bytes);
    if (header_bytes > payload.size()) return false;
    const std::uint8_t* const header_end = payload_ + header_bytes;
    std::uint64_t body = header_bytes;
    for (std::size_t i = 0; i < columns; ++i) {
      std::uint64_t type = kDbNull;
      if (at < header_end) at = take_db_varint(at, type);
      if (type > kDbLargestType) return false;
      values_[i] = {static_cast<std::uint32_t>(body), static_cast<std::uint32_t>(type)};
      body += type < kDbFirstBlob ? kDbNumbers[type].size : (type - kDbFirstBlob) / 2;
    }
    return body <= payload.size();
  }

  [[nodiscard]] bool is_null(std::size_t column) const { return values_[column].type == kDbNull; }

  /// 0 if it is not an integer.
  [[nodiscard]] std::int64_t integer(std::size_t column) const {
    static_assert(std::endian::native == std::endian::little);
    const Value& value = values_[column];
    const DbNumber& number = kDbNumbers[value.type < kDbFirstBlob ? value.type : kDbNull];
    // Sizes vary from row to row, so branches on them would be mispredicted.
    std::uint64_t bits = 0;
    std::memcpy(&bits, payload_ + value.at, sizeof bits);
    return (static_cast<std::int64_t>(__builtin_bswap64(bits)) >> number.shift & number.mask) |
           number.constant;
  }

  /// Of a blob or text; else empty.
  [[nodiscard]] std::string_view bytes(std::size_t column) const {
    const Value& value = values_[column];
    if (value.type < kDbFirstBlob) return {};
    return {reinterpret_cast<const char*>(payload_ + value.at), (value.type - kDbFirstBlob) / 2};
  }

 private:
  struct Value {
    std::uint32_t at = 0;  // in the payload
    std::uint32_t type = kDbNull;
  };

  const std::uint8_t* payload_ = nullptr;
  std::array<Value, kMaxColumns> values_;
};

}  // namespace prof
