// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of tracks and their lanes, and of the order of a timeline's events.
#include "tools/report/export/formats/tracks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/export/formats/timeline.hpp"

namespace prof::exports {
namespace {

using testing::ElementsAre;

class TracksTest : public testing::Test {
 protected:
  std::vector<std::string> names_;
  std::map<std::string, std::uint64_t> orders_;
  Tracks tracks_{
      [this](std::uint64_t, std::uint64_t, const std::string& name, std::uint64_t order) {
        names_.push_back(name);
        orders_[name] = order;
      }};
};

TEST_F(TracksTest, WorkThatOverlapsGetsALaneEvenIfItNests) {
  const std::size_t stream = tracks_.track({0, TrackKind::kStream, 0, 7}, 1, 7, "stream 7", false);
  EXPECT_EQ(tracks_.place(stream, 0, 10), 7U);
  EXPECT_NE(tracks_.place(stream, 2, 5), 7U);
  EXPECT_EQ(tracks_.place(stream, 10, 12), 7U);
  EXPECT_THAT(names_, ElementsAre("stream 7", "stream 7 (2)"));
}

TEST_F(TracksTest, RangesNestUnlessTheyOverlap) {
  const std::size_t thread = tracks_.track({0, TrackKind::kThread, 0, 1}, 1, 40, "thread 1", true);
  EXPECT_EQ(tracks_.place(thread, 0, 10), 40U);
  EXPECT_EQ(tracks_.place(thread, 2, 5), 40U);
  const std::uint64_t other = tracks_.place(thread, 4, 8);
  EXPECT_NE(other, 40U);
  EXPECT_EQ(tracks_.lane_at(thread, 7), other);
  EXPECT_EQ(tracks_.lane_at(thread, 9), 40U);
  EXPECT_EQ(tracks_.lane_at(thread, 10), 40U);
  EXPECT_EQ(tracks_.lane_at(thread, 11), std::nullopt);
}

TEST_F(TracksTest, AnEventTakesTheFirstLaneWithRoom) {
  std::mt19937 random(7);
  for (const bool nests : {false, true}) {
    const std::size_t track =
        tracks_.track({0, TrackKind::kThread, 0, nests ? 2U : 1U}, 1, 0, "thread", nests);
    std::vector<std::pair<std::uint64_t, std::vector<std::int64_t>>> lanes;  // tid, open ends
    std::int64_t start_ns = 0;
    for (int i = 0; i < 2000; ++i) {
      start_ns += static_cast<int>(random() % 3);
      const std::int64_t end_ns =
          start_ns + 1 + static_cast<int>(random() % (i % 100 == 0 ? 1000U : 60U));
      const auto has_room = [&](auto& lane) {
        std::erase_if(lane.second, [&](std::int64_t end) { return end <= start_ns; });
        return lane.second.empty() || (nests && end_ns <= lane.second.back());
      };
      const auto lane = std::ranges::find_if(lanes, has_room);
      const std::uint64_t tid = tracks_.place(track, start_ns, end_ns);
      if (lane == lanes.end()) {
        lanes.push_back({tid, {end_ns}});
        continue;
      }
      EXPECT_EQ(tid, lane->first) << i;
      lane->second.push_back(end_ns);
    }
    EXPECT_GT(lanes.size(), 5u);
  }
}

TEST_F(TracksTest, TracksAreOrderedByNumberNotByWhatComesFirst) {
  const std::size_t second = tracks_.track({0, TrackKind::kThread, 0, 2}, 1, 41, "second", true);
  const std::size_t first = tracks_.track({0, TrackKind::kThread, 0, 1}, 1, 40, "first", true);
  const std::size_t steps = tracks_.track({0, TrackKind::kSteps, 0, 0}, 1, 0, "steps", true);
  for (const std::size_t track : {second, first, steps}) tracks_.place(track, 0, 1);
  EXPECT_LT(orders_["steps"], orders_["first"]);
  EXPECT_LT(orders_["first"], orders_["second"]);
}

TEST_F(TracksTest, NoTwoLanesShareATid) {
  const std::size_t one = tracks_.track({0, TrackKind::kStream, 0, 7}, 1, 7, "stream 7", false);
  const std::size_t other = tracks_.track({1, TrackKind::kStream, 0, 7}, 2, 7, "stream 7", false);
  EXPECT_NE(tracks_.place(one, 0, 1), tracks_.place(other, 0, 1));
  const std::size_t zero = tracks_.track({0, TrackKind::kStream, 0, 0}, 1, 0, "stream 0", false);
  EXPECT_NE(tracks_.place(zero, 0, 1), 0U);
}

TEST(Timeline, ReadsByTimeTheLongestFirstAndArrowsLast) {
  Timeline timeline;
  const auto add = [&](TimelineEvent::Kind kind, std::int64_t start, std::int64_t end,
                       const char* body) {
    ASSERT_TRUE(timeline.add({.kind = kind, .start_ns = start, .end_ns = end}, body));
  };
  using enum TimelineEvent::Kind;
  add(kFlowStart, 5, 5, "arrow");
  add(kSlice, 5, 6, "short");
  add(kSlice, 5, 9, "long");
  add(kSlice, -3, 1, "before the start");
  std::vector<std::string> order;
  TimelineEvent event;
  for (std::string_view body; timeline.next(event, body);) order.emplace_back(body);
  EXPECT_THAT(order, ElementsAre("before the start", "long", "short", "arrow"));
  EXPECT_EQ(timeline.first_ns(), -3);
  EXPECT_EQ(timeline.last_ns(), 9);
}

}  // namespace
}  // namespace prof::exports
