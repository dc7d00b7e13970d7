// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/layer_view.hpp"

#include <algorithm>

namespace prof::reports {
namespace {

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

}  // namespace prof::reports
