// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace's summaries: what is read of it besides its work, and its steps.
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzers/ranks/summarizer.hpp"
#include "analyzers/timeline/idle_causes.hpp"
#include "analyzers/timeline/judged_steps.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/record_cursor.hpp"

namespace prof::ranks {
namespace {

/// Whether both sides of a group of sends and receives number it by this one.
bool goes_to_higher_rank(const CollectiveRecord& message, TraceReader& trace) {
  const bool is_sent = trace.string(message.operation) == "Send";
  return message.rank && message.peer && is_sent == (*message.rank < *message.peer);
}

/// Calls of a group come in the same order on all ranks, so the first one stands for them. Sends
/// and receives between two ranks are known by the first message to the higher rank.
void join_group(const CollectiveRecord& next, TraceReader& trace, CollectiveRecord& group) {
  if (!group.peer && !next.peer) return;
  if (group.peer != next.peer || group.communicator != next.communicator) {
    group.peer.reset();
    group.sequence.reset();
  } else if (!goes_to_higher_rank(group, trace) && goes_to_higher_rank(next, trace)) {
    group = next;
  }
}

/// The library's statements, by launch.
Result<std::unordered_map<Correlation, CollectiveRecord>> stated_in(TraceReader& trace) {
  std::unordered_map<Correlation, CollectiveRecord> found;
  const auto records = records_of<CollectiveRecord>(trace);
  while (const CollectiveRecord* record = records->next()) {
    if (record->correlation == 0) continue;
    const auto [group, is_new] = found.try_emplace(record->correlation, *record);
    if (!is_new) join_group(*record, trace, group->second);
  }
  PROF_TRY(records->status());
  return found;
}

/// Clocks and memory of the GPUs.
Status add_states(TraceReader& trace, std::vector<RankSummary>& to) {
  std::map<std::uint32_t, std::pair<double, double>> clocks;  // by device: sum, count
  const auto states = records_of<DeviceStateRecord>(trace);
  while (const DeviceStateRecord* state = states->next()) {
    for (RankSummary& summary : to) {
      if (summary.device != state->device) continue;
      if (state->sm_clock_mhz) {
        clocks[state->device].first += *state->sm_clock_mhz;
        clocks[state->device].second += 1;
      }
      if (state->memory_used_bytes) {
        const auto used = static_cast<double>(*state->memory_used_bytes);
        summary.memory_bytes = std::max(summary.memory_bytes.value_or(0), used);
      }
    }
  }
  for (RankSummary& summary : to) {
    const auto found = clocks.find(summary.device);
    if (found != clocks.end()) summary.sm_mhz = found->second.first / found->second.second;
  }
  return states->status();
}

using StepsOfDevices = std::map<std::uint32_t, std::vector<StepOfCapture>>;

/// Without steps, all time of a captured part is one.
void add_captured_time(const TimelineSlice& slice, std::vector<StepOfCapture>& steps) {
  const bool is_new = steps.empty() || steps.back().capture != slice.part.capture;
  if (is_new) {
    StepOfCapture& made = steps.emplace_back();
    made.capture = slice.part.capture;
    made.step.begin_ns = slice.time.begin_ns;
    made.step.is_whole = made.step.is_steady = true;
  }
  steps.back().step.end_ns = slice.time.end_ns;
}

/// The timeline's, which reads it to its end.
Result<StepsOfDevices> steps_of(WorkTimeline& timeline) {
  const JudgedSteps judged(timeline);
  StepsOfDevices steps;
  std::map<const ChosenStep*, RankStep*> places;
  for (const auto& [device, of] : judged.devices()) {
    std::vector<StepOfCapture>& made = steps[device];
    made.reserve(of.steps.size());
    for (const ChosenStep& step : of.steps) {
      made.push_back({.capture = step.part.capture,
                      .step = {.step = step.extent.step,
                               .begin_ns = step.extent.begin_ns,
                               .end_ns = step.extent.period_end_ns,
                               .product_ns = step.work->model_products.peak_ns,
                               .is_whole = step.extent.is_whole,
                               .is_steady = step.judged.is_steady()}});
      places.emplace(&step, &made.back().step);
    }
  }
  while (const TimelineSlice* const slice = timeline.next()) {
    RankStep* step = nullptr;
    if (slice->time.step) {
      step = places.at(judged.find(slice->part, slice->time.step));
    } else if (!judged.devices().contains(slice->part.device)) {
      std::vector<StepOfCapture>& made = steps[slice->part.device];
      add_captured_time(*slice, made);
      step = &made.back().step;
    }
    if (step == nullptr) continue;
    add_time(step->state_ns[static_cast<std::size_t>(slice->time.state)],
             difference_of_times(slice->time.end_ns, slice->time.begin_ns));
  }
  PROF_TRY(timeline.status());
  for (const auto& [part, of] : timeline.parts()) {
    if (judged.devices().contains(part.device)) continue;
    for (StepOfCapture& one : steps[part.device]) {
      if (one.capture == part.capture) one.step.product_ns = of.outside.model_products.peak_ns;
    }
  }
  return steps;
}

}  // namespace

Result<std::vector<RankSummary>> summarize(TraceReader& trace, AttributedWork& work) {
  const auto stated = stated_in(trace);
  if (!stated) return stated.error();
  const auto stated_of = [&](Correlation launch) -> const CollectiveRecord* {
    const auto found = stated->find(launch);
    return found != stated->end() ? &found->second : nullptr;
  };
  const IdleCauses calls(trace);
  if (!calls.status()) return calls.status().error();
  OwnLine::Waited waited;
  if (calls.has_waits()) {
    waited = [&](std::int64_t begin_ns, std::int64_t end_ns) {
      return calls.waited_ns(begin_ns, end_ns);
    };
  }
  WorkTimeline timeline(trace, nullptr);
  std::map<std::uint32_t, std::unique_ptr<Summarizer>> devices;
  while (const AttributedRow* row = work.next()) {
    std::unique_ptr<Summarizer>& of = devices[row->gpu.device];
    if (!of) of = std::make_unique<Summarizer>(row->gpu.device, stated_of, waited);
    of->add(*row, capture_of(row->gpu, trace.captures()));
    timeline.add(*row);
  }
  PROF_TRY(work.status());
  const auto steps = steps_of(timeline);
  if (!steps) return steps.error();
  std::vector<RankSummary> made;
  for (auto& [device, summarizer] : devices) {
    const auto found = steps->find(device);
    made.push_back(summarizer->finish(found != steps->end() ? std::span(found->second)
                                                            : std::span<const StepOfCapture>()));
  }
  PROF_TRY(add_states(trace, made));
  return made;
}

}  // namespace prof::ranks
