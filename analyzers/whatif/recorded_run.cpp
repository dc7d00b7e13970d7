// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/recorded_run.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/timeline/idle_cause.hpp"
#include "libprof/model/times.hpp"

namespace prof::whatif {

namespace {

/// Windows are of fewer works (step_window.cpp), unless steps are numbered alike: then calls that
/// neither launch nor wait are left out, and then what is behind.
constexpr std::size_t kMost = 4'000'000;

}  // namespace

CallKind kind_of_call(std::string_view function) {
  const auto has = [&](std::string_view part) { return function.find(part) != function.npos; };
  if (has("GraphLaunch")) return CallKind::kGraphLaunch;
  if (has("Launch")) return CallKind::kLaunch;
  if (has("EventRecord")) return CallKind::kRecordEvent;
  if (has("StreamWaitEvent")) return CallKind::kStreamWait;
  switch (cause_of_call(function)) {
    case IdleCause::kSynchronize:
      if (has("StreamSynchronize")) return CallKind::kWaitStream;
      return has("EventSynchronize") ? CallKind::kWaitEvent : CallKind::kWaitAll;
    case IdleCause::kCopy:
      return has("Memset") || has("Async") ? CallKind::kCopy : CallKind::kCopyInCall;
    case IdleCause::kAllocate:
      return CallKind::kAllocate;
    default:
      return CallKind::kOther;
  }
}

RunRecorder::RunRecorder(TraceReader& trace, HostWindow window) : window_(window) {
  read_calls(trace);
  if (status_) read_waits(trace);
}

std::uint16_t RunRecorder::stream_of(std::uint32_t context, std::uint32_t stream) {
  const auto number = static_cast<std::uint16_t>(streams_.size());
  return streams_.try_emplace({context, stream}, number).first->second;
}

void RunRecorder::read_calls(TraceReader& trace) {
  std::unordered_map<std::uint32_t, CallKind> kinds;     // by function
  std::unordered_map<std::uint32_t, std::uint16_t> ids;  // by thread
  const auto calls = trace.api_calls();
  while (const ApiCallRow* const call = calls->next()) {
    if (call->depth != 0 || !call->start_ns || !call->duration_ns) continue;
    if (!window_.has(*call->start_ns)) continue;
    const auto [kind, is_new] = kinds.try_emplace(call->function.value);
    if (is_new) kind->second = kind_of_call(trace.string(call->function));
    if (skips_others_ && kind->second == CallKind::kOther) continue;
    const auto thread =
        ids.try_emplace(call->thread.value, static_cast<std::uint16_t>(ids.size())).first->second;
    run_.calls.push_back({*call->start_ns, sum_of_times(*call->start_ns, *call->duration_ns),
                          call->correlation, call->function, kind->second, thread, std::nullopt});
    if (run_.calls.size() == kMost) make_room();
  }
  status_ = calls->status();
  std::ranges::stable_sort(run_.calls, {}, &RunCall::start_ns);
  call_of_.reserve(run_.calls.size());
  for (std::uint32_t i = 0; i < run_.calls.size(); ++i) {
    call_of_.emplace(run_.calls[i].correlation, i);
  }
}

/// Calls are stored in any order, so the half that is kept is the earlier one.
void RunRecorder::make_room() {
  std::vector<RunCall>& calls = run_.calls;
  if (!std::exchange(skips_others_, true)) {
    std::erase_if(calls, [](const RunCall& call) { return call.kind == CallKind::kOther; });
  }
  if (calls.size() <= kMost / 2) return;
  run_.is_cut = true;
  const auto middle = calls.begin() + kMost / 2;
  std::ranges::nth_element(calls, middle, {}, &RunCall::start_ns);
  window_.end_ns = middle->start_ns - 1;
  std::erase_if(calls, [&](const RunCall& call) { return !window_.has(call.start_ns); });
}

void RunRecorder::read_waits(TraceReader& trace) {
  const auto waits = trace.synchronizations();
  while (const SyncRow* const wait = waits->next()) {
    const auto call = call_of_.find(wait->correlation);
    const bool has_stream =
        wait->type == SyncRecord::Type::kStream || wait->type == SyncRecord::Type::kStreamWaitEvent;
    if (call == call_of_.end() || !has_stream) continue;
    run_.calls[call->second].stream = stream_of(wait->context, wait->stream);
  }
  status_ = waits->status();
}

std::optional<std::uint32_t> RunRecorder::add(const GpuRow& row, bool is_transfer) {
  if (!row.has_times()) return std::nullopt;
  if (!window_.has(row.launch_time_ns().value_or(row.start_ns))) return std::nullopt;
  if (run_.works.size() == kMost) {
    run_.is_cut = true;
    return std::nullopt;
  }
  RunWork work;
  work.start_ns = row.start_ns;
  work.end_ns = sum_of_times(row.start_ns, row.duration_ns);
  if (const auto call = call_of_.find(row.launch); row.launched && call != call_of_.end()) {
    work.call = call->second;
  }
  work.device = row.device;
  work.stream = stream_of(row.context, row.stream);
  if (row.kind != GpuRow::Kind::kKernel) {
    work.kind = NodeKind::kCopy;
    work.is_pageable =
        row.source == MemoryKind::kPageable || row.destination == MemoryKind::kPageable;
  } else if (is_transfer) {
    work.kind = NodeKind::kTransfer;
  }
  work.is_of_graph = row.origin == Origin::kGraph;
  run_.works.push_back(work);
  return static_cast<std::uint32_t>(run_.works.size() - 1);
}

RecordedRun RunRecorder::finish(std::vector<RunStep> steps) {
  run_.steps = std::move(steps);
  call_of_ = {};
  return std::exchange(run_, {});
}

}  // namespace prof::whatif
