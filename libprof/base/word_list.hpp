// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of words separated by spaces, as tables in the source have them. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace prof {

/// Calls `visit` with each word of a space-separated list.
template <typename Visit>
void for_each_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    if (end != 0) visit(words.substr(0, end));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

/// Whether `wanted` is a word of a space-separated list.
inline bool has_word(std::string_view words, std::string_view wanted) {
  bool found = false;
  for_each_word(words, [&](std::string_view word) { found = found || word == wanted; });
  return found;
}

}  // namespace prof
