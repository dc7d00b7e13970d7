// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/host_activities.hpp"

#include <algorithm>

#include "libprof/model/times.hpp"
#include "libprof/store/read/record_cursor.hpp"

namespace prof {
namespace {

/// A shorter call of the operating system is the ordinary way of a host that works.
constexpr std::int64_t kBlockedNs = 20'000;

/// The weakest first: what comes later is put over it.
constexpr IdleCause kActivities[] = {IdleCause::kSystem, IdleCause::kData, IdleCause::kCompile};

/// A compiler also waits for the GPU, copies and launches while it tunes; a data loader may wait
/// for another process, but what it copies or allocates is reported as that.
bool gives_way(IdleCause cause, IdleCause to) {
  switch (to) {
    case IdleCause::kCompile:
      return !was_queued(cause) && cause != IdleCause::kUnknown;
    case IdleCause::kData:
      return cause == IdleCause::kLaunch || cause == IdleCause::kPython ||
             cause == IdleCause::kHost || cause == IdleCause::kSystem ||
             cause == IdleCause::kSynchronize;
    default:
      return cause == IdleCause::kPython || cause == IdleCause::kHost;
  }
}

void append(std::vector<IdlePart>& parts, std::int64_t begin_ns, std::int64_t end_ns,
            IdleCause cause) {
  if (begin_ns >= end_ns) return;
  if (!parts.empty() && parts.back().cause == cause && parts.back().end_ns == begin_ns) {
    parts.back().end_ns = end_ns;
  } else {
    parts.push_back({begin_ns, end_ns, cause});
  }
}

}  // namespace

HostActivities::HostActivities(TraceReader& trace) {
  trace.thread_ranges(
      [](DomainId, std::string_view text) { return cause_of_range(text).has_value(); },
      [&](const TextRangeRow& range) {
        const auto cause = cause_of_range(range.text);
        if (cause) add(range.thread, range.start_ns, range.end_ns.value_or(INT64_MAX), *cause);
      });
  const std::int64_t start_ns = trace.start_realtime_ns();
  const auto calls = records_of<OsCallRecord>(trace);
  while (const OsCallRecord* const call = calls->next()) {
    if (call->start_ns == 0 || difference_of_times(call->end_ns, call->start_ns) < kBlockedNs)
      continue;
    add(call->thread, difference_of_times(call->start_ns, start_ns),
        difference_of_times(call->end_ns, start_ns), IdleCause::kSystem);
  }
  status_ = calls->status();
  finish();
}

void HostActivities::add(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns,
                         IdleCause cause) {
  stretches_[{thread.value, cause}].push_back({begin_ns, end_ns});
}

void HostActivities::finish() {
  for (auto& [of, stretches] : stretches_) {
    std::ranges::stable_sort(stretches, {}, &Stretch::begin_ns);
    std::size_t kept = 0;
    for (const Stretch stretch : stretches) {
      if (kept != 0 && stretch.begin_ns <= stretches[kept - 1].end_ns) {
        stretches[kept - 1].end_ns = std::max(stretches[kept - 1].end_ns, stretch.end_ns);
      } else {
        stretches[kept++] = stretch;
      }
    }
    stretches.resize(kept);
  }
}

void HostActivities::explain(ThreadId thread, std::vector<IdlePart>& parts) const {
  for (const IdleCause cause : kActivities) {
    const auto found = stretches_.find({thread.value, cause});
    if (found == stretches_.end()) continue;
    std::vector<IdlePart> explained;
    for (const IdlePart& part : parts) {
      std::int64_t now = part.begin_ns;
      auto at = std::ranges::upper_bound(found->second, now, {}, &Stretch::end_ns);
      for (; gives_way(part.cause, cause) && at != found->second.end(); ++at) {
        if (at->begin_ns >= part.end_ns) break;
        const std::int64_t begin = std::max(at->begin_ns, now);
        append(explained, now, begin, part.cause);
        now = std::min(at->end_ns, part.end_ns);
        append(explained, begin, now, cause);
      }
      append(explained, now, part.end_ns, part.cause);
    }
    parts = std::move(explained);
  }
}

}  // namespace prof
