// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/step_cost.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "analyzers/ranks/replay.hpp"
#include "analyzers/ranks/usual_step.hpp"
#include "libprof/base/statistics.hpp"
#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

constexpr double kCostFloor = 0.01;        // of a step
constexpr std::size_t kCostSteps = 3;      // that can be compared
constexpr double kCostNoise = 4;           // of the noise over the steps
constexpr double kCostSpread = 4;          // of the spread between the ranks
constexpr double kMostUnexplained = 0.05;  // of the time of all ranks
/// Each costs two replays; those that need most come first.
constexpr std::size_t kMostReplayed = 16;

/// From one collective to the one that is launched next: positions of own work and of the host.
struct Stretch {
  std::int64_t own_begin_ns = 0, own_end_ns = 0, host_begin_ns = 0, host_end_ns = 0;
  HostGap gap;
  bool has_begin = false;

  [[nodiscard]] double own_ns() const { return static_cast<double>(own_end_ns - own_begin_ns); }
  [[nodiscard]] double host_ns() const { return static_cast<double>(host_end_ns - host_begin_ns); }
  [[nodiscard]] double gap_ns() const { return static_cast<double>(gap.ns); }
};

/// Op, bytes and ranks of each collective of a step.
using Sequence = std::vector<std::tuple<std::string_view, double, std::uint32_t>>;

struct StepStretches {
  StepNumber step;
  Sequence sequence;
  std::vector<Stretch> stretches;
  std::uint32_t last = 0;  ///< Collective of the summary.
};

/// In the order of their begin.
std::vector<StepStretches> stretches_of(const RankSummary& of) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < of.collectives.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return of.collectives[i].host_ns; });
  std::vector<StepStretches> made;
  std::map<StepNumber, std::size_t> steps;
  Stretch now;
  for (const std::uint32_t index : order) {
    const RankCollective& one = of.collectives[index];
    const auto [found, is_new] = steps.try_emplace(one.step, made.size());
    if (is_new) made.push_back({.step = one.step, .sequence = {}, .stretches = {}});
    StepStretches& step = made[found->second];
    step.sequence.emplace_back(of.places[one.place].op, one.bytes,
                               of.communicators[one.communicator].ranks.value_or(0));
    now.own_end_ns = std::max(now.own_begin_ns, one.own_ns);
    now.host_end_ns = one.host_ns;
    now.gap = one.gap;
    step.stretches.push_back(now);
    step.last = index;
    now = {.own_begin_ns = now.own_end_ns,
           .own_end_ns = now.own_end_ns,
           .host_begin_ns = now.host_end_ns,
           .host_end_ns = now.host_end_ns,
           .gap = {},
           .has_begin = true};
  }
  return made;
}

/// The sequence that most steps have; the first one if several occur equally often.
Sequence usual_sequence(const std::vector<StepStretches>& steps) {
  std::map<Sequence, std::size_t> counts;
  std::size_t most = 0;
  Sequence usual;
  for (const StepStretches& one : steps) {
    if (++counts[one.sequence] > most) usual = one.sequence;
    most = std::max(most, counts[one.sequence]);
  }
  return usual;
}

class CostFinder {
 public:
  CostFinder(const JoinedRun& run, const std::vector<std::vector<Cause>>& causes,
             const std::optional<SlowLink>& link, double period_ns)
      : run_(run),
        causes_(causes),
        link_(link),
        period_ns_(period_ns),
        less_(run.summaries.size()) {
    for (const RankSummary* summary : run.summaries) {
      steps_.push_back(stretches_of(*summary));
      steady_.push_back(steady_steps(*summary));
    }
  }

