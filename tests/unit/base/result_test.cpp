// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/result.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(ErrorTest, IsOneLine) {
  EXPECT_EQ((Error{"is missing", "a.db", "name another"}.to_line()),
            "a.db: is missing; name another");
  EXPECT_EQ((Error{"is missing", "", ""}.to_line()), "is missing");
}

Status pass_on(Status status) {
  PROF_TRY(status);
  return {};
}

TEST(StatusTest, TryPassesTheErrorOn) {
  EXPECT_TRUE(pass_on({}).ok());
  const Status failed = pass_on(Error{"broken", "", ""});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().what, "broken");
}

TEST(ResultTest, HoldsEither) {
  const Result<int> value = 7;
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  const Result<int> failed = Error{"broken", "", ""};
  EXPECT_FALSE(failed.ok());
}

}  // namespace
}  // namespace prof
