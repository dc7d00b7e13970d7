// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Estimates what a line of JSON would cost to parse, before parsing: a parsed value takes up to 50
// times its bytes. Records have a few dozen values, three levels deep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace prof {

inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 1'000'000;

struct JsonShape {
  std::size_t depth = 0;   ///< Depth of the innermost list or object.
  std::size_t values = 0;  ///< Approximate number of values.
};

inline JsonShape json_shape(std::string_view text) {
  JsonShape shape;
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      shape.depth = std::max(shape.depth, ++depth);
      ++shape.values;
    } else if (c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == ',') {
      ++shape.values;
    }
  }
  return shape;
}

/// The limit that a line exceeds, or empty. Lines too short to do harm are not checked.
inline std::string_view json_excess(std::string_view line) {
  constexpr std::size_t kHarmless = 4096;
  if (line.size() <= kHarmless) return {};
  const JsonShape shape = json_shape(line);
  if (shape.depth > kMaxJsonDepth) return "is nested more than 64 deep";
  if (shape.values > kMaxJsonValues) return "holds more than 1,000,000 values";
  return {};
}

}  // namespace prof
