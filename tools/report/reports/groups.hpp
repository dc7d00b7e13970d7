// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups: sums of rows by keys. Then the same groups as people see layers (layer_view.hpp): with
// numbered layers added up, or as a tree. Keeps one entry per group, nothing per row.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/report/choose/owned_cells.hpp"
#include "tools/report/reports/group_key.hpp"
#include "tools/report/reports/layer_view.hpp"

namespace prof::reports {

template <typename Sums>
class Groups {
 public:
  struct Group {
    OwnedCells keys;
    Sums sums;
    const std::string* key = nullptr;  ///< Of `keys`, by append_key().
    std::size_t level = 0;             ///< In a tree, from 0.
  };

  /// `empty` is what a new group begins with.
  explicit Groups(Sums empty) : empty_(std::move(empty)) {}

  Sums& find(std::span<const Cell> keys) { return at(place_of(keys)); }
  /// The place of these keys' group, which is theirs until groups are added up.
  std::size_t place_of(std::span<const Cell> keys) {
    key_.clear();
    for (const Cell& cell : keys) append_key(cell, key_);
    auto found = index_.find(std::string_view(key_));
    if (found == index_.end()) {
      found = index_.emplace(key_, groups_.size()).first;
      groups_.push_back({OwnedCells(keys), empty_, &found->first, 0});
      bytes_ += sizeof(Group) + kBytesOfEntry + keys.size() * sizeof(Cell) + 3 * key_.size();
    }
    return found->second;
  }
  Sums& at(std::size_t place) { return groups_[place].sums; }

  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  /// About what the groups take.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }
  void clear() {
    groups_.clear();
    index_.clear();
    bytes_ = 0;
  }

  /// Adds up layers that differ in a number only; the layer is key `at`.
  void fold_numbers(std::size_t at) {
    std::vector<std::string_view> paths;
    for (const Group& group : groups_) paths.push_back(path_of(group, at));
    const std::vector<std::string> folded = reports::fold_numbers(paths);
    Groups merged(empty_);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      merged.find(with_path(groups_[i], at, folded[i])).merge(groups_[i].sums);
    }
    *this = std::move(merged);
  }

  /// Heaviest first.
  [[nodiscard]] std::vector<const Group*> sorted() const {
    std::vector<const Group*> all;
    for (const Group& group : groups_) all.push_back(&group);
    std::sort(all.begin(), all.end(), heavier);
    return all;
  }

  /// The layers above and their sums, `depth` levels of them; each is followed by those beneath it,
  /// heaviest first. The layer is key `at`. Changes the groups.
  [[nodiscard]] std::vector<const Group*> tree(std::size_t at, std::size_t depth) {
    Groups nodes(empty_);
    for (const Group& group : groups_) {
      const std::string_view path = path_of(group, at);
      const std::vector<std::size_t> ends = level_ends(path);
      for (std::size_t level = 0; level < std::min(depth, ends.size()); ++level) {
        nodes.find(with_path(group, at, path.substr(0, ends[level]))).merge(group.sums);
      }
    }
    *this = std::move(nodes);
    std::unordered_map<std::string, std::vector<Group*>> beneath;  // by the key of the one above
    std::vector<Group*> roots;
    for (Group& group : groups_) {
      const std::string_view path = path_of(group, at);
      const std::vector<std::size_t> ends = level_ends(path);
      group.level = ends.size() - 1;
      if (group.level == 0) {
        roots.push_back(&group);
      } else {
        beneath[key_of(with_path(group, at, path.substr(0, ends[group.level - 1])))].push_back(
            &group);
      }
    }
    std::vector<const Group*> ordered;
    append_tree(roots, beneath, ordered);
    return ordered;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };

  static bool heavier(const Group* a, const Group* b) {
    const auto heavy = a->sums.weight(), other = b->sums.weight();
    return heavy != other ? heavy > other : *a->key < *b->key;
  }

  static std::string_view path_of(const Group& group, std::size_t at) {
    const auto* path = std::get_if<std::string_view>(&group.keys.cells()[at]);
    return path != nullptr ? *path : std::string_view{};
  }

  static std::vector<Cell> with_path(const Group& group, std::size_t at, std::string_view path) {
    std::vector<Cell> keys(group.keys.cells().begin(), group.keys.cells().end());
    keys[at] = text(path);
    return keys;
  }

  static std::string key_of(std::span<const Cell> keys) {
    std::string key;
    for (const Cell& cell : keys) append_key(cell, key);
    return key;
  }

  static void append_tree(std::vector<Group*>& nodes,
                          std::unordered_map<std::string, std::vector<Group*>>& beneath,
                          std::vector<const Group*>& ordered) {
    std::sort(nodes.begin(), nodes.end(), heavier);
    for (Group* node : nodes) {
      ordered.push_back(node);
      const auto found = beneath.find(key_of(node->keys.cells()));
      if (found != beneath.end()) append_tree(found->second, beneath, ordered);
    }
  }

  /// Of the index, and of allocations.
  static constexpr std::size_t kBytesOfEntry = 200;

  Sums empty_;
  std::string key_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
  std::vector<Group> groups_;
};

}  // namespace prof::reports
