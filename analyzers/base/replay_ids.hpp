// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReplayIds: ids of op instances and calls in the replays of graphs. The ops of a node are those of
// its capture, but each replay runs them anew: an id of the capture stands for another id in each
// replay. The ids of a replay follow each other, after those of the replay before. One thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzers/base/flat_map.hpp"

namespace prof {

class ReplayIds {
 public:
  /// Ids of ranges, which identify all other ops, are far below.
  static constexpr std::uint64_t kFirst = std::uint64_t{1} << 40;

  /// `max_entries` bounds the table of ids. They count from `first`.
  explicit ReplayIds(std::size_t max_entries, std::uint64_t first = kFirst)
      : max_entries_(max_entries), first_(first), next_(first) {}

  /// From now on ids are those of another replay.
  void begin_replay() {
    first_ = next_;
    if (ids_.size() > max_entries_) ids_.clear();
  }
  /// The first id of the current replay.
  [[nodiscard]] std::uint64_t first() const { return first_; }

  /// An id of its own, of what has none in the capture.
  std::uint64_t fresh() { return next_++; }

  /// The id in the current replay for that id of the capture, which is not 0.
  std::uint64_t of(std::uint64_t captured) {
    std::uint64_t* known = ids_.find(captured);
    if (known == nullptr) return *ids_.insert(captured, next_++);
    if (*known < first_) *known = next_++;
    return *known;
  }

 private:
  const std::size_t max_entries_;
  FlatMap<std::uint64_t> ids_;  // of the last replay that had them, by those of the capture
  std::uint64_t first_, next_;
};

}  // namespace prof
