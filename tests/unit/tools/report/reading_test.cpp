// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of reading: what is attributed once, who hears it, and the progress that is shown.
#include "tools/report/rows/reading.hpp"

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

/// Five kernels and a copy, of which every attribution is counted.
class ReadOnce : public testing::Test {
 protected:
  using Work = TraceReader::Work;

  ReadOnce() {
    for (std::uint64_t i = 0; i < 5; ++i) work_.kernel("k", 10).gpu.correlation = i;
    work_.copy(GpuRow::Kind::kMemcpy, 64, 5);
  }

  AttributeWork attribute() {
    return [this](TraceReader&, Work) {
      ++attributions_;
      return std::make_unique<FakeWork>(work_);
    };
  }
  std::size_t rows(Reading& reading, Work work, std::size_t most = SIZE_MAX) {
    const auto source = reading.work(trace_, work);
    std::size_t count = 0;
    while (count < most && source->next() != nullptr) ++count;
    return count;
  }

  FakeTrace trace_;
  FakeWork work_;
  int attributions_ = 0;
};

struct NoLines : RowSink {
  bool row(std::span<const Cell>) override { return true; }
  void total(std::span<const Cell>) override {}
};

TEST_F(ReadOnce, WorkIsAttributedOnceAndKept) {
  Reading reading(attribute(), Reading::Keeps::kWork, 1);
  EXPECT_EQ(rows(reading, Work::kKernels), 5U);
  EXPECT_EQ(rows(reading, Work::kKernelsAndCopies), 6U);
  EXPECT_EQ(rows(reading, Work::kKernels), 5U);
  EXPECT_EQ(attributions_, 1);
}

TEST_F(ReadOnce, WorkThatWasNotReadToItsEndIsAttributedAgain) {
  Reading reading(attribute(), Reading::Keeps::kWork, 1);
  EXPECT_EQ(rows(reading, Work::kKernels, 3), 3U);
  EXPECT_EQ(rows(reading, Work::kKernels), 5U);
  EXPECT_EQ(rows(reading, Work::kKernels), 5U);
  EXPECT_EQ(attributions_, 2);
}

TEST_F(ReadOnce, SoIsWorkThatFailed) {
  work_.status_ = Error{"broken", "t.db", ""};
  Reading reading(attribute(), Reading::Keeps::kWork, 1);
  rows(reading, Work::kKernels);
  const auto again = reading.work(trace_, Work::kKernels);
  while (again->next() != nullptr) {
  }
  EXPECT_FALSE(again->status());
  EXPECT_EQ(attributions_, 2);
}

TEST_F(ReadOnce, NothingIsKeptUnasked) {
  Reading reading(attribute(), Reading::Keeps::kNothing, 1);
  rows(reading, Work::kKernels);
  rows(reading, Work::kKernels);
  EXPECT_EQ(attributions_, 2);
}

TEST_F(ReadOnce, TracesThatWereReadLastAreKept) {
  std::vector<FakeTrace> traces(Reading::kMostKept + 1);
  for (std::size_t i = 0; i < traces.size(); ++i) traces[i].path_ = std::to_string(i);
  Reading reading(attribute(), Reading::Keeps::kWork, traces.size());
  const auto read = [&](FakeTrace& trace) {
    const auto source = reading.work(trace, Work::kKernels);
    while (source->next() != nullptr) {
    }
  };
  for (FakeTrace& trace : traces) read(trace);
  read(traces.back());
  EXPECT_EQ(attributions_, static_cast<int>(traces.size()));
  read(traces.front());
  EXPECT_EQ(attributions_, static_cast<int>(traces.size()) + 1);
}

/// Counts what it hears.
struct Heard : WorkListener {
  explicit Heard(std::vector<int>& heard) : all(heard) {}
  void add(const AttributedRow&) override { ++count; }
  void finish(const AttributionCounts&) override { all.push_back(count); }
  std::vector<int>& all;
  int count = 0;
};

