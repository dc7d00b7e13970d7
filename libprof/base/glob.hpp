// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GLOB: the one language of patterns for texts, in options, in captures and in SQL. A pattern
// matches a whole text; case counts.
//
//     *        any characters, or none
//     ?        one character (of UTF-8)
//     [a-z_]   one of these; [!a-z_] or [^a-z_] one other
//     [*]      any text in brackets, which is how tables write numbered layers: "blocks[*]"
//
// Any other character stands for itself, as does a '[' that is not closed, and a text always
// matches itself. Any thread; allocates no memory.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace prof {

bool matches(std::string_view text, std::string_view pattern);

inline bool matches_any(std::string_view text, std::span<const std::string> patterns) {
  return std::ranges::any_of(patterns, [&](const auto& one) { return matches(text, one); });
}

}  // namespace prof
