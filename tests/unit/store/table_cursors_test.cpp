// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables that need no attribution: every field of a row, the order, and what is unknown.
#include <gtest/gtest.h>

#include "libprof/store/read/record_cursor.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/support/row_cursors.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

class TableCursorsTest : public testing::Test {
 protected:
  template <typename Feed>
  std::unique_ptr<TraceReader> trace(Feed feed) {
    {
      auto writer = TraceWriter::create(path_, {.force = true});
      EXPECT_TRUE(writer.ok()) << writer.error().to_line();
      feed(static_cast<RecordSink&>(**writer));
    }
    auto reader = TraceReader::open(path_);
    EXPECT_TRUE(reader.ok()) << reader.error().to_line();
    return reader.ok() ? std::move(*reader) : nullptr;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
};

TEST_F(TableCursorsTest, EveryFieldIsReadBack) {
  const auto reader = trace([](RecordSink& sink) { feed_full_records(sink); });
  ASSERT_NE(reader, nullptr);
  constexpr std::int64_t kTime = 554'909'269;

  const auto calls = rows_of(reader->api_calls());
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].correlation, 0x500000003u);
  EXPECT_EQ(calls[0].depth, 1u);
  EXPECT_EQ(calls[0].domain, ApiRecord::Domain::kDriver);
  EXPECT_EQ(reader->string(calls[0].function), "text 9");
  EXPECT_EQ(calls[0].thread, ThreadId{4});
  EXPECT_EQ(calls[0].range, 0x400000012u);
  EXPECT_EQ(calls[0].status, -700);
  EXPECT_EQ(calls[0].start_ns, kTime - 10);
  EXPECT_EQ(calls[0].duration_ns, 20);

  const auto ranges = rows_of(reader->all_ranges());
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].id, 0x400000012u);
  EXPECT_EQ(ranges[0].parent, 0x400000011u);
  EXPECT_EQ(ranges[0].alias_of, 0x400000010u);
  EXPECT_EQ(ranges[0].kind, RangeRecord::Kind::kAlias);
  EXPECT_EQ(ranges[0].thread, ThreadId{4});
  EXPECT_EQ(ranges[0].domain, DomainId{2});
  EXPECT_EQ(ranges[0].text, "op, seq = 616");
  EXPECT_EQ(ranges[0].start_ns, kTime);
  EXPECT_EQ(ranges[0].duration_ns, 99);

  const auto marks = rows_of(reader->marks());
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].thread, ThreadId{4});
  EXPECT_EQ(marks[0].domain, DomainId{2});
  EXPECT_EQ(marks[0].parent, 0x400000012u);
  EXPECT_EQ(marks[0].text, "op, seq = 616");
  EXPECT_EQ(marks[0].category, 18u);
  EXPECT_EQ(marks[0].payload, (Payload{Payload::Type::kInt32, 0xffffffffu}));
  EXPECT_EQ(marks[0].time_ns, kTime + 5);

  const auto waits = rows_of(reader->synchronizations());
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].type, SyncRecord::Type::kStreamWaitEvent);
  EXPECT_EQ(waits[0].context, 2u);
  EXPECT_EQ(waits[0].stream, 13u);
  EXPECT_EQ(waits[0].event, 6u);
  EXPECT_EQ(waits[0].correlation, 0x500000004u);
  EXPECT_EQ(waits[0].start_ns, kTime + 400);
  EXPECT_EQ(waits[0].duration_ns, 100);
  EXPECT_FALSE(waits[0].called);

  const auto overheads = rows_of(reader->overheads());
  ASSERT_EQ(overheads.size(), 1u);
  EXPECT_EQ(overheads[0].kind, "text 11");
  EXPECT_EQ(overheads[0].os_tid, 1234u);
  EXPECT_EQ(overheads[0].start_ns, kTime + 600);
  EXPECT_EQ(overheads[0].duration_ns, 100);

  const auto states = rows_of(records_of<DeviceStateRecord>(*reader));
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0], (DeviceStateRecord{3, 1'795'219'187'000'000'000 + kTime + 800, 1980, 2619, 0,
                                          41, 0, 0x123456789a}));

  const auto allocations = rows_of(records_of<AllocationRecord>(*reader));
  ASSERT_EQ(allocations.size(), 1u);
  EXPECT_EQ(
      allocations[0],
      (AllocationRecord{0x500000005, AllocationRecord::Operation::kAllocate, MemoryKind::kDevice, 3,
                        2, 13, 1'795'219'187'000'000'000 + kTime + 850, 0x7f0000000000, 8192,
                        StringId{9}, 0x5000, 33'554'432}));

  const auto os_calls = rows_of(records_of<OsCallRecord>(*reader));
  ASSERT_EQ(os_calls.size(), 1u);
  EXPECT_EQ(os_calls[0], (OsCallRecord{ThreadId{4}, 0x400000012, StringId{9},
                                       1'795'219'187'000'000'000 + kTime + 900,
                                       1'795'219'187'000'000'000 + kTime + 950}));

  const auto captures = records_of<CaptureRecord>(*reader);
  const CaptureRecord* const capture = captures->next();
  ASSERT_NE(capture, nullptr);
  constexpr std::int64_t kRealTime = 1'795'219'187'000'000'000 + kTime;
  EXPECT_EQ(*capture, (CaptureRecord{2, kRealTime + 5, kRealTime + 995, "step 10", "end of step 12",
                                     257, 513}));

  const auto clocks = rows_of(reader->clock_syncs());
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_EQ(clocks[0].realtime_ns, 1'795'219'187'000'000'000 + kTime);
  EXPECT_EQ(clocks[0].monotonic_ns, 123'456'789);
  EXPECT_EQ(clocks[0].cupti_ns, 1'795'219'187'000'000'000 + kTime + 1);
}

