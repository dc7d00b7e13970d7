// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadTurns: which threads of the host take turns, as a Python thread and autograd's thread do.
// No record states the hand-over. Threads take turns where one is quiet while the other makes
// calls: many in a row, or a few at the same places of nine of ten steps. Then the first call of a
// turn follows the last one of the turn before.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "analyzers/whatif/recorded_run.hpp"

namespace prof::whatif {

class ThreadTurns {
 public:
  explicit ThreadTurns(const RecordedRun& run);

  [[nodiscard]] bool alternate(std::uint16_t one, std::uint16_t other) const {
    return pairs_.contains(std::minmax(one, other));
  }

 private:
  std::set<std::pair<std::uint16_t, std::uint16_t>> pairs_;
};

}  // namespace prof::whatif
