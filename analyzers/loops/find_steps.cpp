// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/find_steps.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "analyzers/loops/anchors.hpp"
#include "analyzers/loops/loop_steps.hpp"
#include "analyzers/ranges/range_texts.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

using loops::Launch;
using loops::Loop;
using loops::Sequence;
using loops::Turn;

/// A thread with less of the launches has no loop of its own that is the program's step.
constexpr double kLeastShare = 0.05;
/// From here on what was found is called a step.
constexpr double kLeastConfidence = 0.6;

/// The names of the layers around launches.
class Layers {
 public:
  Layers(TraceReader& reader, RangeTexts& texts) : reader_(reader), texts_(texts) {}

  std::uint64_t of(RangeId stack) {
    std::uint64_t layer = 0;
    pending_.clear();
    for (RangeId at = stack; at != 0;) {
      if (const auto known = known_.find(at); known != known_.end()) {
        layer = known->second;
        break;
      }
      RangeRef range = reader_.range(at);
      // A parent is older than its child: anything else is damage.
      if (!range || range->parent >= at || pending_.size() == kMaxDepth) return 0;
      at = range->parent;
      pending_.push_back(std::move(range));
    }
    if (known_.size() > kMaxKnown) known_.clear();
    for (auto range = pending_.rbegin(); range != pending_.rend(); ++range) {
      layer = inside(layer, **range);
      known_[(*range)->id] = layer;
    }
    return layer;
  }

 private:
  static constexpr std::size_t kMaxDepth = 1024;
  static constexpr std::size_t kMaxKnown = 1U << 18;

  std::uint64_t inside(std::uint64_t layer, const RangeRow& range) {
    if (texts_.is_large()) texts_.clear();
    const auto& meaning = texts_.parse(range).meaning;
    if (!meaning.is<PlainName>() && !meaning.is<LayerName>() && !meaning.is<ModuleCall>()) {
      return layer;
    }
    return layer * 0x9e3779b97f4a7c15U + std::hash<std::string>{}(range.whole_text()) + 1;
  }

  TraceReader& reader_;
  RangeTexts& texts_;
  std::unordered_map<RangeId, std::uint64_t> known_;
  std::vector<RangeRef> pending_;
};

/// One order of launches, and the loop in it that is the step.
struct Candidate {
  FoundSteps found;
  std::vector<Turn> turns;
  double work = 0;  ///< The work of the steps, weighed by how sure they are.
};

using Threads = std::map<std::uint32_t, std::vector<Launch>>;

Threads by_thread(const std::vector<Launch>& launches) {
  Threads threads;
  for (const Launch& launch : launches) threads[launch.thread].push_back(launch);
  // XLA tries out kernels in threads of their own.
  std::erase_if(threads, [](const auto& one) {
    const auto tries = std::ranges::count_if(one.second, &Launch::tunes);
    return 20 * static_cast<std::size_t>(tries) > std::max<std::size_t>(60, one.second.size());
  });
  return threads;
}

/// Batches of several shapes: by name alone there are more steps, which differ in their grids. Two
/// halves of a step, as of two models that take turns, do not.
bool has_changing_shapes(const Sequence& sequence, const Candidate& by_name,
                         const std::optional<Candidate>& made) {
  constexpr std::size_t kMoreSteps = 2;
  const std::vector<Turn>& turns = by_name.turns;
  if (by_name.found.evidence > StepEvidence::kSends ||
      by_name.found.confidence < kLeastConfidence ||
      turns.size() < kMoreSteps * (made ? made->turns.size() : 0)) {
    return false;
  }
  loops::Likeness likeness(sequence.symbols());
  double sum = 0;
  for (std::size_t i = 1; i < turns.size(); ++i) {
    sum += likeness(sequence.grams(1), turns[i - 1], turns[i]);
  }
  return sum / static_cast<double>(turns.size() - 1) < loops::kAlike;
}

/// The loop of some threads while another, that of the program, waits for them: a part of its step.
bool is_inside_pause(const Sequence& sequence, const Loop& loop, const Threads& threads) {
  constexpr double kLeast = 0.02;
  const std::int64_t begin = sequence[loop.begin()].time_ns;
  const std::int64_t end = sequence[loop.end() - 1].time_ns;
  std::unordered_map<std::uint32_t, bool> busy;
  for (const Turn& turn : loop.turns) {
    for (const Launch& launch : sequence.launches(turn)) busy[launch.thread] = true;
  }
  return std::ranges::any_of(threads, [&](const auto& one) {
    const std::vector<Launch>& launches = one.second;
    if (busy.contains(one.first) || launches.empty()) return false;
    const auto before = std::ranges::count_if(
        launches, [&](const Launch& launch) { return launch.time_ns < begin; });
    const auto after =
        std::ranges::count_if(launches, [&](const Launch& launch) { return launch.time_ns > end; });
    return before + after == std::ssize(launches) &&
           static_cast<double>(std::min(before, after)) > kLeast * sequence.size();
  });
}

std::int64_t time_at(const Sequence& sequence, std::uint32_t launch) {
  return launch < sequence.size() ? sequence[launch].time_ns
                                  : sum_of_times(sequence[sequence.size() - 1].time_ns, 1);
}