  StepCosts find() {
    StepCosts costs{.of_ranks_ns = std::vector<double>(run_.summaries.size())};
    const std::vector<std::uint32_t> slow = find_slow();
    if (slow.empty() && !link_) return costs;
    const Replay replay(run_);
    if (replay.unexplained_ns() > kMostUnexplained * all_time_ns()) return costs;
    const std::vector<double> transfers = shorter_transfers();
    const auto replayed = [&](const auto& takes, bool takes_link) {
      std::vector<const RankReductions*> less(run_.summaries.size(), nullptr);
      for (const std::uint32_t rank : slow) less[rank] = takes(rank) ? &less_[rank] : nullptr;
      return replay.run(less, takes_link ? transfers : std::vector<double>());
    };
    const bool has_link = link_.has_value();
    const Earlier all = replayed([](std::uint32_t) { return true; }, has_link);
    const auto cost = [&](const auto& is_mended, bool is_link, const StepNumbers& steps) {
      const auto is_other = [&](std::uint32_t one) { return !is_mended(one); };
      double most = gain_of(replayed(is_mended, is_link), steps);
      if (slow.size() + (has_link ? 1 : 0) > 1) {
        const Earlier others = replayed(is_other, has_link && !is_link);
        most = std::max(most, gain_of(all, steps) - gain_of(others, steps));
      }
      return most > kCostFloor * period_ns_ ? most : 0;
    };
    for (const std::uint32_t rank : slow) {
      const bool is_link = has_link && link_->rank == rank;
      costs.of_ranks_ns[rank] =
          cost([=](std::uint32_t one) { return one == rank; }, is_link, compared_steps(rank));
    }
    if (!has_link) return costs;
    costs.of_link_ns = cost([](std::uint32_t) { return false; }, true, compared_steps(link_->rank));
    double& of_rank = costs.of_ranks_ns[link_->rank];
    of_rank = std::max(of_rank, costs.of_link_ns);
    return costs;
  }

 private:
  /// The time that a rank needs more than the others, in a step.
  struct More {
    std::uint32_t rank = 0;
    std::size_t step = 0;  ///< Index in steps_.
    double ns = 0;
  };
  using Time = double (Stretch::*)() const;
  using Earlier = std::vector<std::vector<double>>;  // as Replay::run() has it
  /// By position at its begin and end.
  using Parts = std::vector<std::tuple<std::int64_t, std::int64_t, double>>;
  using Excess = std::map<std::pair<std::uint32_t, std::size_t>, double>;  // by rank and step

  /// Sets what less each rank would need. Those that need much more than the others, most first.
  std::vector<std::uint32_t> find_slow() {
    const std::vector<std::size_t> stages = places_in_pipelines();
    std::map<std::pair<Sequence, std::size_t>, std::vector<std::uint32_t>> alike;
    for (std::uint32_t rank = 0; rank < steps_.size(); ++rank) {
      Sequence usual = usual_sequence(steps_[rank]);
      std::erase_if(steps_[rank], [&](const StepStretches& one) { return one.sequence != usual; });
      if (steps_[rank].size() >= kCostSteps)
        alike[{std::move(usual), stages[rank]}].push_back(rank);
    }
    for (const auto& [part, ranks] : alike) {
      if (ranks.size() > 1) {
        compare(ranks, part.first.size());
      } else {
        take_causes(ranks.front());
      }
    }
    std::vector<std::pair<double, std::uint32_t>> slow;
    for (std::uint32_t rank = 0; rank < less_.size(); ++rank) {
      const double less_ns = less_[rank].own.total() + less_[rank].host.total();
      const double least_ns = kCostFloor * period_ns_ * static_cast<double>(steps_[rank].size());
      if (less_ns > least_ns) slow.emplace_back(-less_ns, rank);
    }
    std::ranges::sort(slow);
    if (slow.size() > kMostReplayed) slow.resize(kMostReplayed);
    std::vector<std::uint32_t> ranks;
    for (const auto& [less_ns, rank] : slow) ranks.push_back(rank);
    return ranks;
  }

  /// Stages of a pipeline are unlike each other, though they may have the same collectives. Each is
  /// compared with those at its place in other pipelines.
  [[nodiscard]] std::vector<std::size_t> places_in_pipelines() const {
    std::map<std::uint32_t, std::size_t> ranks;  // so far, by pipeline
    std::vector<std::size_t> places;
    for (const std::uint32_t first : pipelines_of(run_)) places.push_back(ranks[first]++);
    return places;
  }

