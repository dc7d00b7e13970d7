// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tracks and lanes, see tracks.hpp.
#include "tools/report/export/formats/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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

void Tracks::Track::end_until(std::int64_t time_ns) {
  while (!ends.empty() && ends.top().time_ns <= time_ns) {
    const std::size_t at = ends.top().lane;
    ends.pop();
    std::vector<Span>& open = lanes[at].open;
    while (!open.empty() && open.back().end_ns <= time_ns) open.pop_back();
    update_room(at);
  }
}

void Tracks::Track::update_room(std::size_t lane) {
  if (lanes.size() > room.size() / 2) {
    const std::size_t leaves = std::bit_ceil(lanes.size());
    room.assign(2 * leaves, INT64_MIN);
    for (std::size_t each = 0; each < lanes.size(); ++each) {
      if (each != lane) update_room(each);
    }
  }
  const std::vector<Span>& open = lanes[lane].open;
  std::size_t node = room.size() / 2 + lane;
  room[node] = open.empty() ? INT64_MAX : nests ? open.back().end_ns : INT64_MIN;
  for (node /= 2; node != 0; node /= 2) room[node] = std::max(room[2 * node], room[2 * node + 1]);
}

std::size_t Tracks::Track::first_with_room(std::int64_t end_ns) const {
  if (room.empty() || room[1] < end_ns) return lanes.size();
  std::size_t node = 1;
  while (node < room.size() / 2) node = 2 * node + (room[2 * node] >= end_ns ? 0 : 1);
  return node - room.size() / 2;
}

std::uint64_t Tracks::place(std::size_t number, std::int64_t start_ns, std::int64_t end_ns) {
  Track& track = tracks_[number];
  track.end_until(start_ns);
  const std::size_t at = track.first_with_room(end_ns);
  Lane& lane = at < track.lanes.size() ? track.lanes[at] : add_lane(number);
  lane.open.push_back({start_ns, end_ns});
  track.ends.push({end_ns, at});
  track.update_room(at);
  return lane.tid;
}

std::optional<std::uint64_t> Tracks::lane_at(std::size_t number, std::int64_t time_ns) {
  const Lane* best = nullptr;
  std::int64_t latest_ns = 0;
  for (const Lane& lane : tracks_[number].lanes) {
    const auto is_open = [time_ns](const Span& span) { return span.end_ns >= time_ns; };
    const auto innermost = std::find_if(lane.open.rbegin(), lane.open.rend(), is_open);
    if (innermost == lane.open.rend()) continue;
    if (best != nullptr && innermost->start_ns <= latest_ns) continue;
    best = &lane;
    latest_ns = innermost->start_ns;
  }
  return best != nullptr ? std::optional(best->tid) : std::nullopt;
}

}  // namespace prof::exports
