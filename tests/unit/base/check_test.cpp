// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/check.hpp"

#include <gtest/gtest.h>

#include "libprof/base/debug_check.hpp"
#include "libprof/base/result.hpp"

namespace prof {
namespace {

TEST(CheckDeathTest, SaysWhereAndWhat) {
  PROF_CHECK(1 + 1 == 2);
  EXPECT_DEATH(PROF_CHECK(1 + 1 == 3), "check_test.cpp:[0-9]+: a bug in libprof: '1 \\+ 1 == 3'");
}

TEST(CheckDeathTest, EvaluatesOnce) {
  int count = 0;
  PROF_CHECK(++count == 1);
  EXPECT_EQ(count, 1);
}

TEST(CheckDeathTest, InProfiledProgramsOnlyWhileDebugging) {
  int count = 0;
#ifdef NDEBUG
  PROF_DEBUG_CHECK(++count == 7);
  EXPECT_EQ(count, 0);
#else
  EXPECT_DEATH(PROF_DEBUG_CHECK(++count == 7), "a bug in libprof: '\\+\\+count == 7'");
  const Result<int> failed = Error{"what", "where", ""};
  EXPECT_DEATH(static_cast<void>(failed.value()), "a bug in libprof: 'ok\\(\\)'");
#endif
}

}  // namespace
}  // namespace prof
