// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of formats of --export. To add one, add a file here and a word in ../CMakeLists.txt.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/output.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::formats {

struct Format {
  std::string_view word, help;
  std::string_view extension;  ///< Extension of the format's files.
  /// Writes the rows of the input. What cannot be written is reported in the tally's remarks.
  /// Returns early, with ok, when the output takes no more.
  Status (*write)(const reports::RowInput& input, tools::Output& output);
};

class Registry {
 public:
  void add(const Format& format) { formats_.push_back(format); }
  [[nodiscard]] std::span<const Format> all() const { return formats_; }
  /// Null: there is none of that name.
  [[nodiscard]] const Format* find(std::string_view word) const {
    const auto found = std::ranges::find(formats_, word, &Format::word);
    return found == formats_.end() ? nullptr : &*found;
  }

 private:
  std::vector<Format> formats_;
};

/// Adds every format of the list.
void register_builtin(Registry& registry);

}  // namespace prof::formats
