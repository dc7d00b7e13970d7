// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/reports/layer_view.hpp"

#include <algorithm>
#include <unordered_map>

namespace prof::reports {
namespace {

bool is_path_separator(char c) { return c == ':' || c == '.'; }

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

/// Calls `visit(part, end)` for each part between separators.
template <typename Visit>
void for_each_part(std::string_view path, const Visit& visit) {
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = begin;
    while (end < path.size() && !is_path_separator(path[end])) ++end;
    visit(path.substr(begin, end - begin), end);
    begin = end + 1;
  }
}

/// Calls `visit(part, end, pattern)` likewise; `pattern` is the path up to there, with '*' for each
/// number.
template <typename Visit>
void for_each_prefix(std::string_view path, const Visit& visit) {
  std::string pattern;
  for_each_part(path, [&](std::string_view part, std::size_t end) {
    pattern += is_number(part) ? "*" : part;
    visit(part, end, pattern);
    if (end < path.size()) pattern += path[end];
  });
}

/// The numbers at a place that several paths share.
struct NumberPlace {
  std::string_view first;
  bool differ = false;
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

std::string_view without_number(std::string_view level) {
  std::size_t end = level.size();
  while (end > 0 && level[end - 1] >= '0' && level[end - 1] <= '9') --end;
  const bool is_numbered = end < level.size() && end > 1 && is_path_separator(level[end - 1]);
  return is_numbered ? without_number(level.substr(0, end - 1)) : level;
}

std::vector<std::string> fold_numbers(std::span<const std::string_view> paths) {
  // By what is before the number, not by the whole path: then a layer is folded with all that is
  // inside, whichever of its siblings have the same.
  std::unordered_map<std::string, NumberPlace> places;
  for (const std::string_view path : paths) {
    for_each_prefix(path, [&](std::string_view part, std::size_t, const std::string& pattern) {
      if (!is_number(part)) return;
      NumberPlace& place = places.try_emplace(pattern, NumberPlace{.first = part}).first->second;
      place.differ |= place.first != part;
    });
  }
  std::vector<std::string> folded;
  folded.reserve(paths.size());
  for (const std::string_view path : paths) {
    std::string& text = folded.emplace_back();
    for_each_prefix(path, [&](std::string_view part, std::size_t end, const std::string& pattern) {
      text += is_number(part) && places.at(pattern).differ ? "*" : part;
      if (end < path.size()) text += path[end];
    });
  }
  return folded;
}

}  // namespace prof::reports
