// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analyzers/loops/anchors.hpp"

namespace prof::loops {
namespace {

std::vector<std::uint32_t> counts_of(const Sequence& sequence, const Loop& loop) {
  std::vector<std::uint32_t> counts(sequence.symbols());
  for (const Turn& turn : loop.turns) {
    for (std::uint32_t i = turn.begin; i < turn.end; ++i) ++counts[sequence.symbol(i)];
  }
  return counts;
}

/// The symbols that most turns launch equally often. What changes at random is in most long turns,
/// too, but not as often in each.
std::vector<bool> steady_symbols(const Sequence& sequence, const Loop& loop) {
  constexpr double kMostTurns = 0.8;
  std::vector<std::uint32_t> usual(sequence.symbols()), in_turn(sequence.symbols());
  std::vector<std::uint32_t> turns_as_usual(sequence.symbols());
  for (const Turn& turn : loop.turns) {
    for (std::uint32_t i = turn.begin; i < turn.end; ++i) ++in_turn[sequence.symbol(i)];
    for (std::uint32_t i = turn.begin; i < turn.end; ++i) {
      const std::uint32_t symbol = sequence.symbol(i);
      const std::uint32_t count = std::exchange(in_turn[symbol], 0);
      if (count == 0) continue;  // seen in this turn
      // The most frequent count, by majority vote.
      if (turns_as_usual[symbol] == 0) usual[symbol] = count;
      if (usual[symbol] == count) {
        ++turns_as_usual[symbol];
      } else {
        --turns_as_usual[symbol];
      }
    }
  }
  // A vote counts against those that differ.
  const double least = (2 * kMostTurns - 1) * static_cast<double>(loop.turns.size());
  std::vector<bool> steady(sequence.symbols());
  for (std::size_t i = 0; i < steady.size(); ++i) {
    steady[i] = turns_as_usual[i] > 0 && turns_as_usual[i] >= least;
  }
  return steady;
}

/// Its turns launch something that most turns of the inner loop do not.
bool has_own(const Sequence& sequence, const Loop& outer, const Loop& inner) {
  constexpr double kAlike = 0.9;  // Launches that change look like own ones.
  constexpr double kLeastOwn = 0.02;
  const std::vector<std::uint32_t> inside = counts_of(sequence, inner);
  const std::vector<bool> around = steady_symbols(sequence, outer);
  std::size_t own = 0;
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (around[i] && 2 * std::size_t{inside[i]} <= inner.turns.size()) ++own;
  }
  return static_cast<double>(own) > (inner.alike > kAlike ? 0 : kLeastOwn * outer.period);
}

bool is_near(const Loop& a, const Loop& b) {
  return std::abs(static_cast<double>(a.period) - b.period) < kNear * b.period;
}

/// It is what the program does, or does from there to its end, and it computes.
bool lasts(const Sequence& sequence, const Loop& loop) {
  std::uint64_t in_turns = 0;
  for (const Turn& turn : loop.turns) in_turns += sequence.work(turn);
  const std::uint64_t after = sequence.work() - sequence.work_before(loop.begin());
  if (2 * in_turns < after || 10 * in_turns < sequence.work()) return false;
  return std::ranges::any_of(sequence.launches(loop.turns.front()), &Launch::has_kernel);
}

/// Its turns are layers of a model: the next turn has others.
bool is_of_layers(const Sequence& sequence, const Loop& loop, const LayerOf& layer_of) {
  constexpr std::size_t kMostTurns = 32;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> all;
  std::vector<Turn> turns;
  bool is_known = false;
  for (const Turn& turn : loop.turns) {
    if (turns.size() == kMostTurns) break;
    turns.push_back({static_cast<std::uint32_t>(all.size()),
                     static_cast<std::uint32_t>(all.size() + turn.size())});
    for (std::uint32_t i = turn.begin; i < turn.end; ++i) {
      const std::uint64_t layer = layer_of(sequence[i].stack);
      is_known |= layer != 0 && turns.size() == 1;
      const auto number = static_cast<std::uint32_t>(numbers.size());
      all.push_back(numbers.try_emplace({sequence.symbol(i), layer}, number).first->second);
    }
  }
  if (!is_known) return false;
  Likeness likeness(static_cast<std::uint32_t>(numbers.size()));
  double sum = 0;
  for (std::size_t i = 1; i < turns.size(); ++i) sum += likeness(all, turns[i - 1], turns[i]);
  return sum / static_cast<double>(turns.size() - 1) < loop.alike / 2;
}

/// Threads that launch a good part of the loop.
std::set<std::uint32_t> busy_threads(const Sequence& sequence, const Loop& loop) {
  constexpr double kLeast = 0.03;
  std::map<std::uint32_t, std::size_t> launches;
  for (std::uint32_t i = loop.begin(); i < loop.end(); ++i) ++launches[sequence[i].thread];
  std::set<std::uint32_t> busy;
  for (const auto& [thread, count] : launches) {
    if (static_cast<double>(count) >= kLeast * (loop.end() - loop.begin())) busy.insert(thread);
  }
  return busy;
}

/// Chooses among some of the levels.
class Choice {
 public:
  Choice(const Sequence& sequence, const std::vector<Loop>& levels, const LayerOf& layer_of)
      : sequence_(sequence), levels_(levels) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (lasts(sequence, levels[i]) && !is_of_layers(sequence, levels[i], layer_of)) {
        possible_.push_back(i);
      }
    }
  }

  template <typename Takes>
  std::optional<std::size_t> widest(const Takes& takes) const {
    std::optional<std::size_t> best;
    for (const std::size_t i : possible_) {
      if (takes(levels_[i]) && (!best || levels_[i].score > levels_[*best].score)) best = i;
    }
    return best;
  }
  std::optional<std::size_t> widest() const {
    return widest([](const Loop& /*level*/) { return true; });
  }

  /// The smallest good level of which every turn has such a launch.
  template <typename Has>
  std::optional<std::size_t> smallest(Has has) const {
    constexpr double kLeastScore = 0.6;
    // Libraries choose other kernels for other shapes.
    const double less_alike = sequence_.is_by_name() ? 0.15 : 0.05;
    constexpr double kMostTurns = 0.9;
    const auto best = widest();
    if (!best) return std::nullopt;
    const std::set<std::uint32_t> busy = busy_threads(sequence_, levels_[*best]);
    for (const std::size_t i : possible_) {  // by period
      const Loop& level = levels_[i];
      if (level.score < kLeastScore * levels_[*best].score) continue;
      if (level.alike <= levels_[*best].alike - less_alike) continue;
      const auto with = std::ranges::count_if(level.turns, [&](const Turn& turn) {
        return std::ranges::any_of(sequence_.launches(turn), has) && has_all(busy, turn);
      });
      // The last turn may be cut off.
      if (static_cast<double>(with) >= kMostTurns * static_cast<double>(level.turns.size() - 1)) {
        return i;
      }
    }
    return std::nullopt;
  }

 private:
  /// A step of a program with several threads is done by all of them: autograd has its own.
  [[nodiscard]] bool has_all(const std::set<std::uint32_t>& threads, const Turn& turn) const {
    if (threads.size() < 2) return true;
    std::set<std::uint32_t> missing = threads;
    for (const Launch& launch : sequence_.launches(turn)) {
      missing.erase(launch.thread);
      if (missing.empty()) return true;
    }
    return false;
  }

  const Sequence& sequence_;
  const std::vector<Loop>& levels_;
  std::vector<std::size_t> possible_;
};

}  // namespace

