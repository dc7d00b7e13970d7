// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column headers on two lines, where one is too wide: "Total Time (ns)" above numbers of nine
// digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tools/common/unicode.hpp"

namespace prof::reports {

struct HeaderLines {
  std::string_view upper, lower;  ///< `upper` is empty for a header on one line.

  [[nodiscard]] std::size_t width() const {
    return std::max(tools::display_width(upper), tools::display_width(lower));
  }
};

/// Divides a header at the blank that makes it narrowest, unless it fits into `width` as it is.
inline HeaderLines header_lines(std::string_view header, std::size_t width) {
  HeaderLines best{.upper = {}, .lower = header};
  if (best.width() <= width) return best;
  for (std::size_t blank = header.find(' '); blank < header.size();
       blank = header.find(' ', blank + 1)) {
    const HeaderLines lines{.upper = header.substr(0, blank), .lower = header.substr(blank + 1)};
    if (lines.width() < best.width()) best = lines;
  }
  return best;
}

}  // namespace prof::reports
