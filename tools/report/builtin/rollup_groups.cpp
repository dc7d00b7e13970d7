// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/rollup_groups.hpp"

#include <algorithm>
#include <utility>

#include "tools/report/builtin/group_key.hpp"
#include "tools/report/filter/fold_numbers.hpp"
#include "tools/report/filter/layer_view.hpp"

namespace prof::reports {
namespace {

using Group = RollupGroups::Group;
using GroupsBeneath = std::unordered_map<std::string, std::vector<Group*>>;

/// Overhead of a group for the index and for allocations.
constexpr std::size_t kBytesOfEntry = 200;

bool is_heavier(const Group* a, const Group* b) {
  const Weight heavy = a->sums->weight(), other = b->sums->weight();
  return heavy != other ? heavy > other : *a->key < *b->key;
}

std::string_view path_of(const Group& group, std::size_t at) {
  const auto* path = std::get_if<std::string_view>(&group.keys.cells()[at]);
  return path != nullptr ? *path : std::string_view{};
}

std::vector<Cell> with_path(const Group& group, std::size_t at, std::string_view path) {
  std::vector<Cell> keys(group.keys.cells().begin(), group.keys.cells().end());
  keys[at] = text(path);
  return keys;
}

std::string key_of(std::span<const Cell> keys) {
  std::string key;
  for (const Cell& cell : keys) append_key(cell, key);
  return key;
}

void append_tree(std::vector<Group*>& nodes, GroupsBeneath& beneath,
                 std::vector<const Group*>& ordered) {
  std::sort(nodes.begin(), nodes.end(), is_heavier);
  for (Group* node : nodes) {
    ordered.push_back(node);
    const auto found = beneath.find(key_of(node->keys.cells()));
    if (found != beneath.end()) append_tree(found->second, beneath, ordered);
  }
}

}  // namespace

std::size_t RollupGroups::place_of(std::span<const Cell> keys) {
  key_.clear();
  for (const Cell& cell : keys) append_key(cell, key_);
  // Rows of a group often follow each other.
  if (last_ < groups_.size() && *groups_[last_].key == key_) return last_;
  auto found = index_.find(std::string_view(key_));
  if (found == index_.end()) {
    found = index_.emplace(key_, groups_.size()).first;
    groups_.push_back({OwnedCells(keys), empty_->copy(), &found->first, 0});
    bytes_ += sizeof(Group) + empty_->bytes() + kBytesOfEntry + keys.size() * sizeof(Cell) +
              3 * key_.size();
  }
  return last_ = found->second;
}

void RollupGroups::clear() {
  groups_.clear();
  index_.clear();
  bytes_ = 0;
}

void RollupGroups::fold_numbers(std::size_t at) {
  std::vector<std::string_view> paths;
  for (const Group& group : groups_) paths.push_back(path_of(group, at));
  const std::vector<std::string> folded = reports::fold_numbers(paths);
  RollupGroups merged(empty_->copy());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    merged.find(with_path(groups_[i], at, folded[i])).merge(*groups_[i].sums);
  }
  *this = std::move(merged);
}

std::vector<const Group*> RollupGroups::sorted() const {
  std::vector<const Group*> all;
  for (const Group& group : groups_) all.push_back(&group);
  std::sort(all.begin(), all.end(), is_heavier);
  return all;
}

std::vector<const Group*> RollupGroups::tree(std::size_t at, std::size_t depth) {
  RollupGroups nodes(empty_->copy());
  for (const Group& group : groups_) {
    const std::string_view path = path_of(group, at);
    const std::vector<std::size_t> ends = level_ends(path);
    for (std::size_t level = 0; level < std::min(depth, ends.size()); ++level) {
      nodes.find(with_path(group, at, path.substr(0, ends[level]))).merge(*group.sums);
    }
  }
  *this = std::move(nodes);
  GroupsBeneath beneath;  // by the key of the one above
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

}  // namespace prof::reports
