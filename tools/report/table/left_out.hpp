// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LeftOut: what a narrow table does not show, and how to see it, in one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prof::reports {

struct LeftOut {
  std::vector<std::string_view> columns;  ///< Words of the dropped ones.
  bool texts = false;                     ///< Some are cut.

  /// In `width` columns, as far as that goes: of many columns it names the first ones. Empty:
  /// nothing is left out.
  [[nodiscard]] std::string to_line(std::size_t width) const;
};

}  // namespace prof::reports
