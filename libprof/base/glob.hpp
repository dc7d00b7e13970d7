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

/// A text equals the pattern, or matches it as a shell's pattern does.
inline bool matches(std::string_view text, const std::string& pattern) {
  if (text == pattern) return true;
  if (pattern.find_first_of("*?[") == std::string::npos) return false;
  return fnmatch(pattern.c_str(), std::string(text).c_str(), FNM_NOESCAPE) == 0;
}

inline bool matches_any(std::string_view text, std::span<const std::string> patterns) {
  return std::ranges::any_of(patterns, [&](const auto& one) { return matches(text, one); });
}

}  // namespace prof
