// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Maps values to unsigned numbers of the same order, so that sorting compares numbers alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof {

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

constexpr std::uint64_t ordered_bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ kSignBit;
}

/// The number that has these bits.
constexpr std::int64_t number_of_bits(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits ^ kSignBit);
}

constexpr std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);  // -0 is 0
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

/// The bits of the first eight bytes of a text. Different texts may have the same bits.
constexpr std::uint64_t first_bits(std::string_view text) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    bits = bits << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return bits;
}

}  // namespace prof
