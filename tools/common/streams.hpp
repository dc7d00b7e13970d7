// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The streams of one run of a program. The caller passes them, so that tests can read them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>

#include "tools/common/progress.hpp"
#include "tools/common/styles.hpp"

namespace prof::tools {

struct Streams {
  std::FILE* out = nullptr;
  std::FILE* err = nullptr;
  std::optional<std::size_t> out_width;        ///< Terminal width, if out is a terminal.
  std::optional<std::size_t> out_height = {};  ///< Its rows, if what is longer is to be paged.
  Styles out_styles = {};
  bool err_shows_out = false;    ///< out and err are shown in the same place.
  Progress* progress = nullptr;  ///< Shown on err; null: not shown.
  bool out_is_file = false;      ///< Writing to it disturbs no terminal.
};

}  // namespace prof::tools
