// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/loop.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "analyzers/loops/anchors.hpp"

namespace prof::loops {
namespace {

/// Two turns of one kind also share that part of their short sequences.
constexpr double kOrdered = 0.15;
/// A turn is compared with the last turn of so many kinds.
constexpr std::size_t kKinds = 6;
/// Of more, the worst explain little.
constexpr std::size_t kMaxLoops = 256;

/// Turns of one kind, being collected.
struct Kind {
  std::vector<Turn> turns;
  double alike = 0, ordered = 0;  // sums over neighbours
};

/// Sorts the turns from each place of an anchor to the next into kinds.
class Kinds {
 public:
  Kinds(const Sequence& sequence, std::uint32_t period, Likeness& likeness)
      : symbols_(sequence.grams(1)),
        grams_(sequence.grams(sequence.gram_length(period))),
        likeness_(likeness) {}

  void add(const Turn& turn) {
    const std::size_t tried = std::min(kKinds, kinds_.size());
    for (std::size_t i = kinds_.size() - tried; i < kinds_.size(); ++i) {
      if (joins(turn, kinds_[i])) return;
    }
    kinds_.push_back({.turns = {turn}});
  }

  std::vector<Kind>& all() { return kinds_; }

 private:
  bool joins(const Turn& turn, Kind& kind) {
    const Turn& last = kind.turns.back();
    const double apart = std::abs(static_cast<double>(turn.size()) - last.size());
    if (apart > kNear * last.size()) return false;
    const double alike = likeness_(symbols_, turn, last);
    if (alike < kAlike) return false;
    const double ordered = likeness_(grams_, turn, last);
    if (ordered < kOrdered) return false;
    kind.turns.push_back(turn);
    kind.alike += alike;
    kind.ordered += ordered;
    return true;
  }

  std::span<const std::uint32_t> symbols_, grams_;
  Likeness& likeness_;
  std::vector<Kind> kinds_;
};

std::uint32_t median_size(const std::vector<Turn>& turns) {
  std::vector<std::uint32_t> sizes;
  for (const Turn& turn : turns) sizes.push_back(turn.size());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

/// None: too few turns, or most of them stand alone, as parts of another loop do.
std::optional<Loop> loop_of(Kind&& kind, std::uint32_t launches) {
  if (kind.turns.size() < kLeastTurns) return std::nullopt;
  const auto pairs = static_cast<double>(kind.turns.size() - 1);
  Loop loop{
      .turns = std::move(kind.turns), .alike = kind.alike / pairs, .ordered = kind.ordered / pairs};
  loop.period = median_size(loop.turns);
  double covered = loop.period;  // A part of a turn at either end belongs to the loop, too.
  for (std::size_t i = 0; i < loop.turns.size(); ++i) {
    covered += std::min<double>(loop.turns[i].size(), (1 + kNear) * loop.period);
    if (i > 0 && loop.turns[i].begin != loop.turns[i - 1].end) ++loop.runs;
  }
  if (2 * loop.runs > loop.turns.size() + 1) return std::nullopt;
  const double interrupted =
      static_cast<double>(loop.runs - 1) / static_cast<double>(loop.turns.size());
  loop.score = std::min<double>(launches, covered) * loop.alike * (1 - interrupted);
  return loop;
}

}  // namespace

std::vector<Loop> find_loops(const Sequence& sequence) {
  std::vector<Loop> loops;
  Likeness likeness(sequence.gram_numbers());
  for (const Anchor& anchor : find_anchors(sequence)) {
    Kinds kinds(sequence, anchor.period, likeness);
    for (std::size_t i = 0; i < anchor.places.size(); ++i) {
      const bool is_last = i + 1 == anchor.places.size();
      const std::uint32_t end = is_last
                                    ? std::min(sequence.size(), anchor.places[i] + anchor.period)
                                    : anchor.places[i + 1];
      kinds.add({anchor.places[i], end});
    }
    for (Kind& kind : kinds.all()) {
      if (auto loop = loop_of(std::move(kind), sequence.size())) loops.push_back(*std::move(loop));
    }
  }
  std::ranges::stable_sort(loops, [](const Loop& a, const Loop& b) {
    return a.score != b.score ? a.score > b.score : a.period < b.period;
  });
  loops.resize(std::min(loops.size(), kMaxLoops));
  return loops;
}

}  // namespace prof::loops
