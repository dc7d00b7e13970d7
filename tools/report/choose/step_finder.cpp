// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/choose/step_finder.hpp"

#include <algorithm>

namespace prof::reports {
namespace {

constexpr std::size_t kMaxKnown = 1U << 16;

}  // namespace

StepFinder::StepFinder(TraceReader& trace, const Choice& choice)
    : trace_(trace),
      texts_(trace, kMaxKnown, choice.domains),
      process_steps_(trace, texts_.dialects()),
      chosen_(choice.step->is_last ? last_step() : *choice.step) {}

bool StepFinder::takes(RangeId innermost, std::optional<std::int64_t> time_ns, StepSet& seen) {
  Step step = on_stack(innermost);
  if (!step && time_ns) step = process_steps_.at(*time_ns);
  if (!step) return false;
  seen.add(*step);
  return chosen_.holds(*step);
}

StepFinder::Step StepFinder::on_stack(RangeId innermost) {
  if (known_.size() >= kMaxKnown) known_.clear();
  path_.clear();
  Step step;
  for (RangeId at = innermost; at != 0 && !step;) {
    if (const auto found = known_.find(at); found != known_.end()) {
      step = found->second;
      break;
    }
    const RangeRef row = trace_.range(at);
    // A parent is older than its child: anything else is damage and could be circular.
    if (!row || row->parent >= at) break;
    path_.push_back(at);
    const RangeRef opened = row->alias_of != 0 ? trace_.range(row->alias_of) : row;
    if (opened) step = stated_by(*opened);
    at = row->parent;
  }
  for (const RangeId id : path_) known_.emplace(id, step);
  return step;
}

StepFinder::Step StepFinder::stated_by(const RangeRow& range) {
  if (range.kind == RangeRecord::Kind::kStartEnd) return {};  // by time
  if (texts_.is_large()) texts_.clear();
  const auto* stated = texts_.parse(range).meaning.as<StepNumber>();
  return stated != nullptr ? Step(stated->number) : Step();
}

StepChoice StepFinder::last_step() {
  Step last = process_steps_.last();
  for (RangeRef range = trace_.range_after(0); range; range = trace_.range_after(range->id)) {
    last = std::max(last, stated_by(*range));
  }
  return {.first = last.value_or(0), .last = last.value_or(-1), .is_last = true};
}

}  // namespace prof::reports
