// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Characters of ASCII, independent of the locale. Bytes of other characters belong to no class.
#pragma once

#include <string>
#include <string_view>

namespace prof {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
/// A letter, a digit or an underscore: a character of names in most languages.
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
/// A byte of a character outside ASCII.
constexpr bool is_of_other_script(char c) { return static_cast<unsigned char>(c) >= 0x80; }

constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = lower(c);
  return made;
}

}  // namespace prof