  void compare(const std::vector<std::uint32_t>& ranks, std::size_t count) {
    std::vector<Parts> own(steps_.size()), host(steps_.size());
    for (std::size_t at = 0; at < count; ++at) {
      for (const More& one : more_in(ranks, at, &Stretch::own_ns)) {
        const Stretch& stretch = steps_[one.rank][one.step].stretches[at];
        own[one.rank].emplace_back(stretch.own_begin_ns, stretch.own_end_ns, one.ns);
      }
      Excess gaps;
      for (const More& one : more_in(ranks, at, &Stretch::gap_ns)) {
        gaps[{one.rank, one.step}] = one.ns;
      }
      for (const More& one : more_in(ranks, at, &Stretch::host_ns)) {
        const auto gap = gaps.find({one.rank, one.step});
        add_host(steps_[one.rank][one.step].stretches[at], one.ns,
                 gap != gaps.end() ? gap->second : 0, host[one.rank]);
      }
    }
    for (const std::uint32_t rank : ranks) {
      less_[rank] = {reduction_of(std::move(own[rank])), reduction_of(std::move(host[rank]))};
    }
  }

  /// Adds the excess of the host's longest gap at the gap's own place, and the rest anywhere. The
  /// place matters: a host that waits for the GPU, or runs ahead of it, gains nothing before.
  static void add_host(const Stretch& stretch, double more_ns, double gap_more_ns, Parts& to) {
    const std::int64_t end_ns = std::min(stretch.gap.end_ns, stretch.host_end_ns);
    const std::int64_t begin_ns = std::max(end_ns - stretch.gap.ns, stretch.host_begin_ns);
    const double in_gap_ns = std::clamp(gap_more_ns, 0.0, std::max(more_ns, 0.0));
    const double rest_ns = (more_ns - in_gap_ns) / std::max(1.0, stretch.host_ns());
    const auto add = [&](std::int64_t from_ns, std::int64_t to_ns, double also_ns) {
      to.emplace_back(from_ns, to_ns, rest_ns * static_cast<double>(to_ns - from_ns) + also_ns);
    };
    if (end_ns <= begin_ns) return add(stretch.host_begin_ns, stretch.host_end_ns, 0);
    add(stretch.host_begin_ns, begin_ns, 0);
    add(begin_ns, end_ns, in_gap_ns);
    add(end_ns, stretch.host_end_ns, 0);
  }

  static Reduction reduction_of(Parts parts) {
    std::ranges::sort(parts);
    Reduction made;
    double less_ns = 0;
    for (const auto& [begin_ns, end_ns, ns] : parts) {
      made.add(begin_ns, less_ns);
      made.add(end_ns, less_ns += ns);
    }
    return made;
  }

  /// The excesses in a stretch of the ranks that need more than the others beyond chance, in each
  /// step.
  [[nodiscard]] std::vector<More> more_in(const std::vector<std::uint32_t>& ranks, std::size_t at,
                                          Time time) const {
    std::map<StepNumber, std::vector<More>> times;  // of all ranks
    for (const std::uint32_t rank : ranks) {
      for (std::size_t i = 0; i < steps_[rank].size(); ++i) {
        const Stretch& one = steps_[rank][i].stretches[at];
        if (!one.has_begin || !steady_[rank].contains(steps_[rank][i].step)) continue;
        times[steps_[rank][i].step].push_back({.rank = rank, .step = i, .ns = (one.*time)()});
      }
    }
    std::map<std::uint32_t, std::vector<More>> more;  // by rank
    std::vector<double> sorted;
    for (auto& [step, of_step] : times) {
      if (of_step.size() < 2) continue;
      std::ranges::sort(of_step, {}, &More::ns);
      sorted.clear();
      for (const More& one : of_step) sorted.push_back(one.ns);
      for (std::size_t i = 0; i < of_step.size(); ++i) {
        More one = of_step[i];
        one.ns -= median_without(sorted, i);
        more[one.rank].push_back(one);
      }
    }
    return beyond_chance(more);
  }