TEST_F(TableCursorsTest, WhatIsUnknownIsAbsent) {
  const auto reader = trace([](RecordSink& sink) {
    sink.on(ApiRecord{});
    RangeRecord range;
    range.id = 1;
    sink.on(range);
    range.id = 2;
    range.kind = RangeRecord::Kind::kStartEnd;
    range.start_ns = 1'000;
    sink.on(range);
    sink.on(MarkRecord{});
    sink.on(SyncRecord{});
    sink.on(OverheadRecord{});
    sink.on(DeviceStateRecord{});
  });
  ASSERT_NE(reader, nullptr);
  const auto states = rows_of(records_of<DeviceStateRecord>(*reader));
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0], DeviceStateRecord{});
  const auto calls = rows_of(reader->api_calls());
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].start_ns, std::nullopt);
  EXPECT_EQ(calls[0].duration_ns, std::nullopt);
  const auto ranges = rows_of(reader->all_ranges());
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].start_ns, std::nullopt);
  EXPECT_EQ(ranges[1].kind, RangeRecord::Kind::kStartEnd);
  EXPECT_EQ(ranges[1].start_ns, 0);
  EXPECT_EQ(ranges[1].duration_ns, std::nullopt) << "never closed";
  const auto marks = rows_of(reader->marks());
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].time_ns, std::nullopt);
  EXPECT_EQ(marks[0].payload.type, Payload::Type::kNone);
  const auto waits = rows_of(reader->synchronizations());
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].start_ns, std::nullopt);
  EXPECT_FALSE(waits[0].called) << "correlation 0 is no call's";
  const auto overheads = rows_of(reader->overheads());
  ASSERT_EQ(overheads.size(), 1u);
  EXPECT_EQ(overheads[0].kind, "");
  EXPECT_EQ(overheads[0].duration_ns, std::nullopt);
  EXPECT_TRUE(rows_of(reader->clock_syncs()).empty());
}

TEST_F(TableCursorsTest, CallsComeInCallOrderAndAWaitHasItsOutermostCall) {
  const auto reader = trace([](RecordSink& sink) {
    const auto api = [&sink](Correlation correlation, std::uint32_t depth, std::uint32_t thread,
                             std::uint32_t function) {
      ApiRecord record;
      record.correlation = correlation;
      record.depth = depth;
      record.domain = depth == 0 ? ApiRecord::Domain::kRuntime : ApiRecord::Domain::kDriver;
      record.thread = ThreadId{thread};
      record.function = StringId{function};
      sink.on(record);
    };
    api(9, 0, 2, 90);
    api(7, 1, 1, 71);  // The inner call comes first, as it ends first.
    api(7, 0, 1, 70);
    for (const Correlation correlation : {9u, 7u, 8u}) {
      SyncRecord wait;
      wait.correlation = correlation;
      sink.on(wait);
    }
  });
  ASSERT_NE(reader, nullptr);
  std::string calls;
  for (const ApiCallRow& row : rows_of(reader->api_calls())) {
    calls += std::to_string(row.correlation) + "/" + std::to_string(row.depth) + ":" +
             std::to_string(row.function.value) +
             (row.domain == ApiRecord::Domain::kDriver ? "d " : "r ");
  }
  EXPECT_EQ(calls, "7/0:70r 7/1:71d 9/0:90r ");
  std::string waits;
  for (const SyncRow& row : rows_of(reader->synchronizations())) {
    waits += row.called
                 ? std::to_string(row.thread.value) + ":" + std::to_string(row.function.value) + " "
                 : "- ";
  }
  EXPECT_EQ(waits, "2:90 1:70 - ");
}

TEST_F(TableCursorsTest, ACursorOutlivesItsReader) {
  auto reader = trace([](RecordSink& sink) { feed_full_records(sink); });
  ASSERT_NE(reader, nullptr);
  const auto marks = reader->marks();
  reader.reset();
  const MarkRow* const mark = marks->next();
  ASSERT_NE(mark, nullptr);
  EXPECT_EQ(mark->text, "op, seq = 616");
  EXPECT_EQ(marks->next(), nullptr);
}

}  // namespace
}  // namespace prof
