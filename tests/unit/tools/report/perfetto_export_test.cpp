// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of `--export perfetto`: typed GPU work, its launches, tracks and processes, names.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/tools/report/exports.hpp"
#include "tests/unit/tools/report/perfetto_trace.hpp"
#include "tools/report/export/formats/perfetto_packets.hpp"

namespace prof::reports {
namespace {

using exports::PerfettoTrace;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class PerfettoExport : public ExportTest {
 protected:
  PerfettoTrace read(std::size_t traces = 2) { return PerfettoTrace(exported("perfetto", traces)); }

  void range(std::string text, std::int64_t start_ns, std::int64_t duration_ns,
             RangeRecord::Kind kind = RangeRecord::Kind::kPushPop) {
    RangeSpanRow& row = traces_[0].range_spans_.emplace_back();
    row.id = static_cast<RangeId>(traces_[0].range_spans_.size());
    row.kind = kind;
    row.thread = ThreadId{1};
    row.text = std::move(text);
    row.start_ns = start_ns;
    row.duration_ns = duration_ns;
  }
};

TEST_F(PerfettoExport, GpuWorkHasItsTypeAndPlace) {
  FakeWork::Item& item = launch(0, "gemm", 30);
  item.facts.demangled = "void gemm<float>(int)";
  item.op.layer = "net:fc";
  item.attribution.cost.flops = 4096;
  traces_[0].configs_[1].grid = {4, 2, 1};
  const PerfettoTrace trace = read(1);
  ASSERT_EQ(trace.work.size(), 1U);
  const PerfettoTrace::Work& work = trace.work.front();
  EXPECT_EQ(work.name, "gemm");
  EXPECT_EQ(work.full_name, "void gemm<float>(int)");
  EXPECT_EQ(work.start_ns, 150U);
  EXPECT_EQ(work.duration_ns, 30U);
  EXPECT_EQ(work.queue, "stream 7");
  EXPECT_EQ(work.stage, "kernel");
  EXPECT_THAT(work.grid, ElementsAre(4, 2, 1));
  EXPECT_THAT(work.arguments, Contains(Pair("layer", "net:fc")));
  EXPECT_THAT(work.arguments, Contains(Pair("flops", "4096")));
  EXPECT_THAT(trace.gpus, ElementsAre("GPU 0 (NVIDIA H200)"));
}

TEST_F(PerfettoExport, EveryCallListsWhatItLaunched) {
  for (const std::size_t rank : {0U, 1U}) {
    launch(rank, "a", 30);
    launch(rank, "b", 500);
    launch(rank, "c", 30);  // overlaps b: another lane, if it were a slice
  }
  const PerfettoTrace trace = read();
  std::vector<std::uint64_t> launched, ids;
  for (const PerfettoTrace::Slice& slice : trace.slices) {
    EXPECT_EQ(slice.name, "cudaLaunchKernel");
    EXPECT_EQ(slice.end_ns - slice.start_ns, 20U);
    launched.insert(launched.end(), slice.launched.begin(), slice.launched.end());
  }
  for (const PerfettoTrace::Work& work : trace.work) ids.push_back(work.id);
  std::ranges::sort(launched);
  std::ranges::sort(ids);
  EXPECT_EQ(launched, ids);
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(PerfettoExport, RanksAreProcessesAndHaveTheirGpus) {
  launch(0, "a", 30);
  launch(1, "b", 30);
  traces_[1].api_calls_.back().duration_ns = 25;
  const PerfettoTrace trace = read();
  EXPECT_THAT(trace.processes, ElementsAre("a.db (rank 0)", "b.db (rank 1)"));
  EXPECT_THAT(trace.gpus, ElementsAre("a.db (rank 0) GPU 0 (NVIDIA H200)",
                                      "b.db (rank 1) GPU 0 (NVIDIA H200)"));
  ASSERT_EQ(trace.work.size(), 2U);
  EXPECT_EQ(trace.work[0].gpu, 0U);
  EXPECT_EQ(trace.work[1].gpu, 1U);
  EXPECT_EQ(trace.work[0].pid, 1U);
  EXPECT_EQ(trace.work[1].pid, 2U);
  EXPECT_EQ(trace.slices[0].track, "a.db (rank 0)/thread 1 main");
  EXPECT_EQ(trace.slices[1].track, "b.db (rank 1)/thread 1 main");
  EXPECT_EQ(trace.wall_clock_ns, 1'000'000U);
}

TEST_F(PerfettoExport, RangesNestAroundCalls) {
  range("outer", 50, 500);
  range("inner", 90, 40);
  range("apart", 60, 900, RangeRecord::Kind::kStartEnd);
  launch(0, "a", 30);
  const PerfettoTrace trace = read(1);
  std::vector<std::string> names, tracks;
  for (const PerfettoTrace::Slice& slice : trace.slices) {
    names.push_back(slice.name);
    tracks.push_back(slice.track.substr(slice.track.find('/') + 1));
  }
  EXPECT_THAT(names, ElementsAre("cudaLaunchKernel", "inner", "outer", "apart"));
  EXPECT_THAT(tracks,
              ElementsAre("thread 1 main", "thread 1 main", "thread 1 main", "process ranges"));
  EXPECT_THAT(trace.slices[0].launched, ElementsAre(1));
}

TEST_F(PerfettoExport, ALaunchInNoSliceHasNoArrowAndIsCounted) {
  launch(0, "a", 30);
  traces_[0].api_calls_.clear();
  EXPECT_THAT(read(1).slices, IsEmpty());
  EXPECT_THAT(tally_.remarks, Contains("without an arrow: 1 launch in no range or call"));
}

TEST_F(PerfettoExport, TimesBeforeTheTraceAreNotNegative) {
  range("open", -1000, 1200);
  launch(0, "a", 30);
  const PerfettoTrace trace = read(1);
  EXPECT_EQ(trace.slices.back().start_ns, 0U);
  EXPECT_EQ(trace.work.front().start_ns, 1150U);
}

TEST_F(PerfettoExport, ACollectiveWaitsForTheRankThatComesLast) {
  for (const std::size_t rank : {0U, 1U}) {
    FakeWork::Item& item = launch(rank, "ncclDevKernel_AllReduce", 100);
    item.facts.is_communication = true;
    item.gpu.start_ns += 40 * static_cast<std::int64_t>(rank);
  }
  tell_waits_ = [](const TraceSet& set, RankWaits& waits) {
    const auto& members = set.members();
    waits.of({&members[0].identity, 0}).collectives = {{150, 250, 40, "rank 1", 9}};
    waits.of({&members[1].identity, 0}).collectives = {{190, 290, 0, "", 9}};
  };
  const PerfettoTrace trace = read();
  ASSERT_EQ(trace.work.size(), 2U);
  EXPECT_THAT(trace.work[0].waits_for, ElementsAre(trace.work[1].id));
  EXPECT_THAT(trace.work[1].waits_for, IsEmpty());
  EXPECT_THAT(trace.work[0].arguments, Contains(Pair("waits_for", "rank 1")));
  // Its launch knows it by the same number.
  std::vector<std::vector<std::uint64_t>> launched;
  for (const PerfettoTrace::Slice& slice : trace.slices) launched.push_back(slice.launched);
  EXPECT_THAT(launched, Contains(ElementsAre(trace.work[1].id)));
}

TEST_F(PerfettoExport, NamesAreUtf8) {
  range(std::string(kBadName), 50, 500);
  launch(0, std::string(kBadName), 30);
  const PerfettoTrace trace = read(1);
  EXPECT_EQ(trace.work.front().name, kGoodName);
  EXPECT_EQ(trace.work.front().full_name, kGoodName);
  EXPECT_EQ(trace.slices.back().name, kGoodName);
}

TEST_F(PerfettoExport, WhatHasNoTimeIsCounted) {
  launch(0, "lost", 0).gpu.start_ns = 0;
  EXPECT_THAT(read(1).work, IsEmpty());
  EXPECT_THAT(tally_.remarks, Contains(HasSubstr("1 piece of GPU work without a time")));
}

TEST(PerfettoPackets, TextsWithoutRoomAreStatedWhereTheyStand) {
  const std::string bytes = output_of([](tools::Output& output) {
    exports::PerfettoPackets packets(output, 5);
    using exports::perfetto::InternedData;
    EXPECT_EQ(packets.iid(InternedData::kEventNames, "four"), 1U);
    EXPECT_EQ(packets.iid(InternedData::kEventNames, "five"), 0U);
    EXPECT_EQ(packets.iid(InternedData::kEventNames, "four"), 1U);
    using exports::perfetto::TrackEvent;
    std::string message;
    protozero::pbf_builder<TrackEvent> event(message);
    packets.add_text(event, InternedData::kEventNames, TrackEvent::kNameIid, TrackEvent::kName,
                     "five");
    EXPECT_EQ(exports::ProtoFields(message).text(TrackEvent::kName), "five");
  });
  EXPECT_EQ(exports::ProtoFields(bytes).messages(exports::perfetto::Trace::kPacket).size(), 1U);
}

}  // namespace
}  // namespace prof::reports
