// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/model/step_text.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(StepText, IsAWordAndANumber) {
  EXPECT_EQ(step_number("step:12"), 12);
  EXPECT_EQ(step_number("step:-1"), -1);
  EXPECT_EQ(step_number("ProfilerStep#0"), 0);
  EXPECT_EQ(step_number("Train step 7"), 7);
  EXPECT_EQ(step_number("step:"), std::nullopt);
  EXPECT_EQ(step_number("step:1x"), std::nullopt);
  EXPECT_EQ(step_number("step:99999999999999999999"), std::nullopt);
  EXPECT_EQ(step_number("footstep:1"), std::nullopt);
}

}  // namespace
}  // namespace prof
