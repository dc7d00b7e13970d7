// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LaunchQueues: how many launches a stream takes before a launching call must wait for room. CUDA
// does not state the number; it is about 1,000 (forums.developer.nvidia.com/t/68937), and a run
// that reached it shows it: its queue is never deeper.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzers/whatif/recorded_run.hpp"

namespace prof::whatif {

/// Indices of works in the order in which their calls were made, a call's works in their order.
std::vector<std::uint32_t> works_by_call(const RecordedRun& run);

class LaunchQueues {
 public:
  LaunchQueues(const RecordedRun& run, std::span<const std::uint32_t> works_by_call);

  [[nodiscard]] std::uint32_t limit() const { return limit_; }
  /// Whether the queue was full when the call began: some of its time is a wait.
  [[nodiscard]] bool was_full(std::uint32_t call) const {
    return call < is_full_.size() && is_full_[call];
  }

 private:
  std::uint32_t limit_ = 0;
  std::vector<bool> is_full_;  // by call; empty: none was
};

}  // namespace prof::whatif
