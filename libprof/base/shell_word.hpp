// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Quotes texts for a shell, and reads them back. Any thread; allocates.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof {

/// The text as one word of a command line: as it is, or in single quotes.
inline std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

/// The words of a command line that shell_word() made: to a shell, characters other than quotes and
/// backslashes may have special meanings, too. None: a quote is not closed.
inline std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool is_quoted = false, is_in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_blank = line[i] == ' ' && !is_quoted;
    if (!is_blank && !is_in_word) words.emplace_back();
    is_in_word = !is_blank;
    if (is_blank) continue;
    if (line[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (line[i] == '\\' && !is_quoted && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += line[i];
    }
  }
  if (is_quoted) return std::nullopt;
  return words;
}

}  // namespace prof
