// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CallCosts: what a call that may wait for the GPU takes without the wait. The least tenth of the
// calls of its kind shows it, if some found the GPU ready; never more than 10 us, as an H200's
// driver takes 2 to 5 us, so a kind that always waits does not pass for a slow one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzers/whatif/recorded_run.hpp"

namespace prof::whatif {

class CallCosts {
 public:
  explicit CallCosts(const RecordedRun& run);

  /// What the call takes if all that it may wait for is ready. A call that cannot wait: `duration`.
  [[nodiscard]] std::int64_t least_ns(std::uint32_t call, std::int64_t duration_ns) const;
  /// A launch into a queue that has room.
  [[nodiscard]] std::int64_t launch_ns() const { return launch_ns_; }
  /// The call waits for the GPU, if that is not ready.
  [[nodiscard]] bool waits(std::uint32_t call) const;
  /// The call is of a copy, and returns when that has read or written the host's memory.
  [[nodiscard]] bool is_blocking(std::uint32_t call) const { return is_blocking_[call]; }

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(CallKind::kAllocate) + 1;

  std::vector<CallKind> kinds_;    // by call
  std::vector<bool> is_blocking_;  // by call
  std::array<std::int64_t, kKinds> least_ns_{};
  std::int64_t launch_ns_ = 0;
};

}  // namespace prof::whatif
