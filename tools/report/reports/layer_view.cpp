// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/reports/layer_view.hpp"

#include <algorithm>
#include <unordered_map>

namespace prof::reports {
namespace {

bool is_separator(char c) { return c == ':' || c == '.'; }

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

/// Calls `visit(part, end)` for each part between separators.
template <typename Visit>
void for_each_part(std::string_view path, const Visit& visit) {
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = begin;
    while (end < path.size() && !is_separator(path[end])) ++end;
    visit(path.substr(begin, end - begin), end);
    begin = end + 1;
  }
}

/// A path with '*' for each number, and the numbers.
struct Pattern {
  std::string text;
  std::vector<std::string_view> numbers;
};

Pattern pattern_of(std::string_view path) {
  Pattern pattern;
  for_each_part(path, [&](std::string_view part, std::size_t end) {
    if (is_number(part)) pattern.numbers.push_back(part);
    pattern.text += is_number(part) ? "*" : part;
    if (end < path.size()) pattern.text += path[end];
  });
  return pattern;
}

/// What the paths of a pattern have in common.
struct Siblings {
  std::vector<std::string_view> numbers;  // of the first path
  std::vector<bool> differ;
};

}  // namespace

std::vector<std::size_t> level_ends(std::string_view path) {
  std::vector<std::size_t> ends;
  for_each_part(path, [&](std::string_view part, std::size_t end) {
    if ((is_number(part) || part == "*") && !ends.empty()) {
      ends.back() = end;
    } else {
      ends.push_back(end);
    }
  });
  return ends;
}

std::vector<std::string> fold_numbers(std::span<const std::string_view> paths) {
  std::unordered_map<std::string, Siblings> patterns;
  for (const std::string_view path : paths) {
    Pattern pattern = pattern_of(path);
    const auto [it, is_new] = patterns.try_emplace(std::move(pattern.text));
    Siblings& siblings = it->second;
    if (is_new) {
      siblings.differ.resize(pattern.numbers.size());
      siblings.numbers = std::move(pattern.numbers);
      continue;
    }
    for (std::size_t i = 0; i < siblings.numbers.size(); ++i) {
      if (siblings.numbers[i] != pattern.numbers[i]) siblings.differ[i] = true;
    }
  }
  std::vector<std::string> folded;
  folded.reserve(paths.size());
  for (const std::string_view path : paths) {
    const Siblings& siblings = patterns.find(pattern_of(path).text)->second;
    std::string& text = folded.emplace_back();
    std::size_t number = 0;
    for_each_part(path, [&](std::string_view part, std::size_t end) {
      text += is_number(part) && siblings.differ[number++] ? "*" : part;
      if (end < path.size()) text += path[end];
    });
  }
  return folded;
}

}  // namespace prof::reports
