// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tracks: where events are shown. A track belongs to a process, and has lanes: importers drop
// events of one lane that overlap without one holding the other, so each event gets a lane in which
// it does not. Events are to come by start, of equal ones the longest first. Keeps only the open
// ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace prof::exports {

enum class TrackKind : std::uint8_t { kSteps, kProcessRanges, kThread, kStream };

struct TrackKey {
  std::size_t trace = 0;
  TrackKind kind = TrackKind::kThread;
  std::uint64_t group = 0;  ///< For a stream its GPU and context, else 0.
  std::uint64_t id = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  auto operator<=>(const TrackKey&) const = default;
};

class Tracks {
 public:
  /// Ids from here on are of no thread: it is above all of Linux's.
  static constexpr std::uint64_t kFirstOwnTid = std::uint64_t{1} << 22;

  /// Called with each lane when it is made.
  using NewLane = std::function<void(std::uint64_t pid, std::uint64_t tid, const std::string& name,
                                     std::uint64_t order)>;

  explicit Tracks(NewLane new_lane) : new_lane_(std::move(new_lane)) {}

  /// The track's number; a known key has one already. `tid` is taken where it is free.
  std::size_t track(const TrackKey& key, std::uint64_t pid, std::uint64_t tid, std::string name,
                    bool nests);
  [[nodiscard]] std::uint64_t pid(std::size_t track) const { return tracks_[track].pid; }
  /// The lane's tid.
  std::uint64_t place(std::size_t track, std::int64_t start_ns, std::int64_t end_ns);
  /// The tid of the lane whose innermost event at that time began last; none: no event is open.
  std::optional<std::uint64_t> lane_at(std::size_t track, std::int64_t time_ns);

 private:
  struct Span {
    std::int64_t start_ns = 0, end_ns = 0;
  };
  struct Lane {
    std::uint64_t tid = 0;
    std::vector<Span> open;  // each in the one before it
  };
  struct End {
    std::int64_t time_ns = 0;
    std::size_t lane = 0;
    bool operator>(const End& other) const { return time_ns > other.time_ns; }
  };
  struct Track {
    std::uint64_t pid = 0, tid = 0;
    std::string name;
    std::uint64_t order = 0;  // among those of its process
    bool nests = false;
    std::vector<Lane> lanes;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends{};  // of open events
    /// Up to when each lane has room, as the leaves of a tree of maxima, so that the first lane
    /// with room is found among very many.
    std::vector<std::int64_t> room{};

    void end_until(std::int64_t time_ns);
    void update_room(std::size_t lane);
    /// The first lane in which an event up to that time has room; lanes.size(): none.
    [[nodiscard]] std::size_t first_with_room(std::int64_t end_ns) const;
  };

  Lane& add_lane(std::size_t track);

  NewLane new_lane_;
  std::map<TrackKey, std::size_t> numbers_;
  std::vector<Track> tracks_;
  std::set<std::uint64_t> taken_;
  std::uint64_t next_tid_ = kFirstOwnTid;
};

}  // namespace prof::exports
