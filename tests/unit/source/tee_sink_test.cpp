// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/tee_sink.hpp"

#include <gtest/gtest.h>

#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/recording_sink.hpp"

namespace prof {
namespace {

TEST(TeeSinkTest, BothGetEverything) {
  RecordingSink expected, first, second;
  feed_full_records(expected);
  TeeSink tee(first, second);
  feed_full_records(tee);
  tee.commit();
  EXPECT_TRUE(first.records == expected.records);
  EXPECT_TRUE(second.records == expected.records);
  EXPECT_EQ(first.commits, 1);
  EXPECT_EQ(second.commits, 1);
}

TEST(TeeSinkTest, ReportsEithersError) {
  RecordingSink first, second;
  const TeeSink tee(first, second);
  EXPECT_TRUE(tee.status().ok());
  second.result = Error{"second", "", ""};
  EXPECT_EQ(tee.status().error().what, "second");
  first.result = Error{"first", "", ""};
  EXPECT_EQ(tee.status().error().what, "first");
}

}  // namespace
}  // namespace prof
