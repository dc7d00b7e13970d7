// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockTimes: times of rows that are relative to the start of a block of rows (block_starts.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "libprof/store/schema/wrapping_times.hpp"

namespace prof {

/// A block of rows, and the start to which their times are relative.
struct TimeBlock {
  std::int64_t id = INT64_MIN;
  std::int64_t start_ns = 0;
};

class BlockTimes {
 public:
  /// `blocks` is indexed by id. The blocks must outlive the object.
  explicit BlockTimes(const std::vector<TimeBlock>& blocks) : blocks_(&blocks) {}

  /// A time relative to the trace's start. A block that has no row, as in a damaged file, starts at
  /// 0.
  std::int64_t since_trace_start(std::int64_t block, std::int64_t since_block_start) {
    if (block != last_.id) look_up(block);
    return wrapping_sum(last_.start_ns, since_block_start);
  }

 private:
  void look_up(std::int64_t block) {
    const auto found = std::ranges::lower_bound(*blocks_, block, {}, &TimeBlock::id);
    const bool is_known = found != blocks_->end() && found->id == block;
    last_ = {block, is_known ? found->start_ns : 0};
  }

  const std::vector<TimeBlock>* blocks_;
  TimeBlock last_;
};

}  // namespace prof
