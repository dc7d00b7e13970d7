// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges by id: more than the cache holds, passes, gaps.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/store/reader_fixture.hpp"

namespace prof {
namespace {

using RangeCacheTest = ReaderTest;

TEST_F(RangeCacheTest, RangesBeyondTheCacheAreReadAgain) {
  constexpr RangeId kRanges = 100'000;
  const auto reader = trace([](RecordSink& sink) {
    for (RangeId id = 1; id <= kRanges; ++id) {
      RangeRecord range;
      range.id = id;
      range.parent = id / 2;
      sink.on(range);
    }
  });
  ASSERT_NE(reader, nullptr);
  for (int pass = 0; pass < 2; ++pass) {
    for (RangeId id = 1; id <= kRanges; ++id) {
      const RangeRef range = reader->range(id);
      ASSERT_TRUE(range) << id;
      ASSERT_EQ(range->id, id);
      ASSERT_EQ(range->parent, id / 2);
      EXPECT_EQ(range->end_ns, std::nullopt);
    }
  }
  const RangeRef kept = reader->range(kRanges);
  reader->forget_ranges();
  EXPECT_EQ(kept->id, kRanges) << "its page is kept";
  RangeId expected = 0;
  RangeId last = 0;
  while (const RangeRef range = reader->range_after(last)) {
    last = range->id;
    ASSERT_EQ(last, ++expected);
  }
  EXPECT_EQ(expected, kRanges);
  EXPECT_FALSE(reader->has_numbered_ranges());
  EXPECT_FALSE(reader->range(kRanges + 1));
  EXPECT_FALSE(reader->range(std::numeric_limits<RangeId>::max()));
  EXPECT_TRUE(reader->status().ok());
}

TEST_F(RangeCacheTest, EachPassFindsAllRanges) {
  constexpr RangeId kRanges = 200'000;  // more rows than the cache holds, and gaps
  const auto reader = trace([](RecordSink& sink) {
    for (RangeId id = 3; id <= kRanges; id += id % 500 == 0 ? 300 : 1) {
      RangeRecord range;
      range.id = id;
      range.start_ns = static_cast<std::int64_t>(id);
      sink.on(range);
    }
  });
  ASSERT_NE(reader, nullptr);
  const auto pass = [&](RangeId begin) {
    const auto work = reader->gpu_work(TraceReader::Work::kKernels);
    std::vector<RangeId> found;
    RangeRef range = reader->range(begin);
    for (; range; range = reader->range_after(found.back())) found.push_back(range->id);
    return found;
  };
  const std::vector<RangeId> first = pass(3);
  EXPECT_EQ(first.front(), 3u);
  EXPECT_GT(first.size(), 65'536u);
  EXPECT_EQ(pass(3), first);
  // A pass may begin anywhere, also at what the one before held back.
  const RangeId middle = first[first.size() / 2];
  EXPECT_EQ(pass(middle).back(), first.back());
  EXPECT_EQ(pass(3), first);
}

TEST_F(RangeCacheTest, ARowOutlivesWhatTheCacheHoldsOfIt) {
  // Ids that take turns in one place of the cache.
  const std::vector<RangeId> ids = {1, 1 + (1 << 16), 1 + (2 << 16)};
  const auto reader = trace([&](RecordSink& sink) {
    sink.on(StringRecord{StringId{1}, "op, seq = \x01"});
    for (const RangeId id : ids) {
      RangeRecord range;
      range.id = id;
      range.text = StringId{1};
      const std::string numbers(1, static_cast<char>(id >> 16));
      range.numbers = numbers;
      sink.on(range);
    }
  });
  ASSERT_NE(reader, nullptr);
  std::vector<RangeRef> rows;
  for (const RangeId id : ids) {
    const auto row = reader->range(id);
    ASSERT_TRUE(row) << id;
    rows.push_back(row);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]->whole_text(), "op, seq = " + std::to_string(i));
  }
}

TEST_F(RangeCacheTest, RangesMayBeForgottenAndReadAgainAnyNumberOfTimes) {
  const std::string numbers(1000, '\1');
  const auto reader = trace([&](RecordSink& sink) {
    sink.on(StringRecord{StringId{1}, numbers});
    RangeRecord range;
    range.id = 1;
    range.text = StringId{1};
    range.numbers = numbers;
    sink.on(range);
  });
  ASSERT_NE(reader, nullptr);
  const std::uintmax_t passes = std::filesystem::file_size(path_) / numbers.size() + 1;
  for (std::uintmax_t i = 0; i < passes; ++i) {
    ASSERT_EQ(reader->range(1)->numbers.size(), numbers.size());
    reader->forget_ranges();
  }
  EXPECT_TRUE(reader->status().ok()) << reader->status().error().to_line();
}

TEST_F(RangeCacheTest, RangesAreReadInTheOrderOfTheirIdsAcrossGaps) {
  const std::vector<RangeId> ids = {3, 63, 64, 256, 1 << 20, (1 << 20) + 200, RangeId{5} << 40};
  const auto reader = trace([&](RecordSink& sink) {
    for (const RangeId id : ids) {
      RangeRecord range;
      range.id = id;
      sink.on(range);
    }
  });
  ASSERT_NE(reader, nullptr);
  std::vector<RangeId> found;
  while (const auto range = reader->range_after(found.empty() ? 0 : found.back())) {
    found.push_back(range->id);
  }
  EXPECT_EQ(found, ids);
  EXPECT_FALSE(reader->range_after(std::numeric_limits<RangeId>::max()));
  EXPECT_TRUE(reader->status().ok());
}

}  // namespace
}  // namespace prof
