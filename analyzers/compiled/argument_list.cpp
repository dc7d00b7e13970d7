// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/argument_list.hpp"

#include <cstddef>

#include "libprof/base/ascii.hpp"

namespace prof::compiled {
namespace {

// A list that has more is damaged.
constexpr std::size_t kMaxListed = 65'536;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t depth = 0;
  std::size_t begin = 0;
  char quote = 0;
  const auto end_at = [&](std::size_t end) {
    const std::string_view part = trimmed(text.substr(begin, end - begin));
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size() && parts.size() < kMaxListed; ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    } else if (c == ',' && depth == 0) {
      end_at(i);
    }
  }
  if (begin < text.size()) end_at(text.size());
  return parts;
}

}  // namespace prof::compiled
