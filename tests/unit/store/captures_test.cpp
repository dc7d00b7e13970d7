// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of what belongs to which capture of a trace.
#include "libprof/store/read/captures.hpp"

#include <gtest/gtest.h>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

using Number = std::optional<std::uint32_t>;

/// 1 from 0 to 100, 2 from 500 to 600, 3 from 1000 on.
Captures three() {
  return Captures({{2, 500, 600, "step 20", "end of step 22"},
                   {1, 0, 100, "step 10", "end of step 12"},
                   {3, 1'000, {}, "signal", ""}});
}

TEST(CapturesTest, WhatStartsBelongsToTheLastThatBegan) {
  const Captures captures = three();
  EXPECT_EQ(captures.at(0), Number(1));
  EXPECT_EQ(captures.at(499), Number(1)) << "a kernel may start after the end";
  EXPECT_EQ(captures.at(500), Number(2));
  EXPECT_EQ(captures.at(99'999), Number(3));
  EXPECT_EQ(captures.at(-5), Number(1)) << "clocks of GPUs are not exact";
  EXPECT_EQ(captures.at(std::nullopt), Number());
}

TEST(CapturesTest, ARangeBelongsToTheLastThatItOverlaps) {
  const Captures captures = three();
  EXPECT_EQ(captures.of_range(10, 20), Number(1));
  EXPECT_EQ(captures.of_range(-300, 50), Number(1)) << "it was open at the start";
  EXPECT_EQ(captures.of_range(10, 550), Number(2));
  EXPECT_EQ(captures.of_range(200, 500), Number(2));
  EXPECT_EQ(captures.of_range(90, 300), Number(1)) << "it was open at the end";
  EXPECT_EQ(captures.of_range(600, 700), Number(2));
  EXPECT_EQ(captures.of_range(700, 5'000), Number(3));
}

TEST(CapturesTest, ARangeThatEndedOutsideBelongsToNone) {
  const Captures captures = three();
  EXPECT_EQ(captures.of_range(-300, -200), Number());
  EXPECT_EQ(captures.of_range(101, 499), Number());
  EXPECT_EQ(captures.of_range(601, 999), Number());
  EXPECT_FALSE(captures.lists_range(101, 499));
  EXPECT_TRUE(captures.lists_range(99, 499));
}

TEST(CapturesTest, ARangeThatNeverEndedBelongsToTheFirst) {
  const Captures captures = three();
  EXPECT_EQ(captures.of_range(-300, {}), Number(1));
  EXPECT_EQ(captures.of_range(50, {}), Number(1));
  EXPECT_EQ(captures.of_range(300, {}), Number(2));
  EXPECT_EQ(captures.of_range(700, {}), Number(3));
  const Captures ended({{1, 0, 100, "", ""}});
  EXPECT_EQ(ended.of_range(101, {}), Number());
}

TEST(CapturesTest, WhatIsNotKnownIsListed) {
  EXPECT_EQ(three().of_range({}, {}), Number());
  EXPECT_TRUE(three().lists_range({}, {}));
}

TEST(CapturesTest, WithoutRowsThereIsOne) {
  const Captures one;
  EXPECT_TRUE(one.empty());
  EXPECT_EQ(one.last_number(), 1U);
  EXPECT_TRUE(one.has(1));
  EXPECT_FALSE(one.has(2));
  EXPECT_EQ(one.at(5), Number());
  EXPECT_EQ(one.of_range(1, 2), Number());
  EXPECT_TRUE(one.lists_range(-10, 0));
  EXPECT_FALSE(one.lists_range(-10, -1)) << "it ended before the trace began";
  EXPECT_TRUE(one.lists_range(-10, {})) << "it is still open";
  EXPECT_EQ(one.captured_ns(-10, 30), 40);
}

TEST(CapturesTest, OnlyCapturedTimeCounts) {
  const Captures captures = three();
  EXPECT_EQ(captures.last_number(), 3U);
  EXPECT_TRUE(captures.has(2));
  EXPECT_FALSE(captures.has(4));
  EXPECT_EQ(captures.captured_ns(-50, 2'000), 100 + 100 + 1'000);
  EXPECT_EQ(captures.captured_ns(50, 550), 50 + 50);
  EXPECT_EQ(captures.captured_ns(200, 300), 0);
}

TEST(CapturesTest, ThoseOfADamagedTraceMayOverlap) {
  const Captures captures(
      {{4, 0, 1'000, {}, {}, 0, 0}, {2, 10, 20, {}, {}, 0, 0}, {2, 500, 600, {}, {}, 0, 0}});
  EXPECT_EQ(captures.captured_ns(15, 550), 535 + 5 + 50);
  EXPECT_EQ(captures.captured_ns(700, 2'000), 300);
  EXPECT_EQ(captures.of_range(300, std::nullopt), 4u);
  ASSERT_NE(captures.find(2), nullptr);
  EXPECT_EQ(captures.find(2)->start_ns, 10);
  EXPECT_EQ(captures.find(3), nullptr);
  EXPECT_TRUE(captures.has(4));
}

TEST(CapturesTest, IdsOfPushPopRangesSayWhichRecordedThem) {
  const Captures captures({{1, 0, 100, "", "", 257, 513}, {2, 500, {}, "", "", 769, 0}});
  EXPECT_EQ(captures.of_range(-300, {}, 257), Number(1));
  EXPECT_EQ(captures.of_range(-300, {}, 770), Number(2)) << "the same range, recorded again";
  EXPECT_EQ(captures.of_range(20, 30, 513), Number()) << "between them, for a graph";
  EXPECT_EQ(captures.of_range(20, 30, 3), Number());
  EXPECT_FALSE(captures.lists_range(20, 30, 513));
  EXPECT_EQ(captures.of_range(20, 30), Number(1)) << "a range of the process";
}

TEST(CapturesTest, TheStoreKeepsThem) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  {
    const auto writer = TraceWriter::create(path, {.start_realtime_ns = 1'000});
    ASSERT_TRUE(writer.ok());
    (*writer)->on(CaptureRecord{1, 1'000, 0, "step 10", ""});
    (*writer)->on(CaptureRecord{1, 1'000, 1'100, "step 10", "end of step 12", 257, 513});
    (*writer)->on(CaptureRecord{2, 1'500, 0, "signal", ""});
    (*writer)->on(CaptureRecord{3, 0, 0, "damaged: without a start", ""});
  }
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  const std::vector<CaptureRow>& rows = (*reader)->captures().rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].number, 1U);
  EXPECT_EQ(rows[0].start_ns, 0);
  EXPECT_EQ(rows[0].end_ns, 100);
  EXPECT_EQ(rows[0].opener, "step 10");
  EXPECT_EQ(rows[0].closer, "end of step 12");
  EXPECT_EQ(rows[0].first_range, 257U);
  EXPECT_EQ(rows[0].end_range, 513U);
  EXPECT_EQ(rows[1].start_ns, 500);
  EXPECT_FALSE(rows[1].end_ns);
  EXPECT_EQ(rows[1].closer, "");
}

}  // namespace
}  // namespace prof
