// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/alignment.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace prof::ranks {
namespace {

/// How far the clocks of a GPU and another of its host may differ.
constexpr std::int64_t kSlackNs = 20'000;
/// The share of the calls put together by a shift that may differ, such as a call that a trace
/// lacks.
constexpr double kMostDifferent = 0.02;
/// Shifts that are tried where nothing but the calls themselves says which.
constexpr std::size_t kMostShifts = 1U << 14;

/// Whether they may be one call by their times.
bool overlap(const AlignedCall& a, const AlignedCall& b) {
  if (!a.is_together || !b.is_together) return true;
  return a.start_ns <= b.end_ns + kSlackNs && b.start_ns <= a.end_ns + kSlackNs;
}

/// Those that put a step's first call on the same step's first one, or else calls that ran at the
/// same time together, or else all.
std::vector<std::int64_t> candidates(std::span<const AlignedCall> of,
                                     std::span<const AlignedCall> calls, bool has_one_clock) {
  std::map<std::int64_t, std::int64_t> firsts;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].step) firsts.emplace(*of[i].step, static_cast<std::int64_t>(i));
  }
  std::map<std::int64_t, std::size_t> votes;
  std::optional<std::int64_t> last;
  bool has_steps = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].step || calls[i].step == last) continue;
    has_steps = true;
    last = calls[i].step;
    const auto first = firsts.find(*last);
    if (first != firsts.end()) ++votes[first->second - static_cast<std::int64_t>(i)];
  }
  if (votes.empty() && has_one_clock) {
    for (std::size_t i = 0, at = 0; i < calls.size(); ++i) {
      if (!calls[i].is_together) continue;
      while (at < of.size() && of[at].end_ns + kSlackNs < calls[i].start_ns) ++at;
      for (std::size_t j = at; j < of.size() && of[j].start_ns <= calls[i].end_ns + kSlackNs; ++j) {
        ++votes[static_cast<std::int64_t>(j) - static_cast<std::int64_t>(i)];
      }
    }
  }
  std::vector<std::int64_t> shifts;
  for (const auto& [shift, count] : votes) shifts.push_back(shift);
  // Steps, but none in common: nothing is the same.
  if (!shifts.empty() || (has_steps && !firsts.empty())) return shifts;
  const auto most = static_cast<std::int64_t>(of.size());
  for (auto shift = -static_cast<std::int64_t>(calls.size()) + 1; shift < most; ++shift) {
    if (shifts.size() < kMostShifts) shifts.push_back(shift);
  }
  return shifts;
}

struct Agreement {
  std::size_t together = 0, different = 0;
};

Agreement agreement(std::span<const AlignedCall> of, std::span<const AlignedCall> calls,
                    std::int64_t shift, bool has_one_clock) {
  Agreement found;
  const std::int64_t from = std::max<std::int64_t>(0, -shift);
  const auto to = std::min(static_cast<std::int64_t>(calls.size()),
                           static_cast<std::int64_t>(of.size()) - shift);
  for (std::int64_t i = from; i < to; ++i) {
    const AlignedCall& a = of[static_cast<std::size_t>(i + shift)];
    const AlignedCall& b = calls[static_cast<std::size_t>(i)];
    ++found.together;
    const bool same_step = !a.step || !b.step || a.step == b.step;
    if (a.what != b.what || !same_step || (has_one_clock && !overlap(a, b))) ++found.different;
  }
  return found;
}

}  // namespace

std::optional<std::int64_t> shift_between(std::span<const AlignedCall> of,
                                          std::span<const AlignedCall> calls, bool has_one_clock) {
  std::optional<std::int64_t> best;
  std::size_t most = 0;
  for (const std::int64_t shift : candidates(of, calls, has_one_clock)) {
    const Agreement found = agreement(of, calls, shift, has_one_clock);
    const double allowed = kMostDifferent * static_cast<double>(found.together);
    if (found.together == 0 || static_cast<double>(found.different) > allowed) continue;
    if (found.together - found.different <= most) continue;
    most = found.together - found.different;
    best = shift;
  }
  return best;
}

}  // namespace prof::ranks
