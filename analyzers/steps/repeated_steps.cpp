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

RepeatedSteps::Position RepeatedSteps::position_of(const GpuRow& row) {
  Position position;
  if (plan_.empty() || !can_repeat(row)) return position;
  const auto step = steps_.index_at(row.launch_start_ns);
  if (!step) return position;
  position.kind = repeat_kind(row);
  position.step = *step;
  position.thread = row.thread;
  if (*step > latest_) {
    latest_ = *step;
    forget_before(latest_);
  }
  const StepRepeats& own = plan_[*step];
  if (own.is_marked) {
    if (own.last_repeat == StepRepeats::kNone) return position;
    position.role = Role::kSource;
  } else {
    position.source = own.source[static_cast<std::size_t>(position.kind)];
    position.role = position.source == StepRepeats::kNone ? Role::kUnmarked : Role::kRepeat;
    if (position.role == Role::kUnmarked) return position;
  }
  position.index = lane_of(*step, position).launched++;
  return position;
}

void RepeatedSteps::record(const Position& position, const Attribution& meaning) {
  std::vector<Attribution>& meanings = lane_of(position.step, position).meanings;
  meanings.resize(position.index + std::size_t{1});
  Attribution& to = meanings[position.index];
  to = meaning;
  to.op = inherited(meaning.op);
  to.seq = {};
}

bool RepeatedSteps::repeat(const Position& position, Attribution& to) {
  const std::vector<Attribution>& meanings = lane_of(position.source, position).meanings;
  if (position.index >= meanings.size() || meanings[position.index].op == nullptr) return false;
  const std::optional<std::int64_t> step = to.step, step_end_ns = to.step_end_ns;
  to = meanings[position.index];
  to.step = step;
  to.step_end_ns = step_end_ns;
  to.is_repeat = true;
  if (ids_of_ != position.step) {
    ids_of_ = position.step;
    ids_.begin_replay();
  }
  to.replay_id = ids_.first();
  for (std::uint64_t* const id : {&to.op_id, &to.call_id}) {
    if (*id != 0) *id = ids_.of(*id);
  }
  return true;
}

RepeatedSteps::Lane& RepeatedSteps::lane_of(std::uint32_t step, const Position& position) {
  return open_[step][{position.thread.value, position.kind}];
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
