// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/own_line.hpp"

#include <algorithm>
#include <utility>

#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

/// Work that follows other work on the GPU starts at most this long after it.
constexpr std::int64_t kFollowsNs = 20'000;
/// Shorter pauses are part of own work.
constexpr std::int64_t kPauseNs = 5'000;
/// The host waited for the GPU if it launched nothing for so long until the GPU was done, and went
/// on sooner after that. A call takes so long where the GPU's queue is full.
constexpr std::int64_t kSilentNs = 50'000;
constexpr std::int64_t kFullQueueNs = 100'000;

}  // namespace

void OwnLine::launch(Launched& work) {
  if (work.launch_ns != kNever && work.launch_ns != launched_ns_) add_host_time(work);
  work.host_ns = host_ns_;
  work.stretch = stretch_;
  if (!work.is_collective) {
    own_end_ns_ = std::max(own_end_ns_, work.end_ns);
    own_ends_[own_launches_++ % kRecent] = work.end_ns;
    return;
  }
  work.gap = std::exchange(gap_, {});
  ++stretch_;
  collective_end_ns_ = std::max(collective_end_ns_, work.end_ns);
  if (own_end_ns_ <= work.start_ns) {
    work.own_end_ns = own_end_ns_;
    return;
  }
  // Own work that was launched before it still runs, so it does not wait for all of that.
  for (std::size_t i = 0; i < std::min(own_launches_, kRecent); ++i) {
    const std::int64_t end_ns = own_ends_[i];
    const bool is_followed =
        end_ns <= work.start_ns && difference_of_times(work.start_ns, end_ns) < kFollowsNs;
    if (is_followed) work.own_end_ns = std::max(work.own_end_ns, end_ns);
  }
}

void OwnLine::add_host_time(Launched& work) {
  const std::int64_t from_ns = launch_end_ns_ == kNever ? work.launch_ns : launch_end_ns_;
  const std::int64_t way_ns =
      std::max<std::int64_t>(0, difference_of_times(work.launch_ns, from_ns));
  const std::int64_t waited = std::min(way_ns, waited_ns(work.launch_ns, from_ns));
  work.way_ns = way_ns - waited;
  if (waited > 0) {
    wait_of_host(work.launch_ns, waited, std::min(own_end_ns_, work.launch_ns));
  }
  host_ns_ = sum_of_times(host_ns_, work.way_ns);
  if (work.way_ns > gap_.ns) gap_ = {.ns = work.way_ns, .end_ns = host_ns_};
  launched_ns_ = work.launch_ns;
  const std::int64_t end_ns = sum_of_times(work.launch_ns, work.call_ns);
  const bool is_queue_full = work.call_ns > kFullQueueNs && own_end_ns_ > end_ns;
  if (is_queue_full) {
    wait_of_host(end_ns, work.call_ns, end_ns);
  } else {
    host_ns_ = sum_of_times(host_ns_, work.call_ns);
  }
  launch_end_ns_ = std::max(launch_end_ns_, end_ns);
}

/// Where the trace does not say so, it shows in that the host is silent until the GPU has
/// nothing to do.
std::int64_t OwnLine::waited_ns(std::int64_t launch_ns, std::int64_t from_ns) const {
  if (waited_) return std::max<std::int64_t>(0, waited_(from_ns, launch_ns));
  if (own_end_ns_ == kNever || own_end_ns_ > launch_ns) return 0;
  const bool has_collective = collective_end_ns_ <= launch_ns;
  const std::int64_t done_ns =
      has_collective ? std::max(own_end_ns_, collective_end_ns_) : own_end_ns_;
  const std::int64_t silent_ns = difference_of_times(done_ns, from_ns);
  const std::int64_t back_ns = difference_of_times(launch_ns, done_ns);
  return silent_ns > kSilentNs && back_ns < silent_ns ? silent_ns : 0;
}

void OwnLine::wait_of_host(std::int64_t after_ns, std::int64_t waited_ns, std::int64_t gpu_ns) {
  ++stretch_;
  const bool is_for_collective = collective_end_ns_ > gpu_ns && collective_end_ns_ <= after_ns;
  host_waits_.emplace_back(
      HostWait{
          .after_ns = after_ns, .host_ns = host_ns_, .waited_ns = waited_ns, .own_end_ns = gpu_ns},
      is_for_collective ? collective_end_ns_ : kNever);
}

