// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Patterns for texts, as a shell has them. Any thread.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace prof {

/// A pattern with "[*]" as any text in brackets, which is how tables write numbered layers:
/// "blocks[*]". To a shell it is a set of one character.
inline std::string with_any_in_brackets(std::string pattern) {
  constexpr std::string_view kAny = "[*]", kInBrackets = "[[]*]";
  for (std::size_t at = pattern.find(kAny); at != std::string::npos;
       at = pattern.find(kAny, at + kInBrackets.size())) {
    pattern.replace(at, kAny.size(), kInBrackets);
  }
  return pattern;
}

/// A text equals the pattern, or matches it as a shell's pattern does.
inline bool matches(std::string_view text, const std::string& pattern) {
  if (text == pattern) return true;
  if (pattern.find_first_of("*?[") == std::string::npos) return false;
  const std::string globs = with_any_in_brackets(pattern);
  return fnmatch(globs.c_str(), std::string(text).c_str(), FNM_NOESCAPE) == 0;
}

inline bool matches_any(std::string_view text, std::span<const std::string> patterns) {
  return std::ranges::any_of(patterns, [&](const auto& one) { return matches(text, one); });
}

}  // namespace prof
