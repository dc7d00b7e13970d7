// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/builder/external_sort.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/source/temp_folder.hpp"

namespace prof::importers {
namespace {

struct Item {
  std::uint32_t key = 0;
  std::uint32_t added = 0;
  friend bool operator<(const Item& a, const Item& b) { return a.key < b.key; }
};

std::vector<Item> random_items(std::uint32_t count, std::uint32_t keys) {
  std::mt19937 random(7);
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    items.push_back({static_cast<std::uint32_t>(random() % keys), i});
  }
  return items;
}

void expect_sorted(const std::vector<Item>& items, std::size_t buffer_bytes) {
  const TempFolder folder;
  ExternalSort<Item> sort(folder.path(), buffer_bytes);
  for (const Item& item : items) ASSERT_TRUE(sort.add(item).ok());
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, std::less<>());
  for (const Item& item : expected) {
    const Item* const next = sort.next();
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->key, item.key);
    EXPECT_EQ(next->added, item.added) << "equal items keep their order";
  }
  EXPECT_EQ(sort.next(), nullptr);
  EXPECT_TRUE(sort.status().ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the file has no name";
}

TEST(ExternalSort, SortsInMemoryAndOnDisk) {
  expect_sorted({}, 64);
  expect_sorted(random_items(1000, 100), 1 << 20);
  expect_sorted(random_items(100'000, 1000), 16 << 10);  // runs longer than a read
  expect_sorted(random_items(1000, 3), 1);               // runs of one item
}

TEST(ExternalSort, AFolderThatCannotBeWrittenIsAnError) {
  ExternalSort<Item> sort("/nowhere/at/all", sizeof(Item));
  ASSERT_TRUE(sort.add({}).ok());
  const Status status = sort.add({});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().to_line(),
            "/nowhere/at/all: cannot create a temporary file: No such file or directory");
}

}  // namespace
}  // namespace prof::importers
