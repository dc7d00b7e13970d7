// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/repeated_steps.hpp"

namespace prof {
namespace {

/// Above all ids of graphs' replays.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 44U;
/// Threads launch beside each other: work of a step may come after work of the next ones.
constexpr std::uint32_t kStepsKept = 4;

}  // namespace

RepeatedSteps::RepeatedSteps(TraceReader& reader, const StepRanges& steps, std::size_t max_entries)
    : steps_(steps), max_entries_(max_entries), ids_(max_entries, kFirstId) {
  auto plan = plan_repeats(reader, steps);
  if (plan) {
    plan_ = std::move(*plan);
  } else {
    status_ = plan.error();
  }
}

RepeatedSteps::Place RepeatedSteps::place(const GpuRow& row) {
  Place place;
  if (plan_.empty() || !can_repeat(row)) return place;
  const auto step = steps_.index_at(row.launch_start_ns);
  if (!step) return place;
  place.kind = repeat_kind(row);
  place.step = *step;
  place.thread = row.thread;
  if (*step > latest_) {
    latest_ = *step;
    forget_before(latest_);
  }
  const StepRepeats& own = plan_[*step];
  if (own.is_marked) {
    if (own.last_repeat == StepRepeats::kNone) return place;
    place.role = Role::kSource;
  } else {
    place.source = own.source[static_cast<std::size_t>(place.kind)];
    place.role = place.source == StepRepeats::kNone ? Role::kUnmarked : Role::kRepeat;
    if (place.role == Role::kUnmarked) return place;
  }
  place.index = lane_of(*step, place).launched++;
  return place;
}

void RepeatedSteps::record(const Place& place, const Attribution& meaning) {
  std::vector<Attribution>& meanings = lane_of(place.step, place).meanings;
  meanings.resize(place.index + std::size_t{1});
  Attribution& to = meanings[place.index];
  to = meaning;
  to.op = inherited(meaning.op);
  to.seq.reset();
  to.altseq.clear();
}

const Attribution* RepeatedSteps::take(const Place& place) {
  const std::vector<Attribution>& meanings = lane_of(place.source, place).meanings;
  if (place.index >= meanings.size() || meanings[place.index].op == nullptr) return nullptr;
  told_ = meanings[place.index];
  if (ids_of_ != place.step) {
    ids_of_ = place.step;
    ids_.begin_replay();
  }
  told_.replay_id = ids_.first();
  for (std::uint64_t* const id : {&told_.op_id, &told_.call_id}) {
    if (*id != 0) *id = ids_.of(*id);
  }
  return &told_;
}

RepeatedSteps::Lane& RepeatedSteps::lane_of(std::uint32_t step, const Place& place) {
  return open_[step][{place.thread.value, place.kind}];
}

void RepeatedSteps::forget_before(std::uint32_t step) {
  std::erase_if(open_, [&](const auto& one) {
    const std::uint32_t last = plan_[one.first].last_repeat;
    return (last == StepRepeats::kNone ? one.first : last) + kStepsKept < step;
  });
}

std::shared_ptr<const OpAttribution> RepeatedSteps::inherited(
    const std::shared_ptr<const OpAttribution>& op) {
  if (inherited_.size() > max_entries_) inherited_.clear();
  auto& known = inherited_[op];
  if (known != nullptr) return known;
  auto made = std::make_shared<OpAttribution>(*op);
  for (Provenance* const from : {&made->layer_from, &made->op_from, &made->direction_from,
                                 &made->shapes_from, &made->dtype_from}) {
    if (*from == Provenance::kExact) *from = Provenance::kInherited;
  }
  return known = std::move(made);
}

}  // namespace prof
