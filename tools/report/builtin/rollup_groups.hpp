// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RollupGroups: sums of rows by keys. Then the same groups as people see layers (layer_view.hpp):
// with numbered layers added up, or as a tree. Keeps one entry per group, nothing per row.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/report/rows/sums.hpp"
#include "tools/report/table/owned_cells.hpp"

namespace prof::reports {

class RollupGroups {
 public:
  struct Group {
    OwnedCells keys;
    std::unique_ptr<Sums> sums;
    const std::string* key = nullptr;  ///< The key of `keys`, by append_key().
    std::size_t level = 0;             ///< In a tree, from 0.
  };

  /// `empty` is what a new group begins with.
  explicit RollupGroups(std::unique_ptr<Sums> empty) : empty_(std::move(empty)) {}

  Sums& find(std::span<const Cell> keys) { return at(place_of(keys)); }
  /// The place of these keys' group, which is theirs until groups are added up.
  std::size_t place_of(std::span<const Cell> keys);
  Sums& at(std::size_t place) { return *groups_[place].sums; }

  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  /// About what the groups take.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }
  void clear();

  /// Adds up layers that differ in a number only; the layer is key `at`.
  void fold_numbers(std::size_t at);
  /// Heaviest first.
  [[nodiscard]] std::vector<const Group*> sorted() const;
  /// The layers above and their sums, `depth` levels of them; each is followed by those beneath it,
  /// heaviest first. The layer is key `at`. Changes the groups.
  [[nodiscard]] std::vector<const Group*> tree(std::size_t at, std::size_t depth);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };

  std::unique_ptr<Sums> empty_;
  std::string key_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
  std::vector<Group> groups_;
  std::size_t last_ = 0;  // the place that was asked for
};

}  // namespace prof::reports
