// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/base/record_sort.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

struct Item {
  std::uint64_t rank = 0;
  std::string text;  // its first byte decides between equal ranks
};

struct ByFirstByte {
  bool operator()(std::string_view a, std::string_view b) const { return a[0] < b[0]; }
};

/// Of 1 byte to 100, now and then more than is read at once. The rest of a text is its number.
std::vector<Item> random_items(int count) {
  std::mt19937 random(7);
  std::vector<Item> items;
  for (int i = 0; i < count; ++i) {
    std::string text(1, static_cast<char>('a' + random() % 3));
    text += std::to_string(i);
    text.resize(text.size() + (random() % 500 == 0 ? 100'000 : random() % 100), '.');
    items.push_back({random() % 50, std::move(text)});
  }
  return items;
}

void expect_sorted(const std::vector<Item>& items, std::size_t memory_bytes) {
  const TempFolder folder;
  RecordSort<ByFirstByte> sort(memory_bytes, {}, {.folder = folder.path(), .name = "/scratch"});
  for (const Item& item : items) ASSERT_TRUE(sort.add(item.rank, item.text).ok());
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, [](const Item& a, const Item& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.text[0] < b.text[0];
  });
  sort.rewind();
  for (std::size_t i = 0; i < expected.size() / 2; ++i) ASSERT_NE(sort.next(), nullptr);
  for (int pass = 0; pass < 2; ++pass) {
    sort.rewind();
    for (const Item& item : expected) {
      const SortedRecord* const next = sort.next();
      ASSERT_NE(next, nullptr);
      ASSERT_EQ(next->rank, item.rank);
      ASSERT_EQ(next->bytes, item.text) << "equal records keep their order";
    }
    EXPECT_EQ(sort.next(), nullptr);
    EXPECT_EQ(sort.next(), nullptr);
  }
  EXPECT_TRUE(sort.status().ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the file has no name";
}

TEST(RecordSort, SortsInMemoryAndOnDisk) {
  expect_sorted({}, 64);
  expect_sorted(random_items(1000), std::size_t{1} << 30);
  expect_sorted(random_items(20'000), std::size_t{300} << 10);  // runs longer than a read
  expect_sorted(random_items(300), 1);                          // runs of one record
}

TEST(RecordSort, EmptyRecordsAreRecords) {
  RecordSort<NeverBefore> sort(1);
  ASSERT_TRUE(sort.add(2, "").ok());
  ASSERT_TRUE(sort.add(1, "").ok());
  ASSERT_NE(sort.next(), nullptr);
  const SortedRecord* const last = sort.next();
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->rank, 2U);
  EXPECT_EQ(sort.next(), nullptr);
}

TEST(RecordSort, AFolderThatCannotBeWrittenIsAnError) {
  RecordSort<NeverBefore> sort(1, {}, {.folder = "/nowhere/at/all", .name = "/scratch"});
  ASSERT_TRUE(sort.add(1, "").ok());
  const Status status = sort.add(2, "");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().to_line(),
            "/nowhere/at/all: cannot create a temporary file: No such file or directory");
}

/// An environment variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(ScratchFile, TemporaryFilesAreWhereTheUserSays) {
  const Variable sqlite("SQLITE_TMPDIR", "");
  {
    const Variable unset("TMPDIR", "");
    EXPECT_TRUE(temporary_place().folder == "/var/tmp" || temporary_place().folder == "/tmp");
  }
  const Variable chosen("TMPDIR", "/some/folder");
  EXPECT_EQ(temporary_place().folder, "/some/folder");
  const Variable for_sqlite("SQLITE_TMPDIR", "/another");
  EXPECT_EQ(temporary_place().folder, "/another");
}

}  // namespace
}  // namespace prof
