// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of rows inside of others.
#include "tools/report/rows/nested_rows.hpp"

#include <gtest/gtest.h>

namespace prof::reports {
namespace {

TEST(NestedRows, ARowInsideAnotherIsPartOfThat) {
  NestedRows rows;
  EXPECT_FALSE(rows.enter({.thread = 1, .depth = 0, .end_ns = 100}, 7).in_another);
  const NestedRows::Around inner = rows.enter({.thread = 1, .depth = 1, .end_ns = 90}, 8);
  EXPECT_TRUE(inner.in_another);
  EXPECT_FALSE(inner.in_its_own_group);
  EXPECT_TRUE(rows.enter({.thread = 1, .depth = 2, .end_ns = 80}, 7).in_its_own_group);
  EXPECT_FALSE(rows.enter({.thread = 2, .depth = 0, .end_ns = 80}, 7).in_another);
  EXPECT_FALSE(rows.enter({.thread = 1, .depth = 0, .end_ns = 200}, 7).in_another);
}

TEST(NestedRows, ARowWhoseOuterOneIsLeftOutIsNotInOneBefore) {
  NestedRows rows;
  EXPECT_FALSE(rows.enter({.thread = 1, .depth = 0, .end_ns = 100}, 7).in_another);
  EXPECT_FALSE(rows.enter({.thread = 1, .depth = 1, .end_ns = 190}, 7).in_another);
  EXPECT_TRUE(rows.enter({.thread = 1, .depth = 2, .end_ns = 180}, 7).in_another);
}

TEST(NestedRows, ThreadsOfAnotherTraceAreOthers) {
  NestedRows rows;
  EXPECT_FALSE(rows.enter({.thread = 1, .depth = 0, .end_ns = 100}, 7).in_another);
  rows.clear();
  EXPECT_FALSE(rows.enter({.thread = 1, .depth = 1, .end_ns = 90}, 7).in_another);
}

}  // namespace
}  // namespace prof::reports
