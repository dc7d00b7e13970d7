// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// MadeProgram: a program on a host and a GPU whose rules are known, which runs in no time and
// records itself. A test runs it twice, as it is and changed, and so knows what a change gains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "analyzers/whatif/recorded_run.hpp"

namespace prof::fakes {

class MadeProgram {
 public:
  static constexpr std::int64_t kLaunchNs = 4'000, kLatencyNs = 2'000, kTurnaroundNs = 1'000;
  static constexpr std::int64_t kWaitCallNs = 2'000, kReturnNs = 3'000, kEventNs = 1'500;

  /// The most launches in a stream's queue.
  std::size_t queue_limit = 1000;
  /// Calls that make a stream wait for another's work are recorded.
  bool records_stream_waits = false;

  /// The host does something else than calls.
  void way(std::int64_t ns, std::uint16_t thread = 0) { host_[thread] += ns; }
  /// A thread goes on when the other has come to that place.
  void follow(std::uint16_t thread, std::uint16_t other) {
    host_[thread] = std::max(host_[thread], host_[other]);
  }
  /// Returns the work's place in the run.
  std::uint32_t launch(std::int64_t ns, std::uint16_t stream = 0, std::uint16_t thread = 0) {
    std::int64_t& now = host_[thread];
    Stream& on = streams_[stream];
    const std::int64_t begin = now;
    const std::size_t launched = on.ends.size();
    if (launched >= queue_limit) now = std::max(now, on.ends[launched - queue_limit]);
    now += kLaunchNs;
    add_call(whatif::CallKind::kLaunch, begin, now, thread);
    std::int64_t start = now + kLatencyNs;
    if (!on.ends.empty()) start = std::max(start, on.ends.back() + kTurnaroundNs);
    start = std::max(start, on.event_ns);
    return add_work(start, ns, stream, whatif::NodeKind::kKernel);
  }
  /// A copy from pageable memory: its call returns when it has ended.
  std::uint32_t copy(std::int64_t ns, std::uint16_t stream = 0) {
    std::int64_t& now = host_[0];
    const std::int64_t begin = now;
    Stream& on = streams_[stream];
    std::int64_t start = now + kLatencyNs;
    if (!on.ends.empty()) start = std::max(start, on.ends.back() + kTurnaroundNs);
    now = start + ns + kReturnNs;
    add_call(whatif::CallKind::kCopy, begin, now, 0);
    const std::uint32_t work = add_work(start, ns, stream, whatif::NodeKind::kCopy);
    run_.works[work].is_pageable = true;
    return work;
  }
  /// The host waits for a stream.
  std::uint32_t wait(std::uint16_t stream = 0, std::uint16_t thread = 0) {
    std::int64_t& now = host_[thread];
    const std::int64_t begin = now;
    now += kWaitCallNs;
    const Stream& on = streams_[stream];
    if (!on.ends.empty() && on.ends.back() > begin) now = std::max(now, on.ends.back() + kReturnNs);
    add_call(whatif::CallKind::kWaitStream, begin, now, thread);
    run_.calls.back().stream = stream;
    return static_cast<std::uint32_t>(run_.calls.size() - 1);
  }
  /// What comes next in the stream waits for what the other has been given.
  void wait_for(std::uint16_t stream, std::uint16_t other) {
    const Stream& on = streams_[other];
    if (!on.ends.empty()) streams_[stream].event_ns = on.ends.back() + kEventNs;
    if (!records_stream_waits) return;
    std::int64_t& now = host_[0];
    add_call(whatif::CallKind::kRecordEvent, now, now + 500, 0);
    add_call(whatif::CallKind::kStreamWait, now + 500, now + 1'000, 0);
    run_.calls.back().stream = stream;
    now += 1'000;
  }
  /// The next work begins a step.
  void begin_step() { begins_.push_back(static_cast<std::uint32_t>(run_.works.size())); }

  /// Steps from the first to the last but one, which shows where that ends.
  whatif::RecordedRun finish() {
    std::int64_t settled = INT64_MIN;
    for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
      whatif::RunStep step;
      step.number = static_cast<std::int64_t>(i);
      step.is_steady = i > 0;
      step.begin_ns = run_.works[begins_[i]].start_ns;
      step.period_end_ns = run_.works[begins_[i + 1]].start_ns;
      for (std::uint32_t at = begins_[i]; at < begins_[i + 1]; ++at) {
        settled = std::max(settled, run_.works[at].end_ns);
      }
      step.settled_ns = settled;
      run_.steps.push_back(step);
    }
    sort_calls();
    return run_;
  }

 private:
  struct Stream {
    std::vector<std::int64_t> ends;
    std::int64_t event_ns = INT64_MIN;
  };

  void add_call(whatif::CallKind kind, std::int64_t begin, std::int64_t end, std::uint16_t thread) {
    whatif::RunCall call;
    call.start_ns = begin;
    call.end_ns = end;
    call.correlation = run_.calls.size() + 1;
    call.kind = kind;
    call.thread = thread;
    run_.calls.push_back(call);
  }
  std::uint32_t add_work(std::int64_t start, std::int64_t ns, std::uint16_t stream,
                         whatif::NodeKind kind) {
    streams_[stream].ends.push_back(start + ns);
    streams_[stream].event_ns = INT64_MIN;
    whatif::RunWork work;
    work.start_ns = start;
    work.end_ns = start + ns;
    work.call = static_cast<std::uint32_t>(run_.calls.size() - 1);
    work.stream = stream;
    work.kind = kind;
    run_.works.push_back(work);
    return static_cast<std::uint32_t>(run_.works.size() - 1);
  }
  /// By their begin, as a run has them.
  void sort_calls() {
    std::vector<std::uint32_t> order(run_.calls.size()), place(run_.calls.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return run_.calls[i].start_ns; });
    std::vector<whatif::RunCall> sorted;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(run_.calls[order[i]]);
    }
    run_.calls = std::move(sorted);
    for (whatif::RunWork& work : run_.works) work.call = place[*work.call];
  }

  whatif::RecordedRun run_;
  std::map<std::uint16_t, std::int64_t> host_;
  std::map<std::uint16_t, Stream> streams_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace prof::fakes
