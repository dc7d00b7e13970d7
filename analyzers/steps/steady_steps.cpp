// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/steady_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "libprof/base/statistics.hpp"

namespace prof {
namespace {

/// Steps of equal work may differ by less: what depends on data, such as experts that get no token.
constexpr double kWorkSpread = 0.1;
/// Halves of fewer steps have no median that a single one does not decide.
constexpr std::size_t kLeastHalf = 3;
/// Fewer steps that all differ in their work may be parts of a step, or its start-up.
constexpr std::size_t kLeastUnlike = 4;
/// A period is unusual beyond so many standard deviations, and beyond that part of the median.
constexpr double kManyDeviations = 5, kLeastPart = 0.01;
/// Likewise for the first ones, if so many settled ones follow: a pipeline that fills shortens the
/// first step of a stage by a tenth, a capture that begins lengthens it.
constexpr double kLeadPart = 0.05;
constexpr std::size_t kLeastBehind = 5;

using Places = std::vector<std::size_t>;  // of steps, in order of time
using Periods = std::vector<std::int64_t>;

double median_of(const Periods& periods, std::size_t begin, std::size_t end) {
  Periods part(periods.begin() + static_cast<std::ptrdiff_t>(begin),
               periods.begin() + static_cast<std::ptrdiff_t>(end));
  return median(part);
}

/// How far from the median of the usual periods others may be.
double most_apart(const Periods& usual, double median_ns, double least_part) {
  return std::max(kManyDeviations * spread_about(usual, median_ns), least_part * median_ns);
}

bool leads_apart(const Periods& periods, std::size_t begin) {
  const Periods behind(periods.begin() + static_cast<std::ptrdiff_t>(begin) + 1, periods.end());
  if (behind.size() < kLeastBehind) return false;
  const double median_ns = median_of(behind, 0, behind.size());
  return std::abs(static_cast<double>(periods[begin]) - median_ns) >
         most_apart(behind, median_ns, kLeadPart);
}

/// Where the last run of settled time begins: at the first period that is near the median of those
/// behind it, unless all take another time in the second half than in the first.
std::size_t settled_from(const Periods& periods) {
  const std::size_t end = periods.size();
  std::size_t begin = 0;
  while (begin + 1 < end) {
    if (!are_near(static_cast<double>(periods[begin]), median_of(periods, begin + 1, end))) {
      ++begin;
      continue;
    }
    const std::size_t half = (end - begin) / 2;
    if (half < kLeastHalf) break;
    if (are_near(median_of(periods, begin, begin + half), median_of(periods, end - half, end))) {
      break;
    }
    begin += half;
  }
  while (leads_apart(periods, begin)) ++begin;
  return begin;
}

/// Numbers apart by a tenth or less, one after the other, have the same label.
std::vector<std::size_t> labels_of(const std::vector<double>& values) {
  std::vector<std::pair<double, std::size_t>> sorted;
  for (std::size_t i = 0; i < values.size(); ++i) sorted.emplace_back(values[i], i);
  std::ranges::sort(sorted);
  std::vector<std::size_t> labels(values.size());
  std::size_t label = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i != 0 && sorted[i].first > (1 + kWorkSpread) * sorted[i - 1].first) ++label;
    labels[sorted[i].second] = label;
  }
  return labels;
}

using WorkKey = std::array<std::size_t, 3>;  // equal for equal work

std::vector<WorkKey> works_of(const std::vector<StepForm>& steps) {
  std::array<std::vector<double>, 3> values;
  for (const StepForm& step : steps) {
    values[0].push_back(static_cast<double>(step.kernels));
    values[1].push_back(step.threads);
    values[2].push_back(step.product_ns);
  }
  std::vector<WorkKey> works(steps.size());
  for (std::size_t measure = 0; measure < values.size(); ++measure) {
    const std::vector<std::size_t> labels = labels_of(values[measure]);
    for (std::size_t i = 0; i < steps.size(); ++i) works[i][measure] = labels[i];
  }
  return works;
}

/// Steps of equal work, and what is usual for them.
struct EqualSteps {
  Places places;
  std::size_t first_settled = 0;  // a place
  double median_ns = 0, spread_ns = 0;
  std::vector<StepKind> kinds = {};

  [[nodiscard]] bool is_of_a_kind(std::int64_t period_ns) const {
    return std::ranges::any_of(kinds, [&](const StepKind& kind) { return kind.has(period_ns); });
  }
};

class StepJudge {
 public:
  explicit StepJudge(const std::vector<StepForm>& steps) : steps_(steps) {
    result_.steps.resize(steps.size());
  }

  SteadySteps judge() {
    find_those_that_count();
    if (counting_.empty()) return std::move(result_);
    find_works();
    find_usual_work();
    std::size_t steady = 0;
    for (const std::size_t place : counting_) {
      judge(place);
      if (result_.steps[place].is_steady()) ++steady;
    }
    // One alone may be the next to last of those that warm up.
    result_.is_settled = (steady > 1 && !is_unlike_) || !is_one_of_several_;
    for (std::size_t i = 0; i < steps_.size(); ++i) compare(i);
    return std::move(result_);
  }

