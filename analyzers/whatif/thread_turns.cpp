// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/thread_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace prof::whatif {
namespace {

/// Threads that work side by side interleave their calls; the less busy of two that take turns
/// makes at least that many calls in a row, on average.
constexpr std::size_t kLeastCallsInTurn = 4;

}  // namespace

ThreadTurns::ThreadTurns(const std::vector<RunCall>& calls) {
  std::map<std::uint16_t, std::size_t> counts;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::size_t> switches, overlaps;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ++counts[calls[i].thread];
    if (i == 0 || calls[i - 1].thread == calls[i].thread) continue;
    const auto pair = std::minmax(calls[i - 1].thread, calls[i].thread);
    ++switches[pair];
    if (calls[i - 1].end_ns > calls[i].start_ns) ++overlaps[pair];
  }
  for (const auto& [pair, count] : switches) {
    const std::size_t calls_of_less = std::min(counts[pair.first], counts[pair.second]);
    // Two switches a turn.
    const bool is_in_turns = count * kLeastCallsInTurn <= 2 * calls_of_less;
    if (is_in_turns && overlaps[pair] * 10 <= count) pairs_.insert(pair);
  }
}

}  // namespace prof::whatif
