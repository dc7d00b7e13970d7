// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/idle_causes.hpp"

#include <algorithm>
#include <iterator>

#include "libprof/model/times.hpp"

namespace prof {
namespace {

struct Word {
  std::string_view part;
  IdleCause cause;
};
/// What a function's name has in it, the first that applies.
constexpr Word kWords[] = {
    {"Graph", IdleCause::kGraph},
    {"Synchronize", IdleCause::kSynchronize},
    {"Malloc", IdleCause::kAllocate},
    {"Free", IdleCause::kAllocate},
    {"HostAlloc", IdleCause::kAllocate},
    {"HostRegister", IdleCause::kAllocate},
    {"HostUnregister", IdleCause::kAllocate},
    {"MemAlloc", IdleCause::kAllocate},
    {"MemCreate", IdleCause::kAllocate},
    {"MemMap", IdleCause::kAllocate},
    {"MemUnmap", IdleCause::kAllocate},
    {"MemRelease", IdleCause::kAllocate},
    {"MemSetAccess", IdleCause::kAllocate},
    {"MemPool", IdleCause::kAllocate},
    {"Memcpy", IdleCause::kCopy},
    {"Memset", IdleCause::kCopy},
    {"Module", IdleCause::kLoad},
    {"Library", IdleCause::kLoad},
    {"FuncGetAttributes", IdleCause::kLoad},
    {"KernelGetFunction", IdleCause::kLoad},
};

}  // namespace

std::string_view name(IdleCause cause) {
  static constexpr std::string_view kNames[] = {"turnaround", "stream",   "launch", "synchronize",
                                                "copy",       "allocate", "graph",  "load",
                                                "host",       "unknown"};
  return kNames[static_cast<std::size_t>(cause)];
}

IdleCause cause_of_call(std::string_view function) {
  const auto found = std::ranges::find_if(
      kWords, [&](const Word& word) { return function.find(word.part) != function.npos; });
  return found == std::end(kWords) ? IdleCause::kUnknown : found->cause;
}

IdleCauses::IdleCauses(TraceReader& trace) {
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
  finish();
}

void IdleCauses::add_call(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns,
                          IdleCause cause) {
  calls_[thread.value].add({begin_ns, end_ns, cause});
}

void IdleCauses::finish() {
  for (auto& [thread, calls] : calls_) calls.finish();
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
  const bool ran_dry = waited(next.thread, begin_ns) || waited(next.before, begin_ns);
  on_its_way_ = ran_dry ? IdleCause::kSynchronize : IdleCause::kLaunch;
  before_launch(begin_ns, launch, next);
  put(launch, called, next.call != IdleCause::kUnknown ? next.call : on_its_way_);
  put(called, end_ns, on_its_way_);
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
      host_time(now, call_begin, called, next);
      now = std::clamp(call.end_ns, call_begin, end_ns);
      put(call_begin, now, call.cause);
      called = call.end_ns;
    }
  }
  host_time(now, end_ns, called, next);
}

void IdleCauses::host_time(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t called_ns,
                           const NextWork& next) {
  if (begin_ns >= end_ns) return;
  const std::int64_t since = std::max(called_ns, next.quiet_begin_ns);
  const bool is_quiet = difference_of_times(next.quiet_end_ns, since) >= kQuietNs;
  const std::int64_t quiet_begin = std::clamp(since, begin_ns, end_ns);
  const std::int64_t quiet_end = std::clamp(next.quiet_end_ns, quiet_begin, end_ns);
  put(begin_ns, quiet_begin, on_its_way_);
  put(quiet_begin, quiet_end, is_quiet ? IdleCause::kHost : on_its_way_);
  put(quiet_end, end_ns, on_its_way_);
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
