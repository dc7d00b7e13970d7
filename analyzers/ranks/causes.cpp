// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/causes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analyzers/ranks/place_table.hpp"
#include "libprof/base/statistics.hpp"

namespace prof::ranks {
namespace {

// Limits beyond which a difference is not chance. A difference is that of one place: a program has
// hundreds, and none of them may be named by mistake.
constexpr double kSure = 6;                    // of the noise over the steps
constexpr std::size_t kStepsOfAll = 8;         // or a difference that so many steps have
constexpr double kSureOfRanks = 6;             // of the spread between the other ranks
constexpr double kLeastNs = 20'000;            // kernels and copies; of the host twice that
constexpr double kLeastOfStep = 0.015;         // of the step's period
constexpr double kLeastOfStepAlike = 0.08;     // where layers are compared that are alike
constexpr double kLeastOfStepAllAlike = 0.02;  // likewise, if it is more than noise in all steps
constexpr double kLeastOfWork = 0.05;          // of what the others need
constexpr double kLeastOfHost = 0.5;
/// A rank on a slow or busy processor launches everything later: a cause in a place stands out.
constexpr double kSureOfPlaces = 8;
/// The largest cause is named, and those that come near.
constexpr double kNearLargest = 0.35;

// Clocks: most of the kernels' time is longer by about the same factor.
constexpr double kLeastFactor = 0.03;
constexpr double kSameFactor = 0.5;  // of the factor's part above 1
constexpr double kMostKernels = 0.7;
constexpr double kShortestNs = 2'000;  // of kernels that show it
constexpr std::size_t kLeastPlaces = 5;

/// Sizes and counts explain a time that grows as they do, at least by that part.
constexpr double kExplains = 0.5;
constexpr double kLargerSizes = 1.03;

struct Difference {
  const PlaceRow* row = nullptr;
  PlaceDifference of;
  PlaceDifference idle = {};  ///< For a launch: the GPU's idle time meanwhile.
};

/// The host makes a rank late where it needs longer than that of others, and the GPU has nothing to
/// do meanwhile. Either alone is none: a rank that others wait for shows the host's usual time as
/// idle time, while theirs passes behind the waits. On a slow or busy processor all launches take
/// longer, by `factor`: what exceeds that is of the place.
void take_host(Difference& one, double factor) {
  if (one.row->activity != Activity::kLaunching) return;
  PlaceDifference& of = one.of;
  const PlaceDifference launching = of;
  const double excess_ns = launching.own_ns - factor * launching.others_ns;
  if (one.idle.excess_ns < excess_ns) of = one.idle;
  of.excess_ns = std::min({one.idle.excess_ns, launching.excess_ns, excess_ns});
  of.noise_ns = std::max(one.idle.noise_ns, launching.noise_ns);
  of.least_ns = std::min(one.idle.least_ns, launching.least_ns);
  of.spread_ns = std::max(one.idle.spread_ns, launching.spread_ns);
}

/// Layers that are alike must differ by more, as they may differ for good reasons, but by less if
/// they differ in all steps by more than noise.
double least_of_step(const Difference& one) {
  if (!one.row->is_of_layers_alike) return kLeastOfStep;
  const bool is_host = one.row->activity == Activity::kLaunching;
  const bool is_in_all = !is_host && one.of.least_ns > kSure * one.of.noise_ns;
  return is_in_all ? kLeastOfStepAllAlike : kLeastOfStepAlike;
}

/// Be it in its size, which is then more than noise, or in that it is there in all steps.
bool stands_out(const Difference& one, double period_ns, double host_spread_ns) {
  const PlaceDifference& of = one.of;
  const bool is_host = one.row->activity == Activity::kLaunching;
  const double floor_ns =
      std::max({(is_host ? 2 : 1) * kLeastNs, least_of_step(one) * period_ns,
                (is_host ? kLeastOfHost : kLeastOfWork) * of.others_ns, kSureOfRanks * of.spread_ns,
                is_host ? kSureOfPlaces * host_spread_ns : 0});
  const bool is_in_all = of.steps >= kStepsOfAll && of.least_ns > floor_ns;
  return of.excess_ns > floor_ns && (of.excess_ns > kSure * of.noise_ns || is_in_all);
}

CauseKind kind_of(const Difference& one) {
  const PlaceDifference& of = one.of;
  if (one.row->activity == Activity::kLaunching) return CauseKind::kHost;
  if (one.row->activity == Activity::kCopies) return CauseKind::kCopy;
  if (of.own_amount <= 0 || of.others_amount <= 0 || of.others_ns <= 0) return CauseKind::kWork;
  const double sizes = of.own_amount / of.others_amount;
  const double longer = of.own_ns / of.others_ns;
  const bool is_larger = sizes > kLargerSizes && sizes - 1 > kExplains * (longer - 1);
  return is_larger ? CauseKind::kSizes : CauseKind::kWork;
}

Cause cause_of(const Difference& one) {
  const PlaceDifference& of = one.of;
  Cause made;
  made.kind = kind_of(one);
  made.place = *of.place;
  made.excess_ns = of.excess_ns;
  made.own_ns = of.own_ns;
  made.others_ns = of.others_ns;
  made.own_amount = of.own_amount;
  made.others_amount = of.others_amount;
  made.steps = of.steps;
  return made;
}

/// An activity of a rank against that of the others, in all places.
struct Speed {
  double factor = 1;  ///< Median over the time.
  double own_ns = 0, others_ns = 0;
  double alike = 0;  ///< The part of that time whose factor is about the same.
  std::size_t steps = 0, places = 0;
};

Speed speed_of(const std::vector<Difference>& differences, Activity activity) {
  std::vector<std::pair<double, double>> factors;  // with the time of the others
  Speed speed;
  for (const Difference& one : differences) {
    const PlaceDifference& of = one.of;
    if (one.row->activity != activity || of.others_ns < kShortestNs) continue;
    const double sizes = of.others_amount > 0 ? of.own_amount / of.others_amount : 1;
    if (std::abs(sizes - 1) > kLargerSizes - 1 || of.own_ns <= 0) continue;
    factors.emplace_back(of.own_ns / of.others_ns, of.others_ns);
    speed.own_ns += of.own_ns;
    speed.others_ns += of.others_ns;
    ++speed.places;
    speed.steps = std::max(speed.steps, of.steps);
  }
  std::ranges::sort(factors);
  double below = 0;
  for (const auto& [factor, time] : factors) {
    below += time;
    speed.factor = factor;
    if (below >= speed.others_ns / 2) break;
  }
  double alike = 0;
  for (const auto& [factor, time] : factors) {
    const double of_factor = (factor - 1) / (speed.factor - 1);
    if (std::abs(of_factor - 1) < kSameFactor) alike += time;
  }
  if (speed.others_ns > 0) speed.alike = alike / speed.others_ns;
  return speed;
}

class CauseFinder {
 public:
  explicit CauseFinder(const JoinedRun& run)
      : table_(run), differences_(run.summaries.size()), found_(run.summaries.size()) {
    std::vector<PlaceDifference> idle;  // of the row before
    for (const PlaceRow& row : table_.rows()) {
      std::vector<PlaceDifference> found = table_.differences(row);
      if (row.activity == Activity::kIdle) {
        idle = std::move(found);
        continue;
      }
      const bool is_host = row.activity == Activity::kLaunching;
      for (std::size_t i = 0; i < found.size(); ++i) {
        differences_[found[i].rank].push_back({&row, found[i], is_host ? idle[i] : found[i]});
      }
    }
    for (std::vector<Difference>& of : differences_) {
      speeds_.push_back(speed_of(of, Activity::kKernels));
      const double of_host = std::max(1.0, speed_of(of, Activity::kLaunching).factor);
      for (Difference& one : of) take_host(one, of_host);
    }
  }

