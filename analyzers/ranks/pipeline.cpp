// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/pipeline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyzers/ranks/usual_step.hpp"

namespace prof::ranks {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Stages that differ by less compute alike.
constexpr double kUneven = 0.03;

/// A link between two neighbors, the smaller rank first.
struct Link {
  std::map<std::optional<std::int64_t>, std::pair<std::int64_t, bool>>
      firsts;  ///< By step: when the first transfer ends, and whether the smaller rank sends it.
  double handed_on[2] = {0, 0};  ///< Calls in which the smaller rank sends, and the larger one.
  StepNumbers steps;             ///< The steps in which they do.
};

class StageFinder {
 public:
  explicit StageFinder(const JoinedRun& run) : run_(run), pipelines_(pipelines_of(run)) {
    for (const RankSummary* summary : run.summaries) steady_.push_back(steady_steps(*summary));
    for (const JoinedCollective& one : run.collectives) {
      if (one.rule == WaitRule::kPair) add(one);
    }
    for (const auto& [pair, link] : links_) {
      const bool is_forward = is_from_smaller(link);
      const Pair edge = is_forward ? pair : Pair(pair.second, pair.first);
      after_[edge.first].insert(edge.second);
      has_before_.insert(edge.second);
      handed_on_[edge] =
          link.handed_on[is_forward ? 0 : 1] / static_cast<double>(link.steps.size());
    }
  }

  std::vector<Stage> find(const Blame& blame) {
    std::vector<Stage> made;
    for (std::uint32_t first = 0; first < pipelines_.size(); ++first) {
      if (pipelines_[first] != first) continue;
      const std::map<std::uint32_t, std::uint32_t> stages = stages_of(first);
      std::uint32_t count = 0;
      for (const auto& [rank, stage] : stages) count = std::max(count, stage + 1);
      for (const auto& [rank, stage] : stages) {
        if (count < 2) continue;
        Stage one{.rank = rank, .pipeline = first, .stage = stage, .stages = count};
        one.microbatches = microbatches(rank);
        add_computing(one);
        for (const auto& [peer, time] : blame.waits_for_peers[rank]) {
          const auto found = stages.find(peer);
          if (found == stages.end()) continue;
          (found->second < stage ? one.before_ns : one.after_ns) += time;
        }
        made.push_back(one);
      }
    }
    std::ranges::sort(
        made, {}, [](const Stage& one) { return std::tuple(one.pipeline, one.stage, one.rank); });
    return made;
  }

 private:
  void add_computing(Stage& one) const {
    const RankSummary& of = *run_.summaries[one.rank];
    one.computing_ns = usual_step(of).in(DeviceState::kComputing);
    double update_ns = 0;
    for (std::size_t i = 0; i < of.steps.size(); ++i) {
      if (!of.steps[i].is_steady) continue;
      for (const Piece& piece : of.pieces_of(i)) {
        const bool is_update = piece.kind() == Activity::kKernels &&
                               of.places[piece.place].direction == Direction::kUpdate;
        if (is_update) update_ns += static_cast<double>(piece.time_ns);
      }
    }
    const auto steps = static_cast<double>(std::max<std::size_t>(1, steady_[one.rank].size()));
    one.update_ns = std::min(one.computing_ns, update_ns / steps);
  }

  void add(const JoinedCollective& one) {
    const Participant& a = run_.of(one).front();
    const Participant& b = run_.of(one).back();
    const RankCollective& seen = run_.seen_by(a);
    if (!steady_[a.rank].contains(seen.step)) return;
    Link& link = links_[{a.rank, b.rank}];
    link.steps.insert(seen.step);
    const std::string& op = run_.place_of(a).op;
    if (op != "recv") ++link.handed_on[0];
    if (op != "send") ++link.handed_on[1];
    if (op != "send" && op != "recv") return;
    const std::pair this_one(seen.end_ns, op == "send");
    const auto [first, is_new] = link.firsts.try_emplace(seen.step, this_one);
    if (!is_new) first->second = std::min(first->second, this_one);
  }

