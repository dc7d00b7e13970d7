// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that runs out on the way from events to the sink costs records, which are counted, and
// never the program.
#include <gtest/gtest.h>

#include <new>

#include "collectors/core/batch_queue.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/recorder.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/unit/collectors/core/collecting_sink.hpp"

namespace prof::collectors {
namespace {

RecordBatch batch_with_mark() {
  RecordBatch batch;
  batch.on(MetaRecord{"key", "value"});
  batch.on(MarkRecord{});
  return batch;
}

TEST(OutOfMemory, AQueueCountsTheRecordsAndTakesTheNext) {
  CollectingSink sink;
  LossCounters losses;
  BatchQueue queue(sink, losses, std::size_t{1} << 20);
  queue.start();
  RecordBatch batch = batch_with_mark();
  {
    const test::FailingAllocations none;
    EXPECT_FALSE(queue.push(batch, true, 1));
  }
  EXPECT_EQ(losses.total(Loss::kStoreError), 1U);
  batch.on(MarkRecord{});
  EXPECT_TRUE(queue.push(batch, true, 2));
  EXPECT_TRUE(queue.wait_for(2, 10'000'000'000));
  queue.finish();
  EXPECT_EQ(sink.marks.size(), 1U);
  EXPECT_EQ(sink.metas["key"], "value") << "definitions wait";
}

struct CountingDecoder final : BufferDecoder {
  void decode(std::uint8_t*, std::size_t, ActivitySink&) override {}
  void release(std::uint8_t*) override { ++released; }
  std::string_view api_name(ApiRecord::Domain, std::uint32_t) override { return {}; }
  int released = 0;
};

TEST(OutOfMemory, WhatCannotBeSubmittedIsLostAndReleased) {
  CollectingSink sink;
  CountingDecoder decoder;
  auto recorder = Recorder::start(sink, nullptr, &decoder);
  ASSERT_TRUE(recorder.ok());
  const std::uint64_t lost_records = global().losses.total(Loss::kStoreError);
  const std::uint64_t lost_buffers = global().losses.total(Loss::kDroppedRecords);
  RecordBatch batch = batch_with_mark();
  std::uint8_t buffer = 0;
  {
    const test::FailingAllocations none;
    (*recorder)->submit(std::move(batch));
    (*recorder)->submit_buffer(&buffer, 1);
  }
  EXPECT_EQ(decoder.released, 1);
  EXPECT_EQ(global().losses.total(Loss::kStoreError), lost_records + 2);
  EXPECT_EQ(global().losses.total(Loss::kDroppedRecords), lost_buffers + 1);
  (*recorder)->submit(batch_with_mark());
  ASSERT_TRUE((*recorder)->stop().ok());
  EXPECT_EQ(sink.marks.size(), 1U);
}

TEST(OutOfMemory, AStepThatFailsDoesNotSkipTheNextOnes) {
  CollectingSink sink;
  struct Failing final : RecorderClient {
    void tick(ActivitySink&, bool) override { throw std::bad_alloc(); }
  };
  Failing client;
  auto recorder = Recorder::start(sink, &client, nullptr);
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE((*recorder)->flush().ok());
  (*recorder)->submit(batch_with_mark());
  ASSERT_TRUE((*recorder)->stop().ok());
  EXPECT_EQ(sink.marks.size(), 1U);
  EXPECT_GT(sink.lost(Loss::kStoreError), 0U);
}

}  // namespace
}  // namespace prof::collectors
