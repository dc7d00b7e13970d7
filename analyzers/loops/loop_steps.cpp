// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/loop_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "analyzers/loops/anchors.hpp"
#include "libprof/model/times.hpp"

namespace prof::loops {
namespace {

/// The begin of a step in relation to the anchor that begins its turn.
struct Shift {
  std::uint32_t launches = 0;
  BeginEvidence evidence = BeginEvidence::kBothEnds;
};

/// A turn in the middle of the loop that is as long as most.
Turn model_of(const Loop& loop) {
  std::vector<Turn> usual;
  for (const Turn& turn : loop.turns) {
    if (turn.size() == loop.period) usual.push_back(turn);
  }
  return usual[usual.size() / 2];
}

/// The launches up to the first turn, and from the last one on, that repeat `model`.
std::uint32_t repeated_at_ends(const Sequence& sequence, const Loop& loop, const Turn& model,
                               std::uint32_t& ahead) {
  const std::uint32_t first = loop.begin();
  const std::uint32_t last = loop.turns.back().begin;
  const std::uint32_t period = model.size();
  ahead = 0;
  while (ahead < std::min(first, period) &&
         sequence.symbol(first - ahead - 1) == sequence.symbol(model.end - 1 - ahead)) {
    ++ahead;
  }
  std::uint32_t behind = 0;
  while (behind < std::min(sequence.size() - last, period) &&
         sequence.symbol(last + behind) == sequence.symbol(model.begin + behind)) {
    ++behind;
  }
  return ahead + behind;
}

/// Just after the update that the longest stretch without another follows. None: no updates.
std::optional<std::uint32_t> after_update(std::span<const Launch> model) {
  std::vector<std::uint32_t> updates;
  for (std::uint32_t i = 0; i < model.size(); ++i) {
    if (model[i].updates) updates.push_back(i);
  }
  if (updates.empty()) return std::nullopt;
  const auto period = static_cast<std::uint32_t>(model.size());
  std::uint32_t best = 0;
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const bool is_last = i + 1 == updates.size();
    const std::uint32_t next = is_last ? updates.front() + period : updates[i + 1];
    if (next - updates[i] > longest) {
      longest = next - updates[i];
      best = updates[i];
    }
  }
  return (best + 1) % period;
}

/// After the pause of the host with the largest median.
std::uint32_t after_pause(const Sequence& sequence, const Loop& loop) {
  std::uint32_t best = 0;
  std::int64_t longest = -1;
  std::vector<std::int64_t> pauses;
  for (std::uint32_t i = 1; i < loop.period; ++i) {
    pauses.clear();
    for (const Turn& turn : loop.turns) {
      if (i >= turn.size()) continue;
      pauses.push_back(difference_of_times(sequence[turn.begin + i].time_ns,
                                           sequence[turn.begin + i - 1].time_ns));
    }
    if (pauses.empty()) continue;
    const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
    std::ranges::nth_element(pauses, middle);
    if (*middle > longest) {
      longest = *middle;
      best = i;
    }
  }
  return best;
}

Shift shift_of(const Sequence& sequence, const Loop& loop, const Turn& model) {
  std::uint32_t ahead = 0;
  const std::uint32_t repeated = repeated_at_ends(sequence, loop, model, ahead);
  if (repeated % loop.period == 0) {
    return {(loop.period - ahead % loop.period) % loop.period, BeginEvidence::kBothEnds};
  }
  if (const auto update = after_update(sequence.launches(model))) {
    return {*update, BeginEvidence::kUpdate};
  }
  return {after_pause(sequence, loop), BeginEvidence::kHostGap};
}

/// Finds where a step begins by the launches around the begin of the model's step.
class Fit {
 public:
  Fit(const Sequence& sequence, std::uint32_t model_begin)
      : sequence_(sequence), model_begin_(model_begin) {}

  /// The best place within `reach` of that one; the nearest of several.
  [[nodiscard]] std::optional<std::uint32_t> near(std::int64_t place, std::int64_t reach) const {
    std::optional<std::uint32_t> best;
    std::pair<int, std::int64_t> most;  // equal launches, and less distance
    const std::int64_t end = std::min<std::int64_t>(sequence_.size(), place + reach);
    for (std::int64_t at = std::max<std::int64_t>(0, place - reach); at <= end; ++at) {
      const std::pair found{equal_launches(at), -std::abs(at - place)};
      if (best && found <= most) continue;
      best = static_cast<std::uint32_t>(at);
      most = found;
    }
    return best;
  }

 private:
  static constexpr std::int64_t kContext = 4;

  [[nodiscard]] int equal_launches(std::int64_t at) const {
    int equal = 0;
    const std::int64_t size = sequence_.size();
    for (std::int64_t d = -kContext; d <= kContext; ++d) {
      const std::int64_t mine = at + d;
      const std::int64_t other = model_begin_ + d;
      if (mine < 0 || other < 0 || mine >= size || other >= size) continue;
      if (sequence_.symbol(static_cast<std::size_t>(mine)) ==
          sequence_.symbol(static_cast<std::size_t>(other))) {
        ++equal;
      }
    }
    return equal;
  }

  const Sequence& sequence_;
  std::int64_t model_begin_;
};

/// Collects steps, run by run.
class Steps {
 public:
  Steps(const Sequence& sequence, const Loop& loop)
      : sequence_(sequence),
        loop_(loop),
        model_(model_of(loop)),
        shift_(shift_of(sequence, loop, model_)),
        fit_(sequence, std::int64_t{model_.begin} + shift_.launches),
        likeness_(sequence.symbols()) {}

  LoopSteps take() {
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= loop_.turns.size(); ++i) {
      const bool goes_on = i < loop_.turns.size() && loop_.turns[i].begin == loop_.turns[i - 1].end;
      if (goes_on) continue;
      add_run(std::span(loop_.turns).subspan(begin, i - begin));
      begin = i;
    }
    return {std::move(steps_), shift_.evidence};
  }

 private:
  /// Of turns that follow each other at once. Its first step may begin before the first anchor, and
  /// its last turn may be cut off.
  void add_run(std::span<const Turn> turns) {
    const std::int64_t shift = shift_.launches;
    std::vector<std::uint32_t> begins;
    const auto add = [&](std::int64_t place, std::uint32_t size) {
      const auto reach = static_cast<std::int64_t>(kNear * size);
      const auto found = fit_.near(place, reach);
      if (found && (begins.empty() || *found > begins.back())) begins.push_back(*found);
    };
    add(turns.front().begin + shift - loop_.period, loop_.period);
    for (const Turn& turn : turns) add(turn.begin + shift, turn.size());
    add(turns.back().end + shift, turns.back().size());
    for (std::size_t i = 1; i < begins.size(); ++i) {
      const Turn step{begins[i - 1], begins[i]};
      const bool is_at_end = i == 1 || i + 1 == begins.size();
      if (is_at_end && !is_like_model(step)) continue;
      if (!steps_.empty() && step.begin < steps_.back().end) continue;
      steps_.push_back(step);
    }
  }

  bool is_like_model(const Turn& step) {
    const double apart = std::abs(static_cast<double>(step.size()) - loop_.period);
    return apart <= kNear * loop_.period && likeness_(sequence_.grams(1), step, model_) >= kAlike;
  }

  const Sequence& sequence_;
  const Loop& loop_;
  Turn model_;
  Shift shift_;
  Fit fit_;
  Likeness likeness_;
  std::vector<Turn> steps_;
};

}  // namespace

LoopSteps steps_of(const Sequence& sequence, const Loop& loop) {
  return Steps(sequence, loop).take();
}

}  // namespace prof::loops
