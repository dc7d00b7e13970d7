// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// steps_of: where the turns of a loop begin and end. An anchor may stand anywhere in a turn: what
// shows its begin are, the surest first, the ends of the loop, updates of weights, and pauses of
// the host.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/loops/loop.hpp"

namespace prof::loops {

enum class BeginEvidence : std::uint8_t {
  kBothEnds,  ///< What repeats ahead of the first anchor and after the last makes whole turns.
  kUpdate,    ///< The turn before ends with the update of weights.
  kHostGap,   ///< The host pauses longest there.
};

struct LoopSteps {
  std::vector<Turn> turns;  ///< Whole ones, ascending. Between two of them may be other launches.
  BeginEvidence evidence = BeginEvidence::kBothEnds;
};

LoopSteps steps_of(const Sequence& sequence, const Loop& loop);

}  // namespace prof::loops