TEST_F(ReadOnce, ListenersHearTheFirstReadingOfEachTraceToItsEnd) {
  for (const Reading::Keeps keeps : {Reading::Keeps::kNothing, Reading::Keeps::kWork}) {
    Reading reading(attribute(), keeps, 1);
    std::vector<int> heard;
    reading.listen([&](TraceReader&) { return std::make_unique<Heard>(heard); });
    EXPECT_EQ(rows(reading, Work::kKernels), 5U) << "copies are heard, and not passed on";
    rows(reading, Work::kKernels);
    EXPECT_EQ(heard, std::vector<int>({6}));
    reading.listen([&](TraceReader&) { return std::make_unique<Heard>(heard); });
    rows(reading, Work::kKernels, 2);
    EXPECT_EQ(heard, std::vector<int>({6})) << "not to its end";
    reading.listen({});
    rows(reading, Work::kKernels);
    EXPECT_EQ(heard, std::vector<int>({6}));
  }
}

TEST_F(ReadOnce, TimelinesAreMadeOfTheFirstReadingAndKept) {
  Reading reading(attribute(), Reading::Keeps::kTimelines, 1);
  rows(reading, Work::kKernels);
  const auto first = reading.timeline(trace_, Reading::Detail::kStates);
  EXPECT_EQ(first, reading.timeline(trace_, Reading::Detail::kCauses));
  EXPECT_EQ(attributions_, 1);
}

TEST_F(ReadOnce, OneReportHasATimelineOfItsOwn) {
  Reading reading(attribute(), Reading::Keeps::kWork, 1);
  const auto first = reading.timeline(trace_, Reading::Detail::kStates);
  EXPECT_EQ(rows(reading, Work::kKernels), 5U);
  EXPECT_EQ(attributions_, 1);
  EXPECT_NE(first, reading.timeline(trace_, Reading::Detail::kStates));
}

/// A report that reads work again costs as much again: none does so unless it says so.
TEST_F(ReadOnce, ReportsReadWorkAsOftenAsTheySay) {
  Registry registry;
  register_reports(registry);
  for (std::uint64_t i = 0; i < 40; ++i) {
    AttributedRow& row = work_.kernel("k", 10);
    row.gpu.correlation = row.gpu.launch = 10 + i;
    row.gpu.launched = true;
    row.gpu.start_ns = static_cast<std::int64_t>(1000 + 100 * i);
    row.attribution.step = static_cast<std::int64_t>(i / 5);
  }
  trace_.configs_[1] = {};
  const TraceSet traces = traces_of({&trace_});
  for (const auto& report : registry.all()) {
    const ReportInfo& info = report->info();
    attributions_ = 0;
    Reading reading(attribute(), Reading::Keeps::kNothing, 1);
    const RowFilter all;
    Tally tally;
    const std::vector<std::size_t> columns = info.shown(Form::kTable, false);
    NoLines lines;
    const Status status = report->run({traces, reading, all, tally}, {.columns = columns}, lines);
    // Those of several ranks open the files of their traces themselves, once each.
    if (!status) {
      EXPECT_EQ(status.error().where, trace_.path_) << info.name;
    }
    EXPECT_EQ(attributions_, status ? info.reads_work : 0) << info.name;
  }
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
    Reading reading(
        [this](TraceReader&, TraceReader::Work) { return std::make_unique<FakeWork>(work_); },
        Reading::Keeps::kNothing, traces, &progress);
    for (int i = 0; i < sources; ++i) {
      const auto source = reading.work(trace, TraceReader::Work::kKernels);
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

TEST(ReadProgress, OfAStageIsThatPartOfTheWhole) {
  std::string shown;
  tools::Progress::Time now;
  tools::Progress progress("p", {"rows"},
                           {[&shown](std::string_view text) { shown = text; },
                            [&now] { return now += std::chrono::seconds(4); }, 80});
  ReadProgress reading(1, progress);
  const auto read = [&reading](double part) {
    const std::size_t place = reading.begin();
    for (int i = 0; i < 4096; ++i) reading.row(place, [part] { return std::optional(part); });
  };
  read(0.5);
  read(0.5);
  EXPECT_EQ(shown.find('%'), std::string::npos) << "read again: " << shown;
  reading.stage(0.25, 0.75);
  read(0.5);
  EXPECT_NE(shown.find(", 50 %"), std::string::npos) << shown;
  read(0.5);
  EXPECT_NE(shown.find(", 25 %"), std::string::npos) << "as its begin says: " << shown;
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
