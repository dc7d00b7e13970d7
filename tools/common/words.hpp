// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words that a user types.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "libprof/base/ascii.hpp"

namespace prof::tools {

/// The text without blanks at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// The text as one word of a shell's command line.
inline std::string shell_word(std::string_view text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return is_word(c) || std::string_view("-./+,:@%=").find(c) != std::string_view::npos;
  });
  if (is_plain && !text.empty()) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The words of a command line: quotes hold blanks, a backslash outside of '' any character.
inline std::vector<std::string> command_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!std::exchange(in_word, true)) words.emplace_back();
    if (c == quote || (quote == 0 && (c == '"' || c == '\''))) {
      quote = quote == 0 ? c : '\0';
      continue;
    }
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) c = line[++i];
    words.back() += c;
  }
  return words;
}

/// A whole number and nothing else, or nullopt.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

/// A percentage that is not negative: "5%", "5 %" or "5".
inline std::optional<double> percent_in(std::string_view word) {
  word = trimmed(word);
  if (word.ends_with('%')) word = trimmed(word.substr(0, word.size() - 1));
  const auto percent = parse_number<double>(word);
  return percent && std::isfinite(*percent) && *percent >= 0 ? percent : std::nullopt;
}

/// The parts between commas, trimmed.
inline std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

}  // namespace prof::tools
