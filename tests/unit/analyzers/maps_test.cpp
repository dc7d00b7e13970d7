// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The maps used once per kernel, and what they reject.
#include <gtest/gtest.h>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/base/recent_map.hpp"

namespace prof {
namespace {

TEST(FlatMap, KeepsAllThroughItsGrowth) {
  FlatMap<std::uint64_t> map;
  for (std::uint64_t key = 1; key <= 5000; ++key) map.insert(key, key * 3);
  EXPECT_EQ(map.size(), 5000U);
  for (std::uint64_t key = 1; key <= 5000; ++key) {
    ASSERT_NE(map.find(key), nullptr);
    EXPECT_EQ(*map.find(key), key * 3);
  }
  EXPECT_EQ(map.find(5001), nullptr);
  map.clear();
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.find(1), nullptr);
}

TEST(RecentMap, ANewerKeyTakesThePlaceOfAnOlderOne) {
  RecentMap<int> map(4);
  map.put(1, 10);
  map.put(2, 20);
  map.put(5, 50);
  EXPECT_EQ(map.find(1), nullptr);
  ASSERT_NE(map.find(2), nullptr);
  EXPECT_EQ(*map.find(2), 20);
  ASSERT_NE(map.find(5), nullptr);
  EXPECT_EQ(*map.find(5), 50);
  EXPECT_EQ(map.find(0), nullptr);
}

TEST(MapsDeathTest, RefuseWhatWouldCorruptThem) {
  FlatMap<int> map;
  EXPECT_DEATH(map.insert(0, 1), "a bug in libprof: 'key != 0'");
  EXPECT_DEATH(RecentMap<int>(3), "a bug in libprof: 'std::has_single_bit");
}

}  // namespace
}  // namespace prof