void OwnLine::begin_own(const Launched& work, std::int64_t busy_until_ns) {
  if (own_begin_ns_ == kNever) {
    own_begin_ns_ = work.start_ns;
    own_waits_.push_back({.after_ns = work.start_ns,
                          .host_ns = work.host_ns,
                          .launch_ns = work.launch_ns,
                          .collective = kNoCollective});
    return;
  }
  if (difference_of_times(work.start_ns, busy_until_ns) < kPauseNs) {
    const auto is_past = [&](const Started& one) { return one.end_ns <= busy_until_ns; };
    if (collectives_.size() > kRecent) std::erase_if(collectives_, is_past);
    return;
  }
  OwnWait made{.after_ns = work.start_ns,
               .host_ns = work.host_ns,
               .launch_ns = work.launch_ns,
               .collective = kNoCollective};
  std::int64_t until_ns = work.launch_ns;
  bool is_in_order = false;  // the stream's, whenever it starts
  for (const Started& one : collectives_) {
    const bool is_later =
        one.end_ns > std::max(until_ns, busy_until_ns) && one.end_ns <= work.start_ns;
    if (!is_later) continue;
    until_ns = one.end_ns;
    made.collective = one.index;
    is_in_order = one.stream == work.stream;
  }
  std::erase_if(collectives_, [&](const Started& one) { return one.end_ns <= work.start_ns; });
  if (until_ns <= busy_until_ns) return;
  const bool is_host = made.collective == kNoCollective;
  const std::int64_t soon_ns = is_host ? sum_of_times(kFollowsNs, work.call_ns) : kFollowsNs;
  if (!is_in_order && difference_of_times(work.start_ns, until_ns) > soon_ns) return;
  made.slack_ns = difference_of_times(until_ns, busy_until_ns);
  const OwnWait& before = own_waits_.back();
  made.own_ns = sum_of_times(before.own_ns, difference_of_times(busy_until_ns, before.after_ns));
  // No collective separates one wait for the host from the next: they are one.
  if (is_host && last_stretch_ == work.stretch && own_waits_.size() > 1) {
    made.slack_ns = sum_of_times(made.slack_ns, before.slack_ns);
    own_waits_.back() = made;
  } else {
    own_waits_.push_back(made);
  }
  last_stretch_ = is_host ? work.stretch : UINT32_MAX;
}

void OwnLine::begin_collective(const Launched& work, RankCollective& made, std::uint32_t index) {
  made.own_end_ns = work.own_end_ns;
  made.launch_ns = work.launch_ns;
  made.host_ns = work.host_ns;
  made.gap = work.gap;
  const Started own{.end_ns = work.end_ns, .index = index, .stream = work.stream};
  std::int64_t known_ns = std::max(made.own_end_ns, made.launch_ns);
  const auto [last, is_first] = last_of_stream_.try_emplace(work.stream, own);
  if (!is_first) {
    made.previous = last->second.index;
    known_ns = std::max(known_ns, last->second.end_ns);
    last->second = own;
  }
  if (difference_of_times(work.start_ns, known_ns) >= kPauseNs) {
    for (const Started& one : collectives_) {
      const bool is_just_over = one.end_ns > known_ns && one.end_ns <= work.start_ns &&
                                difference_of_times(work.start_ns, one.end_ns) < kFollowsNs;
      if (!is_just_over) continue;
      known_ns = one.end_ns;
      made.follows = one.index;
    }
  }
  collectives_.push_back(own);
}

void OwnLine::finish(RankSummary& summary) {
  summary.own_waits = std::move(own_waits_);
  std::vector<std::pair<std::int64_t, std::uint32_t>> ends;
  for (std::uint32_t i = 0; i < summary.collectives.size(); ++i) {
    RankCollective& one = summary.collectives[i];
    ends.emplace_back(one.end_ns, i);
    one.own_ns = own_position(summary, one.own_end_ns);
  }
  std::ranges::sort(ends);
  for (auto& [wait, end_ns] : host_waits_) {
    const auto found = std::ranges::lower_bound(ends, std::pair(end_ns, 0U));
    if (end_ns != kNever && found != ends.end()) wait.collective = found->second;
    summary.host_waits.push_back(wait);
  }
  std::ranges::stable_sort(summary.host_waits, {}, &HostWait::after_ns);
}

std::int64_t own_position(const RankSummary& summary, std::int64_t time_ns) {
  const std::vector<OwnWait>& waits = summary.own_waits;
  const auto next = std::ranges::upper_bound(waits, time_ns, {}, &OwnWait::after_ns);
  if (next == waits.begin()) return 0;
  const OwnWait& before = *(next - 1);
  const std::int64_t position_ns =
      sum_of_times(before.own_ns, difference_of_times(time_ns, before.after_ns));
  return next == waits.end() ? position_ns : std::min(position_ns, next->own_ns);
}

}  // namespace prof::ranks