 private:
  void find_those_that_count() {
    for (const StepForm& step : steps_) result_.is_marked = result_.is_marked && step.repeats == 0;
    Places at_full_speed, cut_off;
    OutsideWork outside;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const StepForm& step = steps_[i];
      if (step.kernels == 0) continue;
      if (!step.is_whole) result_.steps[i].standing = StepStanding::kCutOff;
      if (!result_.is_marked && step.repeats == 0) {
        if (step.is_whole) result_.steps[i].standing = StepStanding::kMarked;
        continue;
      }
      (step.is_whole ? at_full_speed : cut_off).push_back(i);
      if (step.is_whole) outside.add(step.period_ns, step.outside_ns);
    }
    outside.finish();
    for (const std::size_t i : at_full_speed) {
      if (outside.is_much(steps_[i].outside_ns)) {
        result_.steps[i].standing = StepStanding::kOutside;
        result_.outside.add(steps_[i].outside_ns);
      } else {
        counting_.push_back(i);
      }
    }
    is_one_of_several_ = at_full_speed.size() + cut_off.size() > 1;
    // A cut-off step is better than none.
    if (counting_.empty()) counting_ = cut_off;
  }

  void find_works() {
    works_ = works_of(steps_);
    std::map<WorkKey, std::size_t> sizes;
    for (const std::size_t place : counting_) ++sizes[works_[place]];
    const auto alone = static_cast<std::size_t>(
        std::ranges::count_if(sizes, [](const auto& one) { return one.second == 1; }));
    // Work that seldom comes again proves nothing.
    if (2 * alone > counting_.size()) {
      std::ranges::fill(works_, WorkKey{});
      is_unlike_ = counting_.size() > 1 && counting_.size() < kLeastUnlike;
    }
    for (const std::size_t place : counting_) equal_[works_[place]].places.push_back(place);
    for (auto& [work, steps] : equal_) settle(steps);
  }

  void settle(EqualSteps& equal) const {
    Periods periods;
    for (const std::size_t place : equal.places) periods.push_back(steps_[place].period_ns);
    StepKinds found = find_kinds(periods);
    const std::size_t begin = found.kinds.empty() ? settled_from(periods) : found.begin;
    equal.kinds = std::move(found.kinds);
    equal.first_settled = equal.places[begin];
    equal.median_ns = median_of(periods, begin, periods.size());
    periods.erase(periods.begin(), periods.begin() + static_cast<std::ptrdiff_t>(begin));
    equal.spread_ns = most_apart(periods, equal.median_ns, kLeastPart);
  }

  /// The work that most of the later half of the steps have; of two the one that takes more time.
  void find_usual_work() {
    std::map<WorkKey, std::pair<std::size_t, double>> found;
    for (std::size_t i = counting_.size() / 2; i < counting_.size(); ++i) {
      auto& [count, time] = found[works_[counting_[i]]];
      ++count;
      time += static_cast<double>(steps_[counting_[i]].period_ns);
    }
    const auto most = std::ranges::max_element(
        found, {}, [](const auto& one) -> const auto& { return one.second; });
    usual_ = &equal_.at(most->first);
    result_.kinds = usual_->kinds;
    first_steady_ = usual_->first_settled;
    for (const auto& [work, steps] : equal_) {
      if (takes_usual_time(steps)) first_steady_ = std::min(first_steady_, steps.first_settled);
    }
  }

  /// Other work that takes the same time is as good as equal.
  [[nodiscard]] bool takes_usual_time(const EqualSteps& steps) const {
    return are_near(steps.median_ns, usual_->median_ns);
  }

  void judge(std::size_t place) {
    StepStanding& standing = result_.steps[place].standing;
    const EqualSteps& equal = equal_.at(works_[place]);
    const bool is_other = &equal != usual_;
    if (equal.places.size() > 1 && !takes_usual_time(equal)) {
      standing = StepStanding::kOtherWork;
    } else if (place < first_steady_) {
      standing = StepStanding::kWarmsUp;
    } else if (are_near(static_cast<double>(steps_[place].period_ns), usual_->median_ns) ||
               (takes_usual_time(equal) && usual_->is_of_a_kind(steps_[place].period_ns))) {
      standing = StepStanding::kSteady;
    } else {
      standing = is_other ? StepStanding::kOtherWork : StepStanding::kFar;
    }
  }

  void compare(std::size_t place) {
    JudgedStep& step = result_.steps[place];
    if (step.standing == StepStanding::kCutOff || step.standing == StepStanding::kNoKernel) return;
    const auto equal = equal_.find(works_[place]);
    if (equal == equal_.end()) return;
    if (equal->second.places.size() == 1 && counting_.size() > 1) return;  // like no other
    step.median_ns = equal->second.median_ns;
    const double apart = static_cast<double>(steps_[place].period_ns) - *step.median_ns;
    step.is_unusual =
        place >= equal->second.first_settled && std::abs(apart) > equal->second.spread_ns;
  }

  const std::vector<StepForm>& steps_;
  SteadySteps result_;
  Places counting_;
  bool is_one_of_several_ = false;
  bool is_unlike_ = false;      // a few steps, each with work of its own
  std::vector<WorkKey> works_;  // by step
  std::map<WorkKey, EqualSteps> equal_;
  const EqualSteps* usual_ = nullptr;
  std::size_t first_steady_ = 0;  // a place
};

}  // namespace

SteadySteps judge_steps(const std::vector<StepForm>& steps) { return StepJudge(steps).judge(); }

std::string_view unusual_word(const JudgedStep& step, std::int64_t period_ns) {
  switch (step.standing) {
    case StepStanding::kWarmsUp:
      return "warm-up";
    case StepStanding::kOutside:
      return "outside";
    case StepStanding::kMarked:
      return "marked";
    case StepStanding::kCutOff:
      return "last";
    case StepStanding::kNoKernel:
      return "empty";
    case StepStanding::kSteady:
    case StepStanding::kFar:
    case StepStanding::kOtherWork:
      break;
  }
  if (step.is_unusual || step.standing == StepStanding::kFar) {
    return static_cast<double>(period_ns) > step.median_ns.value_or(0) ? "slow" : "fast";
  }
  return step.standing == StepStanding::kOtherWork ? "other" : "";
}

}  // namespace prof
