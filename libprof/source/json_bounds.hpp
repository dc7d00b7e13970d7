// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Estimates what a line of JSON would cost to parse, before parsing: a parsed value takes up to 50
// times its bytes. Records have a few dozen values, three levels deep.
#pragma once

#include <cstddef>
#include <string_view>

namespace prof {

inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 1'000'000;

/// What a line has too much of, or empty. Lines too short to do harm are not checked.
inline std::string_view json_excess(std::string_view line) {
  constexpr std::size_t kHarmless = 4096;
  if (line.size() <= kHarmless) return {};
  std::size_t depth = 0;
  std::size_t values = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (in_text) {
      if (c == '\\') ++at;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) return "is nested more than 64 deep";
      ++values;
    } else if (c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == ',') {
      ++values;
    }
    if (values > kMaxJsonValues) return "holds more than 1,000,000 values";
  }
  return {};
}

}  // namespace prof
