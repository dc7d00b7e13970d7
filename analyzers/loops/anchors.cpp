// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/anchors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace prof::loops {
namespace {

constexpr std::size_t kMaxAnchors = 48;

using Places = std::span<const std::uint32_t>;

/// Collects the best anchor of each kind.
class Candidates {
 public:
  void add(Places places) {
    if (places.size() < kLeastTurns) return;
    distances_.clear();
    for (std::size_t i = 1; i < places.size(); ++i) {
      distances_.push_back(places[i] - places[i - 1]);
    }
    const auto middle =
        distances_.begin() + static_cast<std::ptrdiff_t>((distances_.size() - 1) / 2);
    std::ranges::nth_element(distances_, middle);
    const std::uint32_t usual = *middle;
    std::int64_t covered = 0;
    std::size_t near = 0;
    for (const std::uint32_t distance : distances_) {
      const bool is_near = std::abs(static_cast<double>(distance) - usual) <= kNear * usual;
      covered += is_near ? std::int64_t{distance} : -1;
      near += is_near ? 1 : 0;
    }
    if (near < kLeastTurns - 1) return;
    const auto [best, is_new] =
        best_.try_emplace(std::tuple{eighths(usual), places.size()}, Candidate{covered, usual, {}});
    if (!is_new && best->second.covered >= covered) return;
    best->second = {covered, usual, {places.begin(), places.end()}};
  }

  std::vector<Anchor> take() {
    std::vector<Candidate> candidates;
    for (auto& [kind, candidate] : best_) candidates.push_back(std::move(candidate));
    std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::covered);
    candidates.resize(std::min(candidates.size(), kMaxAnchors));
    std::vector<Anchor> anchors;
    for (Candidate& one : candidates) anchors.push_back({one.period, std::move(one.places)});
    return anchors;
  }

 private:
  struct Candidate {
    std::int64_t covered = 0;  // near distances, less the number of the others
    std::uint32_t period = 0;
    std::vector<std::uint32_t> places;
  };

  /// Eight steps to the power of two.
  static std::uint32_t eighths(std::uint32_t distance) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(distance));
    return bits * 8 + static_cast<std::uint32_t>((std::uint64_t{distance} * 8) >> bits);
  }

  std::map<std::tuple<std::uint32_t, std::size_t>, Candidate> best_;
  std::vector<std::uint32_t> distances_;
};

/// The places of each number, by a counting sort.
void add_all(std::span<const std::uint32_t> numbers, std::uint32_t end, Candidates& candidates) {
  std::vector<std::uint32_t> begins(std::size_t{end} + 1);
  for (const std::uint32_t number : numbers) ++begins[number + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  std::vector<std::uint32_t> places(numbers.size());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) places[next[numbers[i]]++] = i;
  for (std::uint32_t number = 0; number < end; ++number) {
    candidates.add(Places(places).subspan(begins[number], begins[number + 1] - begins[number]));
  }
}

}  // namespace

std::vector<Anchor> find_anchors(const Sequence& sequence) {
  if (sequence.size() < kLeastTurns) return {};
  Candidates candidates;
  add_all(sequence.grams(1), sequence.symbols(), candidates);
  // The last two launches begin no three in a row.
  add_all(sequence.grams(3).first(sequence.size() - 2), sequence.gram_numbers(), candidates);
  return candidates.take();
}

}  // namespace prof::loops
