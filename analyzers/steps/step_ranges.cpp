// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/step_ranges.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analyzers/loops/find_steps.hpp"
#include "libprof/base/glob.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

/// The reasons why a range is a step, the strongest first.
enum class StepSource : std::uint8_t { kNamed, kStated, kEngine, kCall, kNone };
constexpr std::size_t kStepSources = static_cast<std::size_t>(StepSource::kNone);

struct StepText {
  StepSource source = StepSource::kNone;
  std::optional<std::int64_t> number = {};
  bool is_unmarked = false;  // no step: what begins in it is not marked
};

}  // namespace

/// Collects what may be steps, by what makes them so.
class StepRanges::Finder {
 public:
  Finder(TraceReader& reader, const dialects::Registry& dialects, const RangeOptions& options)
      : reader_(reader), dialects_(dialects), options_(options) {
    reader.process_ranges([this](const TextRangeRow& range) { add_of_process(range); });
    reader.thread_ranges(
        [this](DomainId domain, std::string_view text) {
          return read(domain, text).source != StepSource::kNone;
        },
        [this](const TextRangeRow& range) {
          add(range, read(range.domain, range.text), range.id);
        });
  }

  /// In order of begin.
  std::vector<Step> take() {
    std::vector<Step>& steps = found_[static_cast<std::size_t>(source())];
    std::ranges::stable_sort(steps, {}, &Step::start_ns);
    return std::move(steps);
  }
  /// Whether they state their numbers.
  [[nodiscard]] bool are_numbered() const { return source() == StepSource::kStated; }

 private:
  [[nodiscard]] const std::vector<Step>& of(StepSource source) const {
    return found_[static_cast<std::size_t>(source)];
  }

  [[nodiscard]] StepSource source() const {
    if (!options_.steps.empty()) return StepSource::kNamed;
    // A training step that nothing ends: the program calls its model, and trains nothing.
    const bool is_one_for_all = of(StepSource::kStated).size() == 1;
    if (is_one_for_all && of(StepSource::kCall).size() > 1) return StepSource::kCall;
    for (const StepSource one : {StepSource::kStated, StepSource::kEngine}) {
      if (!of(one).empty()) return one;
    }
    return StepSource::kCall;
  }

  [[nodiscard]] StepText read(DomainId domain, std::string_view text) const {
    const std::string_view domain_name = reader_.domain_name(domain);
    if (!options_.steps.empty()) {
      const bool is_named =
          matches_any(text, options_.steps) ||
          (domain != kDefaultDomain &&
           matches_any(std::string(domain_name).append(":").append(text), options_.steps));
      if (is_named) return {.source = StepSource::kNamed};
    }
    const bool is_read = domain == kDefaultDomain ||
                         std::ranges::find(options_.domains, domain_name) != options_.domains.end();
    if (!is_read) return {};
    const dialects::RangeMeaning meaning = dialects_.parse({text, {}, true});
    if (const auto* step = meaning.as<StepNumber>()) {
      return {.source = StepSource::kStated, .number = step->number};
    }
    if (meaning.is<EngineIteration>()) return {.source = StepSource::kEngine};
    if (meaning.is<ModelCall>()) return {.source = StepSource::kCall};
    return {.is_unmarked = meaning.is<Unmarked>()};
  }

  void add_of_process(const TextRangeRow& range) {
    const StepText text = read(range.domain, range.text);
    if (text.is_unmarked) {
      unmarked_until_ns_ = std::max(unmarked_until_ns_, range.end_ns.value_or(INT64_MAX));
    }
    if (text.source != StepSource::kNone) add(range, text, 0);
  }

  void add(const TextRangeRow& range, const StepText& text, RangeId on_stack) {
    if (text.source == StepSource::kNone) return;
    found_[static_cast<std::size_t>(text.source)].push_back(
        {.start_ns = range.start_ns,
         .end_ns = range.end_ns.value_or(INT64_MAX),
         .number = text.number.value_or(0),
         .on_stack = on_stack,
         .is_marked = on_stack != 0 || range.start_ns >= unmarked_until_ns_});
  }

  TraceReader& reader_;
  const dialects::Registry& dialects_;
  const RangeOptions& options_;
  std::int64_t unmarked_until_ns_ = INT64_MIN;
  std::array<std::vector<Step>, kStepSources> found_;
};

StepRanges::StepRanges(TraceReader& reader, const dialects::Registry& dialects,
                       const RangeOptions& options) {
  Finder finder(reader, dialects, options);
  const bool are_numbered = finder.are_numbered();
  steps_ = finder.take();
  if (steps_.empty() && options.steps.empty() && options.found_steps != nullptr) {
    for (const FoundStep& step : options.found_steps->of(reader, options).steps) {
      steps_.push_back({.start_ns = step.begin_ns, .end_ns = step.end_ns});
    }
    are_found_ = !steps_.empty();
  }
  std::int64_t latest_end_ns = INT64_MIN;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    if (!are_numbered) step.number = i;
    latest_end_ns = std::max(latest_end_ns, step.end_ns);
    step.latest_end_ns = latest_end_ns;
    all_marked_ = all_marked_ && step.is_marked;
    if (step.on_stack != 0 && on_stacks_.find(step.on_stack) == nullptr) {
      on_stacks_.insert(step.on_stack, i);
    }
  }
}

std::optional<OpenStep> StepRanges::open_at(std::int64_t time_ns) const {
  const auto index = index_at(time_ns);
  return index ? std::optional(step(*index)) : std::nullopt;
}

bool StepRanges::is_around_step(std::int64_t begin_ns, std::int64_t end_ns) const {
  constexpr double kMostOfStep = 0.9;
  auto step = std::ranges::upper_bound(steps_, begin_ns, {}, &Step::start_ns);
  if (step != steps_.begin()) --step;
  std::size_t missing = are_found_ ? 2 : 1;
  for (; step != steps_.end() && step->start_ns < end_ns && missing > 0; ++step) {
    if (step->end_ns == INT64_MAX) continue;
    const std::int64_t inside =
        difference_of_times(std::min(step->end_ns, end_ns), std::max(step->start_ns, begin_ns));
    const std::int64_t whole = difference_of_times(step->end_ns, step->start_ns);
    const double least = step->on_stack != 0 ? 1 : kMostOfStep;
    if (inside > 0 && static_cast<double>(inside) >= least * static_cast<double>(whole)) --missing;
  }
  return missing == 0;
}

std::optional<std::uint32_t> StepRanges::index_at(std::int64_t time_ns) const {
  auto after = std::ranges::upper_bound(steps_, time_ns, {}, &Step::start_ns);
  while (after != steps_.begin()) {
    const Step& step = *--after;
    if (time_ns < step.end_ns) return static_cast<std::uint32_t>(after - steps_.begin());
    if (time_ns >= step.latest_end_ns) break;
  }
  return std::nullopt;
}

}  // namespace prof
