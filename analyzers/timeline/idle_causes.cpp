// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/idle_causes.hpp"

#include <algorithm>
#include <iterator>

#include "libprof/model/times.hpp"

namespace prof {

IdleCauses::IdleCauses(TraceReader& trace) : activities_(trace) {
  const auto calls = trace.api_calls();
  std::unordered_map<std::uint32_t, IdleCause> known;  // by function
  while (const ApiCallRow* call = calls->next()) {
    if (call->depth != 0 || !call->start_ns || !call->duration_ns) continue;
    auto [function, is_new] = known.try_emplace(call->function.value);
    if (is_new) function->second = cause_of_call(trace.string(call->function));
    if (function->second == IdleCause::kUnknown) continue;
    add_call(call->thread, *call->start_ns, sum_of_times(*call->start_ns, *call->duration_ns),
             function->second);
  }
  status_ = calls->status();
  if (status_) status_ = activities_.status();
  finish();
}

void IdleCauses::add_call(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns,
                          IdleCause cause) {
  calls_[thread.value].add({begin_ns, end_ns, cause});
  has_waits_ = has_waits_ || cause == IdleCause::kSynchronize;
}

void IdleCauses::finish() {
  for (auto& [thread, calls] : calls_) calls.finish();
  activities_.finish();
}

const std::vector<IdlePart>& IdleCauses::of(std::int64_t begin_ns, std::int64_t end_ns,
                                            const NextWork& next) {
  parts_.clear();
  if (!next.launched) {
    put(begin_ns, end_ns, IdleCause::kUnknown);
    return parts_;
  }
  const std::int64_t launch = std::clamp(next.launch_begin_ns, begin_ns, end_ns);
  const std::int64_t called = std::clamp(next.launch_end_ns, launch, end_ns);
  if (next.launch_end_ns <= begin_ns) {
    put(launch, end_ns, next.is_other_stream ? IdleCause::kStream : IdleCause::kTurnaround);
    return parts_;
  }
  ran_dry_ = waited(next.thread, begin_ns) || waited(next.before, begin_ns);
  before_launch(begin_ns, launch, next);
  const IdleCause on_its_way = ran_dry_ ? IdleCause::kSynchronize : IdleCause::kLaunch;
  put(launch, called, next.call != IdleCause::kUnknown ? next.call : on_its_way);
  put(called, end_ns, on_its_way);
  activities_.explain(next.thread, parts_);
  return parts_;
}

/// The thread waited for the GPU when that ran dry: had it not, it would have launched meanwhile.
bool IdleCauses::waited(ThreadId thread, std::int64_t begin_ns) const {
  const auto found = calls_.find(thread.value);
  if (found == calls_.end()) return false;
  const CallLog& calls = found->second;
  std::size_t i = calls.first_ending_from(difference_of_times(begin_ns, kClockSlackNs));
  for (; i != calls.size() && calls[i].begin_ns <= begin_ns; ++i) {
    if (calls[i].cause == IdleCause::kSynchronize) return true;
  }
  return false;
}

std::int64_t IdleCauses::waited_ns(std::int64_t begin_ns, std::int64_t end_ns) const {
  std::int64_t longest = 0;
  for (const auto& [thread, calls] : calls_) {
    std::int64_t waited = 0;
    for (std::size_t i = calls.first_ending_after(begin_ns); i != calls.size(); ++i) {
      const CallLog::Call& call = calls[i];
      if (call.begin_ns >= end_ns) break;
      if (call.cause != IdleCause::kSynchronize && call.cause != IdleCause::kCopy) continue;
      waited += std::min(call.end_ns, end_ns) - std::max(call.begin_ns, begin_ns);
    }
    longest = std::max(longest, waited);
  }
  return longest;
}

/// The thread's calls, and what is between them.
void IdleCauses::before_launch(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next) {
  std::int64_t now = begin_ns, called = INT64_MIN;
  if (const auto found = calls_.find(next.thread.value); found != calls_.end()) {
    const CallLog& calls = found->second;
    // A thread's calls follow each other, so their ends are in order, too.
    std::size_t i = calls.first_ending_after(begin_ns);
    if (i != 0) called = calls[i - 1].end_ns;
    for (; i != calls.size(); ++i) {
      const CallLog::Call call = calls[i];
      if (call.begin_ns >= end_ns) break;
      const std::int64_t call_begin = std::clamp(call.begin_ns, now, end_ns);
      host_time(now, call_begin, called, call.cause, next);
      now = std::clamp(call.end_ns, call_begin, end_ns);
      put(call_begin, now, call.cause);
      called = call.end_ns;
    }
  }
  host_time(now, end_ns, called, next.call, next);
}

void IdleCauses::host_time(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t called_ns,
                           IdleCause next_cause, const NextWork& next) {
  if (begin_ns >= end_ns) return;
  const WayToLaunch& way = next.way;
  const bool is_compiling = next_cause == IdleCause::kCompile;
  const std::int64_t since = std::max(called_ns, way.quiet_begin_ns);
  const std::int64_t until = is_compiling ? end_ns : way.quiet_end_ns;
  // A wait is evidence, too: what follows it is the way to the next launch.
  const bool has_evidence = way.has_ops || is_compiling || ran_dry_;
  const std::int64_t least = has_evidence ? kQuietNs : kQuietWithoutOpsNs;
  const bool is_quiet = difference_of_times(until, since) >= least;
  if (!is_quiet) return on_the_way(begin_ns, end_ns, next);
  const std::int64_t quiet_begin = std::clamp(since, begin_ns, end_ns);
  const std::int64_t quiet_end = std::clamp(until, quiet_begin, end_ns);
  const bool is_python =
      way.is_quiet_in_code && way.python_begin_ns < quiet_end && quiet_begin < way.python_end_ns;
  on_the_way(begin_ns, quiet_begin, next);
  const IdleCause host = is_python ? IdleCause::kPython : IdleCause::kHost;
  put(quiet_begin, quiet_end, is_compiling ? IdleCause::kCompile : host);
  on_the_way(quiet_end, end_ns, next);
}

/// Had the host not waited for the GPU before, it would have come this way in time.
void IdleCauses::on_the_way(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next) {
  if (ran_dry_) return put(begin_ns, end_ns, IdleCause::kSynchronize);
  const std::int64_t python_begin = std::clamp(next.way.python_begin_ns, begin_ns, end_ns);
  const std::int64_t python_end = std::clamp(next.way.python_end_ns, python_begin, end_ns);
  put(begin_ns, python_begin, IdleCause::kLaunch);
  put(python_begin, python_end, IdleCause::kPython);
  put(python_end, end_ns, IdleCause::kLaunch);
}

void IdleCauses::put(std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause) {
  if (begin_ns >= end_ns) return;
  if (!parts_.empty() && parts_.back().cause == cause && parts_.back().end_ns == begin_ns) {
    parts_.back().end_ns = end_ns;
    return;
  }
  parts_.push_back({begin_ns, end_ns, cause});
}

}  // namespace prof