std::vector<Loop> levels_of(const Sequence& sequence, std::vector<Loop> loops) {
  constexpr double kScore = 0.75;
  std::vector<Loop> best;
  for (Loop& loop : loops) {
    const bool is_known = std::ranges::any_of(
        best, [&](const Loop& other) { return loop.overlaps(other) && is_near(loop, other); });
    if (!is_known) best.push_back(std::move(loop));
  }
  std::ranges::stable_sort(best, {}, &Loop::period);
  std::vector<Loop> levels;
  for (Loop& loop : best) {
    const bool repeats_smaller = std::ranges::any_of(levels, [&](const Loop& smaller) {
      return smaller.score >= kScore * loop.score && loop.overlaps(smaller) &&
             !has_own(sequence, loop, smaller);
    });
    if (!repeats_smaller) levels.push_back(std::move(loop));
  }
  return levels;
}

std::optional<std::size_t> choose_step(const Sequence& sequence, const std::vector<Loop>& levels,
                                       std::optional<std::int64_t> last_update_ns,
                                       const LayerOf& layer_of) {
  const Choice choice(sequence, levels, layer_of);
  if (!last_update_ns) {
    const auto reads_back = choice.smallest([](const Launch& one) { return one.reads_back; });
    return reads_back ? reads_back : choice.widest();
  }
  const auto updates = choice.smallest([](const Launch& one) { return one.updates; });
  if (updates) return updates;
  return choice.widest(
      [&](const Loop& level) { return sequence[level.begin()].time_ns > *last_update_ns; });
}

}  // namespace prof::loops
