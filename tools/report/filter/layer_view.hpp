// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LayerView: how people see the layers of a roll-up. Numbered layers, which a model repeats, are
// added up (fold_numbers.hpp). A depth makes a tree of the paths.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace prof::reports {

struct LayerView {
  bool fold_numbers = false;
  std::optional<std::size_t> depth;  ///< Levels of the tree; absent: no tree.

  [[nodiscard]] bool plain() const { return !fold_numbers && !depth; }
};

inline bool is_path_separator(char c) { return c == ':' || c == '.'; }

/// The ends of the levels of a path. They are what is between separators, but a number belongs to
/// the name before it: "gpt:h.0.attn" has the levels "gpt", "h.0" and "attn".
std::vector<std::size_t> level_ends(std::string_view path);

/// "h" of the level "h.0".
std::string_view without_number(std::string_view level);

}  // namespace prof::reports
