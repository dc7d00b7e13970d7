// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/thread_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace prof::whatif {
namespace {

/// Threads that work side by side interleave their calls; the less busy of two that take turns
/// makes at least that many calls in a row, on average.
constexpr std::size_t kLeastCallsInTurn = 4;
/// Or they switch at most so often in a step, at the same calls of at least so many steps.
constexpr std::size_t kMostSwitches = 4;
constexpr std::size_t kLeastTurnSteps = 3;

using Threads = std::pair<std::uint16_t, std::uint16_t>;
/// Between which calls of a step: their numbers on their threads.
using Switch = std::pair<std::uint32_t, std::uint32_t>;

struct OfPair {
  std::size_t switches = 0, overlaps = 0;
  std::map<Switch, std::size_t> places;

  [[nodiscard]] bool is_in_long_turns(std::size_t calls_of_less) const {
    return switches * kLeastCallsInTurn <= 2 * calls_of_less;  // Two switches a turn.
  }
  [[nodiscard]] bool is_at_same_places(std::size_t steps) const {
    if (steps < kLeastTurnSteps || switches > kMostSwitches * steps) return false;
    std::size_t same = 0;
    for (const auto& [place, count] : places) {
      if (count * 10 >= steps * 9) same += count;
    }
    // Steps at the ends of the run may be cut.
    return (same + kMostSwitches) * 10 >= switches * 9 && same * 2 >= switches;
  }
};

/// The calls that launch the first work of each step.
std::vector<std::uint32_t> begins_of_steps(const RecordedRun& run) {
  std::set<std::pair<std::uint32_t, std::int64_t>> times;
  for (const RunStep& step : run.steps) times.emplace(step.device, step.begin_ns);
  std::vector<std::uint32_t> begins;
  for (const RunWork& work : run.works) {
    if (work.call && times.contains({work.device, work.start_ns})) begins.push_back(*work.call);
  }
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  return begins;
}

}  // namespace

ThreadTurns::ThreadTurns(const RecordedRun& run) {
  const std::vector<RunCall>& calls = run.calls;
  const std::vector<std::uint32_t> begins = begins_of_steps(run);
  std::map<std::uint16_t, std::size_t> counts;
  std::map<std::uint16_t, std::uint32_t> numbers;  // in the step
  std::map<Threads, OfPair> pairs;
  std::size_t step = 0;
  std::uint32_t number_before = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (step < begins.size() && begins[step] == i) {
      numbers.clear();
      ++step;
    }
    const std::uint32_t number = numbers[calls[i].thread]++;
    ++counts[calls[i].thread];
    if (i > 0 && calls[i - 1].thread != calls[i].thread) {
      OfPair& pair = pairs[std::minmax(calls[i - 1].thread, calls[i].thread)];
      ++pair.switches;
      if (calls[i - 1].end_ns > calls[i].start_ns) ++pair.overlaps;
      if (step > 0) ++pair.places[{number_before, number}];
    }
    number_before = number;
  }
  for (const auto& [threads, pair] : pairs) {
    const std::size_t calls_of_less = std::min(counts[threads.first], counts[threads.second]);
    const bool takes_turns =
        pair.is_in_long_turns(calls_of_less) || pair.is_at_same_places(begins.size());
    if (takes_turns && pair.overlaps * 10 <= pair.switches) pairs_.insert(threads);
  }
}

}  // namespace prof::whatif
