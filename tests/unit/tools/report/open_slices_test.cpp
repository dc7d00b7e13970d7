// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of open slices: in which order they end, and which of them launches.
#include "tools/report/export/formats/open_slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace prof::exports {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class OpenSlicesTest : public testing::Test {
 protected:
  std::vector<std::pair<std::uint64_t, std::int64_t>> ended_;  // lane and end
  std::vector<std::vector<std::uint64_t>> launched_;
  OpenSlices slices_{[this](const OpenSlices::Slice& slice) {
    ended_.emplace_back(slice.lane, slice.end_ns);
    launched_.push_back(slice.launched);
  }};
};

TEST_F(OpenSlicesTest, EndByTimeOverAllLanes) {
  slices_.begin(1, 0, 50);
  slices_.begin(2, 10, 20);
  slices_.begin(1, 15, 40);
  EXPECT_THAT(ended_, IsEmpty());
  slices_.end_before(41);
  EXPECT_THAT(ended_, ElementsAre(Pair(2, 20), Pair(1, 40)));
  slices_.end_all();
  EXPECT_THAT(ended_, ElementsAre(Pair(2, 20), Pair(1, 40), Pair(1, 50)));
}

TEST_F(OpenSlicesTest, OfEqualEndsTheInnerIsFirst) {
  slices_.begin(1, 0, 50);
  slices_.begin(1, 10, 50);
  slices_.launch(1, 7);
  slices_.end_all();
  EXPECT_THAT(launched_, ElementsAre(ElementsAre(7), IsEmpty()));
}

TEST_F(OpenSlicesTest, OneThatBeginsWhereOthersEndIsNotInsideThem) {
  slices_.begin(1, 0, 50);
  slices_.begin(1, 10, 50);
  slices_.begin(1, 50, 50);
  EXPECT_THAT(ended_, ElementsAre(Pair(1, 50), Pair(1, 50)));
  slices_.begin(1, 50, 60);
  EXPECT_EQ(ended_.size(), 3U);
}

TEST_F(OpenSlicesTest, TheInnermostLaunches) {
  EXPECT_FALSE(slices_.launch(1, 1));
  slices_.begin(1, 0, 50);
  slices_.begin(1, 10, 20);
  EXPECT_TRUE(slices_.launch(1, 2));
  EXPECT_TRUE(slices_.launch(1, 3));
  slices_.end_before(30);
  EXPECT_TRUE(slices_.launch(1, 4));
  slices_.end_all();
  EXPECT_THAT(launched_, ElementsAre(ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_FALSE(slices_.launch(1, 5));
}

}  // namespace
}  // namespace prof::exports
