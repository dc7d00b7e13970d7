// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of what is inside of a range.
#include "tools/report/choose/range_matcher.hpp"

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
  ChoiceTally::OfFilter tally;
  const auto takes = [&](const char* pattern, RangeId id) {
    Choice choice;
    choice.ranges = {pattern};
    return RangeMatcher(trace, choice).takes(id, tally);
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

}  // namespace
}  // namespace prof::reports
