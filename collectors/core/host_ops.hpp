// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HostOps: counts and times, by name, of ops inside a range that made no CUDA call. Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "libprof/model/records.hpp"

namespace prof::collectors {

class HostOps {
 public:
  /// Adds calls of one name. Their range and thread are not set.
  void add(const HostOpRecord& ops) {
    HostOpRecord* const known = find(ops.name);
    if (known == nullptr) return by_name_.push_back(ops);
    known->calls += ops.calls;
    known->total_ns += ops.total_ns;
    known->self_ns += ops.self_ns;
  }
  void add(const HostOps& others) {
    for (const HostOpRecord& ops : others.by_name_) add(ops);
  }
  /// Counts a call of that name as part of the call around it.
  void join(StringId name, std::int64_t total_ns) {
    HostOpRecord* const known = find(name);
    if (known == nullptr) return;
    --known->calls;
    known->total_ns -= total_ns;
  }
  /// Few ops have more names inside, so names are searched linearly.
  [[nodiscard]] bool is_full() const { return by_name_.size() >= kMaxNames; }

  /// Passes the counts on, and forgets them. Without `starts` their start is unknown.
  template <typename Take>
  void record(RangeId range, ThreadId thread, bool starts, Take take) {
    for (HostOpRecord& ops : by_name_) {
      ops.range = range;
      ops.thread = thread;
      if (!starts) ops.start_ns = 0;
      take(ops);
    }
    by_name_.clear();
  }

 private:
  static constexpr std::size_t kMaxNames = 64;

  HostOpRecord* find(StringId name) {
    const auto known = std::ranges::find(by_name_, name, &HostOpRecord::name);
    return known == by_name_.end() ? nullptr : &*known;
  }

  std::vector<HostOpRecord> by_name_;
};

}  // namespace prof::collectors
