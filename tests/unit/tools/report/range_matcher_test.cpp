// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of what is inside of a range.
#include "tools/report/filter/range_matcher.hpp"

#include <gtest/gtest.h>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof::reports {
namespace {

TEST(RangeMatcher, LooksAtEachRangeAroundTheLaunch) {
  fakes::FakeTrace trace;
  const DomainId domain = trace.domain("Loader");
  const RangeId step = trace.push("step, seq = 5");
  const RangeId batch = trace.push("batch", 1, domain);
  const RangeId inner = trace.push("inner");
  FilterTally::OfFilter tally;
  const auto takes = [&](const char* pattern, RangeId id) {
    RowFilter filter;
    filter.ranges = {pattern};
    return RangeMatcher(trace, filter).takes(id, std::nullopt, tally);
  };
  EXPECT_TRUE(takes("step, seq = 5", inner)) << "the text as the program passed it";
  EXPECT_TRUE(takes("batch", inner));
  EXPECT_TRUE(takes("Loader:b*", inner));
  EXPECT_FALSE(takes("Loader:inner", inner)) << "it is in the default domain";
  EXPECT_FALSE(takes("inner", batch)) << "a range is not around the one it is in";
  EXPECT_TRUE(takes("batch", batch));
  EXPECT_FALSE(takes("batch", step));
  EXPECT_FALSE(takes("step*", 0));
}

TEST(RangeMatcher, RangesOfTheProcessAreAroundAllThatHappensWhileTheyAreOpen) {
  fakes::FakeTrace trace;
  trace.process_range("load", 100, 200);
  trace.process_range("load", 150, 180);
  trace.process_range("other", 190, 300);
  trace.process_range("load", 400, std::nullopt);
  RowFilter filter;
  filter.ranges = {"load"};
  FilterTally::OfFilter tally;
  RangeMatcher matcher(trace, filter);
  const auto takes = [&](std::optional<std::int64_t> time_ns) {
    return matcher.takes(0, time_ns, tally);
  };
  EXPECT_FALSE(takes(99));
  EXPECT_TRUE(takes(100));
  EXPECT_TRUE(takes(199)) << "the range inside it has ended, this one has not";
  EXPECT_FALSE(takes(200));
  EXPECT_FALSE(takes(399));
  EXPECT_TRUE(takes(400));
  EXPECT_TRUE(takes(1'000'000)) << "it never ended";
  EXPECT_FALSE(takes(std::nullopt));
}

}  // namespace
}  // namespace prof::reports
