// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the texts of manuals and shell scripts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/common/manual.hpp"

namespace prof::manuals {

/// "prof_report": a part of a shell function's name.
inline std::string identifier(std::string_view program) {
  std::string name(program);
  std::ranges::replace(name, '-', '_');
  return name;
}

inline std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : between).append(part);
  return text;
}

inline std::vector<std::string> texts_of(const std::vector<tools::Word>& words) {
  std::vector<std::string> texts;
  for (const tools::Word& word : words) texts.push_back(word.text);
  return texts;
}

/// With a backslash before each of these characters.
inline std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// The option whose words decide those of others has these flags.
inline std::vector<std::string> flags_of(const tools::Manual& manual, const std::string& flag) {
  for (const tools::ManualOption& option : manual.options) {
    if (option.flags.back() == flag) return option.flags;
  }
  return {};
}

/// "--columns" -> "columns".
inline std::string long_name(const tools::ManualOption& option) {
  return identifier(option.flags.back().substr(option.flags.back().find_first_not_of('-')));
}

}  // namespace prof::manuals
