// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ActivitySums: number and time of calls or pieces of GPU work, by name. Keeps one entry per name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/model/times.hpp"

namespace prof::reports {

struct ActivitySum {
  std::uint64_t calls = 0;
  std::int64_t time_ns = 0, min_ns = 0, max_ns = 0;

  void add(std::int64_t added_ns) {
    min_ns = calls == 0 ? added_ns : std::min(min_ns, added_ns);
    max_ns = calls == 0 ? added_ns : std::max(max_ns, added_ns);
    time_ns = sum_of_times(time_ns, added_ns);
    ++calls;
  }
};

class ActivitySums {
 public:
  using Entry = std::pair<const std::string, ActivitySum>;

  void add(std::string_view name, std::int64_t time_ns) {
    auto found = by_name_.find(name);
    if (found == by_name_.end()) found = by_name_.emplace(name, ActivitySum{}).first;
    found->second.add(time_ns);
    all_ns_ = sum_of_times(all_ns_, time_ns);
  }
  void clear() { *this = {}; }

  [[nodiscard]] std::int64_t all_ns() const { return all_ns_; }
  /// Most time first, then by name. Valid until the next change.
  [[nodiscard]] std::vector<const Entry*> sorted() const {
    std::vector<const Entry*> entries;
    for (const Entry& entry : by_name_) entries.push_back(&entry);
    std::ranges::stable_sort(entries, std::ranges::greater{},
                             [](const Entry* entry) { return entry->second.time_ns; });
    return entries;
  }

 private:
  std::map<std::string, ActivitySum, std::less<>> by_name_;
  std::int64_t all_ns_ = 0;
};

}  // namespace prof::reports
