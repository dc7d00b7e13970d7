// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Terminal queries, see terminal.hpp.
#include "tools/common/terminal.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace prof::tools {
namespace {

constexpr std::size_t kDefaultWidth = 80;
constexpr std::size_t kWidestBelievable = 10000;

}  // namespace

std::optional<std::size_t> terminal_width(int descriptor) {
  if (isatty(descriptor) == 0) return std::nullopt;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text(columns);
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width > 0 &&
        width <= kWidestBelievable) {
      return width;
    }
  }
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kDefaultWidth;
}

std::optional<std::size_t> terminal_height(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return std::nullopt;
  return size.ws_row > 0 ? std::optional<std::size_t>(size.ws_row) : std::nullopt;
}

bool is_regular_file(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

bool same_destination(int first, int second) {
  struct stat a {};
  struct stat b {};
  return fstat(first, &a) == 0 && fstat(second, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino && a.st_rdev == b.st_rdev;
}

}  // namespace prof::tools
