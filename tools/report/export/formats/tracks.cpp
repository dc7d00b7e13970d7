// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tracks and lanes, see tracks.hpp.
#include "tools/report/export/formats/tracks.hpp"

#include <fmt/format.h>

#include <utility>

namespace prof::exports {
namespace {

/// By number: the order in which threads and streams come says nothing. A process has threads or
/// streams.
std::uint64_t order_of(const TrackKey& key) {
  return key.kind == TrackKind::kStream ? key.id : static_cast<std::uint64_t>(key.kind) + key.id;
}

}  // namespace

std::size_t Tracks::track(const TrackKey& key, std::uint64_t pid, std::uint64_t tid,
                          std::string name, bool nests) {
  const auto [found, is_new] = numbers_.try_emplace(key, tracks_.size());
  if (is_new) {
    tracks_.push_back({.pid = pid,
                       .tid = tid,
                       .name = std::move(name),
                       .order = order_of(key),
                       .nests = nests,
                       .lanes = {}});
  }
  return found->second;
}

Tracks::Lane& Tracks::add_lane(std::size_t number) {
  Track& track = tracks_[number];
  // 0 stands for the idle thread; and viewers take equal ids for one thread.
  std::uint64_t tid = track.tid;
  if (!track.lanes.empty() || tid == 0 || !taken_.insert(tid).second) {
    while (!taken_.insert(next_tid_).second) ++next_tid_;
    tid = next_tid_;
  }
  const std::size_t lane = track.lanes.size() + 1;
  new_lane_(track.pid, tid, lane == 1 ? track.name : fmt::format("{} ({})", track.name, lane),
            track.order);
  return track.lanes.emplace_back(Lane{tid, {}});
}

std::uint64_t Tracks::place(std::size_t number, std::int64_t start_ns, std::int64_t end_ns) {
  Track& track = tracks_[number];
  for (Lane& lane : track.lanes) {
    while (!lane.open.empty() && lane.open.back().end_ns <= start_ns) lane.open.pop_back();
    const bool fits = lane.open.empty() || (track.nests && end_ns <= lane.open.back().end_ns);
    if (!fits) continue;
    lane.open.push_back({start_ns, end_ns});
    return lane.tid;
  }
  Lane& lane = add_lane(number);
  lane.open.push_back({start_ns, end_ns});
  return lane.tid;
}

std::optional<std::uint64_t> Tracks::lane_at(std::size_t number, std::int64_t time_ns) {
  const Lane* best = nullptr;
  for (Lane& lane : tracks_[number].lanes) {
    while (!lane.open.empty() && lane.open.back().end_ns < time_ns) lane.open.pop_back();
    if (lane.open.empty()) continue;
    if (best == nullptr || lane.open.back().start_ns > best->open.back().start_ns) best = &lane;
  }
  return best != nullptr ? std::optional(best->tid) : std::nullopt;
}

}  // namespace prof::exports
