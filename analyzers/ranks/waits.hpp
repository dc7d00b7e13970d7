// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How long each rank of a collective waits for others, and for whom, by the rule of the collective.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

/// Sets the rule, the transfer, the waits and the last rank of each collective of a run.
void find_waits(JoinedRun& run);

/// A part of a rank's wait that no computing hides.
struct ExposedWait {
  std::int64_t time_ns = 0;
  std::optional<std::int64_t> step;
  std::uint32_t last = 0;  ///< For whom; of Run::ranks.
  bool is_pair = false;    ///< In a send or receive.
};

/// The exposed waits of each rank. Collectives that wait at the same time wait for the same late
/// rank, as a rule: each instant counts once, for the one that began first.
std::vector<std::vector<ExposedWait>> exposed_waits(const JoinedRun& run);

}  // namespace prof::ranks
