// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsigned numbers in as few bytes as they need: seven bits per byte, low bits first; a set top bit
// means that more follow (LEB128). Used where small numbers dominate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prof {

inline void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

/// Takes one number off the front of `in`. False if `in` is empty, truncated or over 64 bits.
inline bool take_varint(std::string_view& in, std::uint64_t& number) {
  std::uint64_t value = 0;
  for (unsigned shift = 0, i = 0; i < in.size() && i < 10; ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>(in[i]);
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      in.remove_prefix(i + 1);
      number = value;
      return true;
    }
  }
  return false;
}

inline std::optional<std::uint64_t> take_varint(std::string_view& in) {
  std::uint64_t number = 0;
  return take_varint(in, number) ? std::optional(number) : std::nullopt;
}

}  // namespace prof
