// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/glob.hpp"

#include <cstddef>

namespace prof {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// Size of the first character; for invalid UTF-8, of the bytes that belong together.
std::size_t character(std::string_view text) {
  std::size_t bytes = 1;
  if (static_cast<unsigned char>(text[0]) < 0xc0) return bytes;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

std::string_view take_character(std::string_view& text) {
  const std::string_view taken = text.substr(0, character(text));
  text.remove_prefix(taken.size());
  return taken;
}

/// Size of the set at the beginning of `pattern`; 0: there is none.
std::size_t set_size(std::string_view pattern) {
  if (!pattern.starts_with('[') || pattern.starts_with("[*]")) return 0;
  std::size_t first = 1;
  if (pattern.size() > first && (pattern[first] == '!' || pattern[first] == '^')) ++first;
  const std::size_t end = pattern.find(']', first + 1);  // the first one may be a ']' itself
  return end == kNone ? 0 : end + 1;
}

/// Compares bytes: UTF-8 has the order of its code points.
bool is_in_set(std::string_view one, std::string_view set) {
  set = set.substr(1, set.size() - 2);
  const bool is_other = set.starts_with('!') || set.starts_with('^');
  if (is_other) set.remove_prefix(1);
  bool is_in = false;
  while (!set.empty()) {
    const std::string_view low = take_character(set);
    std::string_view high = low;
    if (set.size() > 1 && set[0] == '-') {
      set.remove_prefix(1);
      high = take_character(set);
    }
    is_in = is_in || (low <= one && one <= high);
  }
  return is_in != is_other;
}

/// Takes one character of the text and the matching part of the pattern; false: they do not match.
bool take_one(std::string_view& text, std::string_view& pattern) {
  if (pattern.empty()) return false;
  const std::string_view one = text.substr(0, character(text));
  std::size_t taken = 1;
  if (const std::size_t set = set_size(pattern); set != 0) {
    if (!is_in_set(one, pattern.substr(0, set))) return false;
    taken = set;
  } else if (pattern[0] != '?') {
    if (!pattern.starts_with(one)) return false;
    taken = one.size();
  }
  text.remove_prefix(one.size());
  pattern.remove_prefix(taken);
  return true;
}

}  // namespace

bool matches(std::string_view text, std::string_view pattern) {
  if (text == pattern) return true;
  // After a mismatch the last * takes one character more.
  bool has_star = false;
  std::string_view after_star, star_text;
  while (!text.empty()) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      has_star = true;
      after_star = pattern;
      star_text = text;
    } else if (!take_one(text, pattern)) {
      if (!has_star) return false;
      take_character(star_text);
      text = star_text;
      pattern = after_star;
    }
  }
  return pattern.find_first_not_of('*') == kNone;
}

}  // namespace prof
