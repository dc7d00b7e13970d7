// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/placeholders.hpp"

namespace prof {

std::string fill_placeholders(std::string_view path, const Placeholders& values) {
  const std::size_t slash = path.rfind('/');
  const std::size_t folder = slash == std::string_view::npos ? 0 : slash + 1;
  std::string filled(path.substr(0, folder));
  const std::string_view name = path.substr(folder);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char next = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
    if (next == 'p') {
      filled += values.pid;
    } else if (next == 'h') {
      filled += values.host;
    } else if (next == 'r') {
      filled += values.rank;
    } else if (next == 'n') {
      filled += values.window;
    } else if (next == '%') {
      filled += '%';
    } else {
      filled += name[i];
      continue;
    }
    ++i;
  }
  return filled;
}

bool has_placeholder(std::string_view path) {
  return fill_placeholders(path, {"1", "1", "1", "1"}) != path;
}

bool has_window_number(std::string_view path) {
  return fill_placeholders(path, {"", "", "", "1"}) != fill_placeholders(path, {"", "", "", "2"});
}

std::string name_of_first_window(std::string_view path) {
  const std::string first = fill_placeholders(path, {"1", "1", "1", "1"});
  return fill_placeholders(path, {"2", "2", "2", "1"}) == first ? first : std::string();
}

}  // namespace prof
