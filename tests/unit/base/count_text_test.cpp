// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/count_text.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(Counted, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(123456), "123,456");
  EXPECT_EQ(grouped(18446744073709551615ULL), "18,446,744,073,709,551,615");
}

TEST(Counted, HasTheWordThatFits) {
  EXPECT_EQ(count_text(0, "copy", "copies"), "0 copies");
  EXPECT_EQ(count_text(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(count_text(12345, "copy", "copies"), "12,345 copies");
}

}  // namespace
}  // namespace prof
