// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadTurns: which threads of the host take turns, as a Python thread and autograd's thread do.
// No record states the hand-over: threads take turns where one is quiet while the other makes
// calls, many in a row. Then the first call of a turn follows the last one of the turn before.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "analyzers/whatif/recorded_run.hpp"

namespace prof::whatif {

class ThreadTurns {
 public:
  explicit ThreadTurns(const std::vector<RunCall>& calls);

  [[nodiscard]] bool alternate(std::uint16_t one, std::uint16_t other) const {
    return pairs_.contains(std::minmax(one, other));
  }

 private:
  std::set<std::pair<std::uint16_t, std::uint16_t>> pairs_;
};

}  // namespace prof::whatif