  static std::vector<More> beyond_chance(const std::map<std::uint32_t, std::vector<More>>& more) {
    struct OfRank {
      const std::vector<More>* steps = nullptr;
      double middle_ns = 0, noise_ns = 0;
    };
    std::vector<OfRank> all;
    std::vector<double> middles;
    for (const auto& [rank, steps] : more) {
      if (steps.size() < kCostSteps) continue;
      std::vector<double> values;
      for (const More& one : steps) values.push_back(one.ns);
      const double middle = median(values);
      all.push_back({&steps, middle, error_of_median(values, middle)});
      middles.push_back(middle);
    }
    const double of_all = middles.empty() ? 0 : median(middles);
    const double spread = middles.size() < 4 ? 0 : spread_about(middles, of_all);
    std::vector<More> found;
    for (const OfRank& one : all) {
      if (one.middle_ns <= std::max(kCostNoise * one.noise_ns, kCostSpread * spread)) continue;
      found.insert(found.end(), one.steps->begin(), one.steps->end());
    }
    return found;
  }

  /// By joined collective; empty: no link is slow.
  [[nodiscard]] std::vector<double> shorter_transfers() const {
    if (!link_) return {};
    std::vector<double> less(run_.collectives.size());
    for (const auto& [collective, excess_ns] : link_->excess_ns) less[collective] = excess_ns;
    return less;
  }

  /// Takes the causes of a rank that no other rank is like, over all of the step.
  void take_causes(std::uint32_t rank) {
    double own_ns = 0, host_ns = 0;
    for (const Cause& one : causes_[rank]) {
      (one.kind == CauseKind::kHost ? host_ns : own_ns) += one.excess_ns;
    }
    double steps = 0;
    for (const StepStretches& one : steps_[rank]) {
      less_[rank].own.add(one.stretches.front().own_end_ns, steps * own_ns);
      less_[rank].host.add(one.stretches.front().host_end_ns, steps * host_ns);
      ++steps;
    }
  }

  [[nodiscard]] double all_time_ns() const {
    double all = 0;
    for (const RankSummary* summary : run_.summaries) {
      for (const RankStep& step : summary->steps) {
        all += static_cast<double>(difference_of_times(step.end_ns, step.begin_ns));
      }
    }
    return all;
  }

  /// Those in which it may be mended: no step is shorter where it is not.
  [[nodiscard]] StepNumbers compared_steps(std::uint32_t rank) const {
    StepNumbers steps;
    for (const StepStretches& one : std::span(steps_[rank]).subspan(steps_[rank].empty() ? 0 : 1)) {
      if (steady_[rank].contains(one.step)) steps.insert(one.step);
    }
    return steps;
  }

  /// The gain in one step: the mean over `steps`, of the median rank.
  [[nodiscard]] double gain_of(const Earlier& earlier, const StepNumbers& steps) const {
    std::vector<double> gains;
    for (std::uint32_t rank = 0; rank < earlier.size(); ++rank) {
      double sum = 0, count = 0;
      for (std::size_t i = 1; i < steps_[rank].size(); ++i) {
        const StepStretches& one = steps_[rank][i];
        if (!steady_[rank].contains(one.step) || !steps.contains(one.step)) continue;
        sum += earlier[rank][one.last] - earlier[rank][steps_[rank][i - 1].last];
        ++count;
      }
      if (count > 0) gains.push_back(sum / count);
    }
    return gains.empty() ? 0 : median(gains);
  }

  const JoinedRun& run_;
  const std::vector<std::vector<Cause>>& causes_;
  const std::optional<SlowLink>& link_;
  double period_ns_;
  std::vector<RankReductions> less_;               // of each rank
  std::vector<std::vector<StepStretches>> steps_;  // likewise, those with the usual collectives
  std::vector<StepNumbers> steady_;
};

}  // namespace

StepCosts step_costs(const JoinedRun& run, const std::vector<std::vector<Cause>>& causes,
                     const std::optional<SlowLink>& link, double period_ns) {
  return CostFinder(run, causes, link, period_ns).find();
}

}  // namespace prof::ranks
