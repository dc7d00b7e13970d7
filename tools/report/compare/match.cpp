// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/match.hpp"

#include <deque>
#include <map>

namespace prof::reports {
namespace {

/// A key by its contents.
struct ByGroupKey {
  bool operator()(const GroupKey* a, const GroupKey* b) const { return *a < *b; }
};

/// The part of a name that a group keeps when it moves.
GroupName without_layer(GroupName name) {
  name.layer.clear();
  return name;
}

}  // namespace

std::vector<Match> match_groups(std::span<const GroupKey* const> base,
                                std::span<const GroupKey* const> fresh) {
  std::map<const GroupKey*, std::size_t, ByGroupKey> by_key;
  for (std::size_t i = 0; i < fresh.size(); ++i) by_key.emplace(fresh[i], i);
  std::vector<Match> matches;
  std::vector<bool> is_taken(fresh.size());
  for (std::size_t i = 0; i < base.size(); ++i) {
    Match& match = matches.emplace_back();
    match.base = i;
    const auto same = by_key.find(base[i]);
    if (same == by_key.end()) continue;
    match.fresh = same->second;
    is_taken[same->second] = true;
  }
  std::map<GroupName, std::deque<std::size_t>> left;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (!is_taken[i]) left[without_layer(*fresh[i]->name)].push_back(i);
  }
  for (Match& match : matches) {
    if (match.fresh) continue;
    const auto candidates = left.find(without_layer(*base[*match.base]->name));
    if (candidates == left.end() || candidates->second.empty()) continue;
    // One of the same layer is one more or less of an op, which did not move.
    const std::size_t first = candidates->second.front();
    if (fresh[first]->name->layer == base[*match.base]->name->layer) continue;
    match.fresh = first;
    match.is_moved = true;
    is_taken[first] = true;
    candidates->second.pop_front();
  }
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (!is_taken[i]) matches.push_back({.base = {}, .fresh = i});
  }
  return matches;
}

}  // namespace prof::reports
