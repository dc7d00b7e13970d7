// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DbRecord: one row in SQLite's record format (https://www.sqlite.org/fileformat.html,
// section 2.1). Trusts nothing: a damaged record is not parsed. Values point into the payload.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace prof {

/// Bytes that must be readable after the data to decode, so that fixed-size loads need no check.
inline constexpr std::size_t kDecodePadding = 32;

/// Reads SQLite's varint: seven bits per byte, high bits first; a ninth byte has eight. Returns a
/// pointer past it.
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

/// Parameters for making an integer from eight bytes, of which the first `size` are its own.
struct DbNumber {
  std::uint8_t size;
  std::uint8_t shift;
  std::int8_t mask;
  std::uint8_t constant;
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
  /// Limit for the columns of a table.
  static constexpr std::size_t kMaxColumns = 32;
  /// For each requested column its position in the record, below kMaxColumns, or kNotStored.
  using Positions = std::vector<std::size_t>;
  static constexpr std::size_t kNotStored = SIZE_MAX;

  DbRecord() = default;
  explicit DbRecord(Positions positions) : positions_(std::move(positions)) {
    for (const std::size_t position : positions_) {
      if (position != kNotStored) stored_ = std::max(stored_, position + 1);
    }
    layouts_.resize(std::size_t{1} << kLayoutBits);
    long_.resize(positions_.size());
    fits_word_ = stored_ <= kMaxHeader && positions_.size() <= kMaxHeader;
  }
  DbRecord(const DbRecord&) = delete;
  DbRecord& operator=(const DbRecord&) = delete;
  DbRecord(DbRecord&&) = default;
  DbRecord& operator=(DbRecord&&) = default;
  ~DbRecord() = default;

  /// Parses a record. Missing columns are NULL. False: damaged. The payload must stay valid, with
  /// kDecodePadding readable bytes after it.
  bool parse(std::span<const std::uint8_t> payload) {
    static_assert(std::endian::native == std::endian::little);
    payload_ = payload.data();
    // The rows of a table have few different headers, most of which fit in a word: the positions of
    // the values are computed once per header.
    const std::size_t header_bytes = *payload_;
    if (header_bytes - 1 >= kMaxHeader || !fits_word_) return parse_long(payload);
    std::uint64_t header = 0;
    std::memcpy(&header, payload_, sizeof header);
    header &= ~std::uint64_t{0} >> (64 - 8 * header_bytes);
    if ((header & kLongTypes) != 0) return parse_long(payload);
    Layout& layout = layouts_[header * 0x9e3779b97f4a7c15U >> (64 - kLayoutBits)];
    if (layout.header != header) make(layout, header);
    values_ = layout.values.data();
    return layout.bytes <= payload.size();
  }

  // Values, by the index of the requested column.
  [[nodiscard]] bool is_null(std::size_t column) const { return values_[column].type == kDbNull; }

  /// An integer; 0 if the value is not an integer.
  [[nodiscard]] std::int64_t integer(std::size_t column) const {
    const Value& value = values_[column];
    // Sizes vary from row to row, so branches on them would be mispredicted.
    std::uint64_t bits = 0;
    std::memcpy(&bits, payload_ + value.at, sizeof bits);
    return (static_cast<std::int64_t>(__builtin_bswap64(bits)) >> value.number.shift &
            value.number.mask) |
           value.number.constant;
  }

  /// The bytes of a blob or text; empty for other values.
  [[nodiscard]] std::string_view bytes(std::size_t column) const {
    const Value& value = values_[column];
    if (value.type < kDbFirstBlob) return {};
    return {reinterpret_cast<const char*>(payload_ + value.at), (value.type - kDbFirstBlob) / 2};
  }

 private:
  struct Value {
    std::uint32_t at = 0;  // in the payload
    std::uint32_t type = kDbNull;
    DbNumber number = kDbNumbers[kDbNull];

    Value() = default;
    Value(std::uint64_t begin, std::uint64_t of_type)
        : at(static_cast<std::uint32_t>(begin)),
          type(static_cast<std::uint32_t>(of_type)),
          number(kDbNumbers[type < kDbFirstBlob ? type : kDbNull]) {}
    [[nodiscard]] std::uint64_t end() const {
      return std::uint64_t{at} + (type < kDbFirstBlob ? number.size : (type - kDbFirstBlob) / 2);
    }
  };

  static constexpr std::size_t kMaxHeader = sizeof(std::uint64_t);
  /// Types of more than one byte.
  static constexpr std::uint64_t kLongTypes = 0x8080808080808080U;
  static constexpr int kLayoutBits = 9;

  /// Positions of the values in records with that header.
  struct Layout {
    std::uint64_t header = 0;  // its own size, then a type a byte; 0: none yet
    std::uint64_t bytes = 0;   // up to the end of the last value
    std::array<Value, kMaxHeader> values;
  };

  void make(Layout& layout, std::uint64_t header) const {
    layout.header = header;
    layout.bytes = header & 0xff;
    for (std::size_t i = 0; i < stored_; ++i) {
      header >>= 8;  // 0 behind the last type: NULL
      const Value value(layout.bytes, header & 0xff);
      layout.bytes = value.end();
      place(i, value, layout.values.data());
    }
  }

  void place(std::size_t position, const Value& value, Value* columns) const {
    for (std::size_t column = 0; column < positions_.size(); ++column) {
      if (positions_[column] == position) columns[column] = value;
    }
  }

  bool parse_long(std::span<const std::uint8_t> payload) {
    std::uint64_t body = 0;
    const std::uint8_t* at = take_db_varint(payload_, body);
    if (body > payload.size()) return false;
    const std::uint8_t* const header_end = payload_ + body;
    for (std::size_t i = 0; i < stored_; ++i) {
      std::uint64_t type = kDbNull;
      if (at < header_end) at = take_db_varint(at, type);
      if (type > kDbLargestType) return false;
      const Value value(body, type);
      body = value.end();
      if (body > payload.size()) return false;
      place(i, value, long_.data());
    }
    values_ = long_.data();
    return true;
  }

  Positions positions_;
  std::size_t stored_ = 0;  // columns of the record up to the last requested one
  bool fits_word_ = false;  // the header of these, and there is place for what is requested
  const std::uint8_t* payload_ = nullptr;
  const Value* values_ = nullptr;  // of layouts_ or long_
  std::vector<Layout> layouts_;    // by hash
  std::vector<Value> long_;        // of a record without a layout
};

}  // namespace prof