  /// A step's first transfer is that of an activation.
  static bool is_from_smaller(const Link& link) {
    std::size_t from_smaller = 0;
    for (const auto& [step, first] : link.firsts) from_smaller += first.second ? 1 : 0;
    return 2 * from_smaller >= link.firsts.size();
  }

  /// The stage of each rank of a pipeline: how many times an activation is handed on before it
  /// reaches the rank. Where stages are interleaved the last one hands on to the first, which is
  /// then the smallest rank.
  [[nodiscard]] std::map<std::uint32_t, std::uint32_t> stages_of(std::uint32_t pipeline) const {
    std::vector<std::uint32_t> reached;
    for (std::uint32_t rank = 0; rank < pipelines_.size(); ++rank) {
      if (pipelines_[rank] == pipeline && !has_before_.contains(rank)) reached.push_back(rank);
    }
    if (reached.empty()) reached.push_back(pipeline);
    std::map<std::uint32_t, std::uint32_t> stages;
    for (const std::uint32_t rank : reached) stages.emplace(rank, 0);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto next = after_.find(reached[i]);
      if (next == after_.end()) continue;
      for (const std::uint32_t rank : next->second) {
        if (stages.try_emplace(rank, stages[reached[i]] + 1).second) reached.push_back(rank);
      }
    }
    return stages;
  }

  [[nodiscard]] double microbatches(std::uint32_t rank) const {
    double most = 0;
    for (const auto& [edge, count] : handed_on_) {
      if (edge.first == rank || edge.second == rank) most = std::max(most, count);
    }
    return most;
  }

  const JoinedRun& run_;
  std::vector<std::uint32_t> pipelines_;
  std::vector<StepNumbers> steady_;
  std::map<Pair, Link> links_;
  std::map<Pair, double> handed_on_;  // from, to: calls in a step
  std::map<std::uint32_t, std::set<std::uint32_t>> after_;
  std::set<std::uint32_t> has_before_;
};

/// Microbatches pass the longest stage one after the other, the first and the last one the others,
/// too; the optimizer follows.
LongestStage longest_of(std::span<const Stage> stages) {
  LongestStage made;
  double sum_ns = 0, longest_ns = 0, updates_ns = 0, update_ns = 0, all_ns = 0, microbatches = 0;
  for (const Stage& one : stages) {
    if (one.computing_ns > made.stage.computing_ns) made.stage = one;
    microbatches = std::max(microbatches, one.microbatches);
    all_ns += one.computing_ns;
    updates_ns += one.update_ns;
    update_ns = std::max(update_ns, one.update_ns);
  }
  const auto count = static_cast<double>(stages.size());
  if (all_ns <= 0 || microbatches <= 0) return made;
  for (const Stage& one : stages) {
    const double of_one_ns = (one.computing_ns - one.update_ns) / microbatches;
    sum_ns += of_one_ns;
    longest_ns = std::max(longest_ns, of_one_ns);
  }
  made.above_mean = made.stage.computing_ns / (all_ns / count) - 1;
  made.least_ns = (microbatches - 1) * longest_ns + sum_ns + update_ns;
  made.balanced_ns = (microbatches + count - 1) * sum_ns / count + updates_ns / count;
  return made;
}

}  // namespace

std::optional<LongestStage> longest_stage(std::span<const Stage> stages) {
  std::optional<LongestStage> found;
  for (std::size_t i = 0; i < stages.size();) {
    std::size_t end = i;
    while (end < stages.size() && stages[end].pipeline == stages[i].pipeline) ++end;
    const LongestStage one = longest_of(stages.subspan(i, end - i));
    if (one.above_mean > (found ? found->above_mean : kUneven)) found = one;
    i = end;
  }
  return found;
}

std::vector<Stage> find_stages(const JoinedRun& run, const Blame& blame) {
  return StageFinder(run).find(blame);
}

}  // namespace prof::ranks
