// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the progress of reading: which part lies before a row, what is counted.
#include "tools/report/rows/work_progress.hpp"

#include <gtest/gtest.h>

#include "libprof/store/sqlite/sqlite_db.hpp"
#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

/// Kernels with the correlations 101 to 201.
class TraceWithKernels : public FakeTrace {
 public:
  TraceWithKernels() {
    auto db = SqliteDb::open_memory();
    if (!db || !db->exec("CREATE TABLE kernel(correlation INTEGER PRIMARY KEY);"
                         "INSERT INTO kernel VALUES (101), (150), (201)")) {
      std::abort();
    }
    db_.emplace(std::move(*db));
  }
  Result<SqliteDb*> for_queries() override { return &*db_; }

 private:
  std::optional<SqliteDb> db_;
};

TEST(KeySpan, GoesFromTheFirstKeyToTheLast) {
  TraceWithKernels trace;
  const KeySpan span(trace, "kernel", "correlation");
  EXPECT_DOUBLE_EQ(span.part_before(101).value(), 0.0);
  EXPECT_DOUBLE_EQ(span.part_before(151).value(), 0.5);
  EXPECT_DOUBLE_EQ(span.part_before(201).value(), 1.0);
}

TEST(KeySpan, RowsOfOtherTablesMayLieOutside) {
  TraceWithKernels trace;
  const KeySpan span(trace, "kernel", "correlation");
  EXPECT_DOUBLE_EQ(span.part_before(1).value(), 0.0);
  EXPECT_DOUBLE_EQ(span.part_before(999).value(), 1.0);
}

TEST(KeySpan, IsUnknownWithoutATable) {
  FakeTrace fake;
  EXPECT_FALSE(KeySpan(fake, "kernel", "correlation").part_before(5).has_value());
  TraceWithKernels trace;
  EXPECT_FALSE(KeySpan(trace, "mark", "id").part_before(5).has_value());
}

class ReadWork : public testing::Test {
 protected:
  static constexpr int kRows = 4096;

  ReadWork() {
    for (int i = 0; i < kRows; ++i) work_.kernel("k", 1).gpu.correlation = 151;
  }

  /// The last line shown after reading `sources` sources of kRows rows each.
  std::string shown_after(TraceReader& trace, std::size_t traces, int sources) {
    std::string shown;
    tools::Progress::Time now;
    tools::Progress progress("p", {"rows"},
                             {[&shown](std::string_view text) { shown = text; },
                              [&now] { return now += std::chrono::seconds(4); }, 80});
    ReadProgress reading(traces, progress);
    const AttributeWork attribute = with_progress(
        [this](TraceReader&, TraceReader::Work) { return std::make_unique<FakeWork>(work_); },
        reading);
    for (int i = 0; i < sources; ++i) {
      const auto source = attribute(trace, TraceReader::Work::kKernels);
      while (source->next() != nullptr) {
      }
    }
    return shown;
  }

  FakeWork work_;
};

TEST_F(ReadWork, IsCountedAndItsPartKnown) {
  TraceWithKernels trace;
  EXPECT_EQ(shown_after(trace, 1, 1), "\rp: 4,096 rows, 50 %, 1,024 rows/s, about 4 s left");
}

TEST_F(ReadWork, OfSeveralTracesAddsUp) {
  TraceWithKernels trace;
  EXPECT_NE(shown_after(trace, 2, 2).find("8,192 rows, 75 %"), std::string::npos);
}

TEST_F(ReadWork, ThatIsReadAgainHasNoEnd) {
  TraceWithKernels trace;
  const std::string shown = shown_after(trace, 1, 2);
  EXPECT_NE(shown.find("8,192 rows, "), std::string::npos) << shown;
  EXPECT_EQ(shown.find('%'), std::string::npos) << shown;
  EXPECT_EQ(shown.find("left"), std::string::npos) << shown;
}

TEST_F(ReadWork, OfUnknownSizeHasARate) {
  FakeTrace trace;
  EXPECT_EQ(shown_after(trace, 1, 1), "\rp: 4,096 rows, 1,024 rows/s");
}

TEST(ReadProgress, SaysThatSqliteWorksOnlyBetweenRows) {
  std::string shown;
  tools::Progress::Time now;
  tools::Progress progress("p", {"rows"},
                           {[&shown](std::string_view text) { shown = text; },
                            [&now] { return now += std::chrono::seconds(4); }, 80});
  ReadProgress reading(1, progress);
  reading.tick();
  EXPECT_EQ(shown, "\rp: running the statement, 4 s");
  shown.clear();
  reading.row(reading.begin());
  reading.tick();
  EXPECT_EQ(shown, "");
  reading.tick();
  EXPECT_NE(shown.find("p: working on 1 row, 8 s"), std::string::npos) << shown;
}

}  // namespace
}  // namespace prof::reports
