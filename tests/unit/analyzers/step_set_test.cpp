// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the set of steps.
#include "analyzers/steps/step_set.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace prof {
namespace {

std::string steps_text(std::initializer_list<std::int64_t> steps) {
  StepSet set;
  for (const std::int64_t step : steps) set.add(step);
  return set.to_text();
}

TEST(StepSet, JoinsWhatIsNextToEachOther) {
  EXPECT_EQ(steps_text({}), "");
  EXPECT_EQ(steps_text({7}), "7");
  EXPECT_EQ(steps_text({1, 2, 2, 3}), "1-3");
  EXPECT_EQ(steps_text({3, 2, 1}), "1-3");
  EXPECT_EQ(steps_text({1, 3, 2}), "1-3");
  EXPECT_EQ(steps_text({1, 2, 5, 9, 8}), "1-2,5,8-9");
  EXPECT_EQ(steps_text({5, 1, 5, 1, 4}), "1,4-5");
  EXPECT_EQ(steps_text({0}), "0");
}

TEST(StepSet, KnowsWhichStepsItLacks) {
  StepSet set;
  EXPECT_TRUE(set.lacks(0));
  set.add(3);
  EXPECT_EQ(set.to_words(), "step 3");
  set.add(4);
  set.add(9);
  EXPECT_EQ(set.to_words(), "steps 3-4,9");
  for (const std::int64_t step : {3, 4, 9}) EXPECT_FALSE(set.lacks(step)) << step;
  for (const std::int64_t step : {2, 5, 8, 10}) EXPECT_TRUE(set.lacks(step)) << step;
}

TEST(StepSet, MergesWhatOverlapsAndTouches) {
  StepSet one, other;
  for (const std::int64_t step : {1, 2, 7, 8, 20}) one.add(step);
  for (const std::int64_t step : {3, 4, 5, 6, 19, 30}) other.add(step);
  one.merge(other);
  EXPECT_EQ(one.to_text(), "1-8,19-20,30");
  EXPECT_TRUE(one.holds_any(9, 19));
  EXPECT_TRUE(one.holds_any(2, 3));
  EXPECT_FALSE(one.holds_any(9, 18));
  EXPECT_FALSE(one.holds_any(-5, 0));
}

TEST(StepSet, TakesTheLargestNumbers) {
  const auto max = std::numeric_limits<std::int64_t>::max();
  const auto min = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(steps_text({max, max - 1, max}), "9223372036854775806-9223372036854775807");
  EXPECT_EQ(steps_text({min, max}), "-9223372036854775808,9223372036854775807");
}

TEST(StepSet, StaysSmall) {
  StepSet set;
  for (std::int64_t step = 0; step < 100000; ++step) set.add(2 * step);
  EXPECT_LT(set.to_text().size(), 2000U);
  EXPECT_EQ(set.to_text().substr(set.to_text().size() - 4), ",...");
  EXPECT_FALSE(set.lacks(100000)) << "it may have been forgotten";
}

}  // namespace
}  // namespace prof