  std::vector<std::vector<Cause>> find() {
    for (std::uint32_t rank = 0; rank < differences_.size(); ++rank) find_of(rank);
    return std::move(found_);
  }

 private:
  void find_of(std::uint32_t rank) {
    std::vector<Cause>& causes = found_[rank];
    const std::optional<Cause> clocks = slow_clocks(rank);
    if (clocks) causes.push_back(*clocks);
    std::optional<Cause> sizes;  // of all places
    const double host_spread_ns = spread_of_host(differences_[rank]);
    for (const Difference& one : differences_[rank]) {
      if (!stands_out(one, table_.period_ns(rank), host_spread_ns)) continue;
      const Cause cause = cause_of(one);
      const double longer = cause.others_ns > 0 ? cause.own_ns / cause.others_ns : HUGE_VAL;
      const bool is_slow_alike = cause.kind == CauseKind::kWork && clocks &&
                                 longer < 1 + (1 + kSameFactor) * (speeds_[rank].factor - 1);
      if (is_slow_alike) continue;
      if (cause.kind != CauseKind::kSizes) {
        causes.push_back(cause);
      } else {
        add_sizes(cause, sizes);
      }
    }
    if (sizes) causes.push_back(*sizes);
    std::ranges::stable_sort(causes, std::greater{}, &Cause::excess_ns);
    std::erase_if(causes, [least = causes.empty() ? 0 : kNearLargest * causes.front().excess_ns](
                              const Cause& cause) { return cause.excess_ns < least; });
  }

