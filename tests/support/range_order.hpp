// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether ranges have their ids in the order of libprof/model/range_ids.hpp.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "libprof/model/range_ids.hpp"

namespace prof {

/// What is wrong with the ids, or an empty text. `slack_ns`: how much later than the block a
/// thread may stamp its first range. Aliases repeat the times of their openings.
inline std::string wrong_range_order(const std::vector<RangeRecord>& ranges,
                                     std::int64_t slack_ns = 0) {
  std::map<RangeId, RangeRecord> by_id;
  for (const RangeRecord& range : ranges) {
    if (range.kind == RangeRecord::Kind::kAlias) continue;
    if (!by_id.emplace(range.id, range).second) return std::to_string(range.id) + " occurs twice";
  }
  std::map<std::uint32_t, std::int64_t> last_of_thread;
  RangeId block = UINT64_MAX;
  std::uint32_t thread_of_block = 0;
  std::int64_t first_of_block = INT64_MIN;
  std::int64_t oldest_allowed = INT64_MIN;
  for (const auto& [id, range] : by_id) {
    const std::string name = std::to_string(id);
    if (id < kFirstRange) return "0 is no id";
    if (range_block(id) != block) {
      block = range_block(id);
      thread_of_block = range.thread.value;
      oldest_allowed = std::max(oldest_allowed, first_of_block);
      first_of_block = range.start_ns;
    }
    if (range.thread.value != thread_of_block) return name + " is in another thread's block";
    if (range.start_ns + slack_ns < oldest_allowed) return name + " is older than an earlier block";
    std::int64_t& last = last_of_thread.try_emplace(thread_of_block, INT64_MIN).first->second;
    if (range.start_ns < last) return name + " is older than the thread's range before it";
    last = range.start_ns;
    if (range.parent >= id) return name + " is not above its parent";
  }
  return {};
}

}  // namespace prof
