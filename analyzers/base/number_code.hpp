// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as differences from others, in as few bytes as those need (libprof/base/varint.hpp), and
// TakeNumbers, which reads them back. For what a program keeps of its own: nothing is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libprof/base/varint.hpp"

namespace prof {

/// Differences wrap around, so that any two numbers have one; small ones of either sign are short.
template <typename Number>
void append_difference(std::string& to, Number now, Number before) {
  const std::uint64_t by = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(before);
  append_varint(to, by << 1 ^ (by >> 63 == 0 ? 0 : ~std::uint64_t{0}));
}

inline void append_optional(std::string& to, std::optional<std::int64_t> now,
                            std::optional<std::int64_t> before) {
  to.push_back(now ? 1 : 0);
  if (now) append_difference(to, *now, before.value_or(0));
}

class TakeNumbers {
 public:
  explicit TakeNumbers(const char* from) : at_(from) {}

  [[nodiscard]] const char* at() const { return at_; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(*at_++); }
  std::uint64_t number() {
    std::uint64_t value = byte();
    if (value < 0x80) return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
      const std::uint64_t next = byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
  }
  template <typename Number>
  Number behind(Number before) {
    const std::uint64_t by = number();
    return static_cast<Number>(static_cast<std::uint64_t>(before) + (by >> 1 ^ (0 - (by & 1))));
  }
  template <typename Number>
  void advance(Number& before) {
    before = behind(before);
  }
  void advance(std::optional<std::int64_t>& before) {
    if (byte() == 0) return before.reset();
    before = behind(before.value_or(0));
  }

 private:
  const char* at_;
};

}  // namespace prof