  /// A place with more to do, such as an expert with more tokens, shows in all its ops.
  static void add_sizes(const Cause& cause, std::optional<Cause>& sum) {
    if (!sum) {
      sum = cause;
      return;
    }
    const bool is_larger = cause.excess_ns > sum->own_ns - sum->others_ns;
    Cause merged = is_larger ? cause : *sum;
    merged.excess_ns = sum->excess_ns + cause.excess_ns;
    merged.own_ns = sum->own_ns + cause.own_ns;
    merged.others_ns = sum->others_ns + cause.others_ns;
    merged.places = sum->places + 1;
    sum = merged;
  }

  static double spread_of_host(const std::vector<Difference>& differences) {
    std::vector<double> excess;
    for (const Difference& one : differences) {
      if (one.row->activity == Activity::kLaunching) excess.push_back(one.of.excess_ns);
    }
    if (excess.size() < 4) return 0;
    const double middle = median(excess);
    return std::max(0.0, middle) + spread_about(excess, middle);
  }

  [[nodiscard]] std::optional<Cause> slow_clocks(std::uint32_t rank) const {
    const Speed& own = speeds_[rank];
    std::vector<double> others;
    for (std::uint32_t i = 0; i < speeds_.size(); ++i) {
      if (i != rank && speeds_[i].others_ns > 0) others.push_back(speeds_[i].factor);
    }
    const double middle = others.empty() ? 1 : median(others);
    const double spread = others.size() < 3 ? 0 : spread_about(others, middle);
    const double excess_ns = own.own_ns - own.others_ns;
    const bool is_slow = own.factor - 1 > std::max(kLeastFactor, kSureOfRanks * spread) &&
                         own.alike > kMostKernels && own.places >= kLeastPlaces &&
                         excess_ns > kLeastOfStep * table_.period_ns(rank);
    if (!is_slow) return std::nullopt;
    Cause made;
    made.kind = CauseKind::kClocks;
    made.excess_ns = excess_ns;
    made.own_ns = own.own_ns;
    made.others_ns = own.others_ns;
    made.steps = own.steps;
    return made;
  }

  PlaceTable table_;
  std::vector<std::vector<Difference>> differences_;  // by rank
  std::vector<Speed> speeds_;
  std::vector<std::vector<Cause>> found_;
};

}  // namespace

std::string_view name(CauseKind kind) {
  switch (kind) {
    case CauseKind::kHost:
      return "host";
    case CauseKind::kWork:
      return "work";
    case CauseKind::kSizes:
      return "sizes";
    case CauseKind::kCopy:
      return "copy";
    case CauseKind::kClocks:
      return "clocks";
    case CauseKind::kLink:
      break;
  }
  return "link";
}

std::vector<std::vector<Cause>> find_causes(const JoinedRun& run) {
  return CauseFinder(run).find();
}

}  // namespace prof::ranks