StepEvidence evidence_of(const Sequence& sequence, const loops::LoopSteps& steps) {
  constexpr double kMostTurns = 0.9;
  constexpr std::size_t kLeastLaunches = 20;  // Fewer are whole turns by chance.
  const auto all_have = [&](auto has) {
    const auto with = std::ranges::count_if(steps.turns, [&](const Turn& turn) {
      return std::ranges::any_of(sequence.launches(turn), has);
    });
    return static_cast<double>(with) >= kMostTurns * static_cast<double>(steps.turns.size());
  };
  if (all_have(&Launch::updates)) return StepEvidence::kUpdates;
  if (all_have(&Launch::reads_back)) return StepEvidence::kReadsBack;
  if (all_have(&Launch::sends)) return StepEvidence::kSends;
  if (all_have(&Launch::is_awaited)) return StepEvidence::kWaits;
  const bool is_long = steps.turns.back().end - steps.turns.front().begin >= kLeastLaunches;
  return steps.evidence == loops::BeginEvidence::kBothEnds && is_long ? StepEvidence::kWholeProgram
                                                                      : StepEvidence::kNone;
}

std::optional<Candidate> candidate_of(const Sequence& sequence, const Threads& threads,
                                      std::optional<std::int64_t> last_update_ns,
                                      const loops::LayerOf& layer_of) {
  const std::vector<Loop> levels = loops::levels_of(sequence, loops::find_loops(sequence));
  const auto chosen = loops::choose_step(sequence, levels, last_update_ns, layer_of);
  if (!chosen || is_inside_pause(sequence, levels[*chosen], threads)) return std::nullopt;
  const Loop& loop = levels[*chosen];
  loops::LoopSteps steps = loops::steps_of(sequence, loop);
  if (steps.turns.size() < 2) return std::nullopt;

  Candidate made;
  double work = 0;
  for (const Turn& turn : steps.turns) {
    made.found.steps.push_back({time_at(sequence, turn.begin), time_at(sequence, turn.end)});
  }
  for (const Turn& turn : loop.turns) work += static_cast<double>(sequence.work(turn));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    made.found.loops.push_back({.turns = i == *chosen ? steps.turns.size() : levels[i].turns.size(),
                                .launches = levels[i].period,
                                .is_step = i == *chosen});
  }
  const double covers = work / static_cast<double>(sequence.work());
  const double late = static_cast<double>(loop.end()) / sequence.size();
  const double many = std::min(1.0, static_cast<double>(loop.turns.size()) / 5 + 0.3);
  made.found.evidence = evidence_of(sequence, steps);
  made.found.confidence = loop.alike * many * (1 + late) / 2;
  made.turns = std::move(steps.turns);
  made.work = work * covers * late * loop.alike * loop.ordered;
  return made;
}

}  // namespace

FoundSteps find_steps(const loops::LaunchLog& log, const loops::LayerOf& layer_of) {
  FoundSteps best;
  best.left_out = log.left_out;
  std::optional<std::int64_t> last_update_ns;
  for (const Launch& launch : log.launches) {
    if (!launch.updates) continue;
    last_update_ns = std::max(last_update_ns.value_or(INT64_MIN), launch.time_ns);
  }
  const Threads threads = by_thread(log.launches);
  double most = 0;
  const auto consider = [&](std::span<const Launch> launches) {
    const Sequence sequence(launches, log.symbols);
    auto made = candidate_of(sequence, threads, last_update_ns, layer_of);
    auto by_name = candidate_of(Sequence(launches, log.symbols, &Launch::name), threads,
                                last_update_ns, layer_of);
    if (by_name && has_changing_shapes(sequence, *by_name, made)) made = std::move(by_name);
    if (!made || made->work <= most) return;
    most = made->work;
    best.steps = std::move(made->found.steps);
    best.loops = std::move(made->found.loops);
    best.evidence = made->found.evidence;
    best.confidence = made->found.confidence;
  };
  // All threads together: autograd's hand over to one another.
  std::vector<Launch> all;
  std::size_t kept = 0;
  for (const auto& [thread, launches] : threads) kept += launches.size();
  if (kept < log.launches.size()) {
    std::ranges::copy_if(log.launches, std::back_inserter(all),
                         [&](const Launch& launch) { return threads.contains(launch.thread); });
  }
  if (kept < loops::kLeastTurns) return best;
  const auto least = static_cast<std::size_t>(kLeastShare * static_cast<double>(kept));
  consider(all.empty() ? std::span(log.launches) : std::span<const Launch>(all));
  for (const auto& [thread, launches] : threads) {
    if (threads.size() > 1 && launches.size() > std::max(loops::kLeastTurns, least)) {
      consider(launches);
    }
  }
  if (best.confidence < kLeastConfidence || best.evidence == StepEvidence::kNone) {
    best.steps.clear();
  }
  return best;
}

Result<FoundSteps> find_steps(TraceReader& reader, const RangeOptions& options) {
  constexpr std::size_t kMaxTexts = 1U << 14;
  RangeTexts texts(reader, kMaxTexts, options.domains);
  const auto log = loops::read_launches(reader, texts.dialects());
  if (!log) return log.error();
  Layers layers(reader, texts);
  return find_steps(*log, [&](RangeId stack) { return layers.of(stack); });
}

const FoundSteps& FoundStepsMemo::of(TraceReader& reader, const RangeOptions& options) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = by_path_.find(reader.path());
    if (known != by_path_.end()) return known->second;
  }
  auto found = find_steps(reader, options);
  const std::scoped_lock lock(mutex_);
  return by_path_.try_emplace(reader.path(), found ? *std::move(found) : FoundSteps{})
      .first->second;
}

const FoundSteps* FoundStepsMemo::known(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

}  // namespace prof
