// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the reports that group rows by keys of their own, and of those that add up a GPU's time.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

class GroupReports : public testing::Test {
 protected:
  GroupReports() { trace_.configs_[1] = {}; }

  /// A kernel of a call that takes 10 ns from `launch_ns` on.
  FakeWork::Item& launched(Correlation launch, std::int64_t launch_ns, std::int64_t start_ns,
                           std::string_view op = "") {
    FakeWork::Item& item = work_.kernel("k", 10);
    item.op.op = op;
    item.gpu.launched = true;
    item.gpu.correlation = item.gpu.launch = launch;
    item.gpu.launch_start_ns = launch_ns;
    item.gpu.launch_duration_ns = 10;
    item.gpu.start_ns = start_ns;
    return item;
  }
  FakeWork::Item& ran(std::int64_t start_ns, std::int64_t duration_ns) {
    FakeWork::Item& item = work_.kernel("k", duration_ns);
    item.gpu.start_ns = start_ns;
    return item;
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(GroupReports, ACallCountsOnceAndHasWhatAllOfItsKernelsHave) {
  launched(1, 100, 150, "linear").op.layer = "h.0";
  launched(1, 100, 140, "relu").op.layer = "h.0";
  launched(2, 200, 20'000, "linear").op.layer = "h.1";
  work_.kernel("k", 10).op.op = "without a launch";
  EXPECT_EQ(reported("launch", trace_, work_, "csv",
                     "op,layer,launches,kernels,cpu_ns,delay_median_ns,launch_bound_pct,time_ns"),
            "op,layer,launches,kernels,cpu_ns,delay_median_ns,launch_bound_pct,time_ns\n"
            ",h.0,1,2,10,40,100,20\nlinear,h.1,1,1,10,19800,0,10\n");
}

TEST_F(GroupReports, KernelsOfAnotherOriginAreOfAnotherLaunch) {
  launched(1, 100, 150);
  launched(1, 100, 150).gpu.origin = Origin::kGraph;
  EXPECT_EQ(reported("launch", trace_, work_, "csv", "origin,launches"),
            "origin,launches\napi,1\ngraph,1\n");
}

TEST_F(GroupReports, ACorrelationOfAnotherTraceIsAnotherCall) {
  FakeTrace other;
  other.configs_[1] = {};
  other.path_ = "other.db";
  FakeWork work;
  launched(1, 100, 150);
  const auto attribute = [&](TraceReader& trace, TraceReader::Work) {
    if (&trace == &trace_) return std::make_unique<LentWork>(work_);
    FakeWork::Item& item = work.kernel("k", 10);
    item.gpu.launched = true;
    item.gpu.launch = 1;
    return std::make_unique<LentWork>(work);
  };
  EXPECT_EQ(reported({.report = "launch", .form = "csv", .columns = "launches,kernels"},
                     traces_of({&trace_, &other}), attribute),
            "launches,kernels\n1,1\n1,1\n");
}

TEST_F(GroupReports, KernelsCountInTheTimeOfAllWorkAlone) {
  work_.kernel("k", 300);
  work_.copy(GpuRow::Kind::kMemset, 64, 100).gpu.start_ns = 1;
  work_.copy(GpuRow::Kind::kMemset, 16, 0);
  EXPECT_EQ(reported("memory", trace_, work_, "csv",
                     "copy,count,bytes,time_ns,share_pct,gb_per_s,min_bytes,max_bytes"),
            "copy,count,bytes,time_ns,share_pct,gb_per_s,min_bytes,max_bytes\n"
            "memset,2,80,100,25,0.64,16,64\n");
}

TEST_F(GroupReports, KeysThatAreNotShownSeparateGroups) {
  for (const char* op : {"a", "b", "a"}) work_.kernel("k", 100).op.op = op;
  EXPECT_EQ(reported("roofline", trace_, work_, "csv", "kernels"), "kernels\n2\n1\n");
}

TEST_F(GroupReports, KeysOnRequestSeparateGroupsIfTheyAreAskedFor) {
  for (const int step : {1, 2, 1}) work_.kernel("k", 100).attribution.step = step;
  EXPECT_EQ(reported("roofline", trace_, work_, "csv", "step,kernels"), "step,kernels\n1,2\n2,1\n");
}

TEST_F(GroupReports, EqualTimesAreOrderedByTheSecondWeight) {
  for (const std::size_t memory_bytes : {std::size_t{0}, std::size_t{1} << 30U}) {
    work_ = {};
    work_.kernel("k", 200).op.op = "a";
    for (int i = 0; i < 2; ++i) work_.kernel("k", 100).op.op = "b";
    EXPECT_EQ(reported({.report = "roofline",
                        .form = "csv",
                        .columns = "op,kernels",
                        .memory_bytes = memory_bytes},
                       trace_, work_),
              "op,kernels\nb,2\na,1\n");
  }
}

TEST_F(GroupReports, GroupsThatExceedTheMemoryAreTheSame) {
  const auto table = [&](std::string_view report, std::string_view columns, std::size_t memory) {
    work_ = {};
    for (int i = 0; i < 60; ++i) {
      auto& item = launched(static_cast<Correlation>(i / 2 + 1), 100 * i, 100 * i + i % 9 * 1000,
                            i % 3 == 0 ? "linear" : "relu");
      item.attribution.step = i / 2 % 4;
      item.attribution.op_id = 1;
      item.attribution.share = 1;
      item.attribution.cost.flops = 5;
      if (i % 5 == 0) item.attribution.cost.bytes = 3;
      if (report != "memory") continue;
      work_
          .copy(i % 2 == 0 ? GpuRow::Kind::kMemset : GpuRow::Kind::kMemcpy,
                static_cast<std::uint64_t>(100 + i % 7), i % 3)
          .attribution.step = i % 4;
    }
    return reported({.report = report, .form = "csv", .columns = columns, .memory_bytes = memory},
                    trace_, work_);
  };
  constexpr std::pair<std::string_view, std::string_view> kReports[] = {
      {"launch", "op,step,launches,delay_p95_ns,cpu_median_ns,launch_bound_pct,time_ns"},
      {"roofline", "op,step,latency_by,kernels,intensity,tflop_per_s,gb_per_s,time_pct"},
      {"memory", "step,count,bytes,call_ns,share_pct,min_bytes,max_bytes"}};
  for (const auto& [report, columns] : kReports) {
    const std::string in_memory = table(report, columns, std::size_t{1} << 30U);
    EXPECT_GT(std::ranges::count(in_memory, '\n'), 4) << report;
    EXPECT_EQ(table(report, columns, 0), in_memory);
  }
}

TEST_F(GroupReports, PartsOfAGpusTimeCutItsStretches) {
  ran(1000, 20);
  ran(1025, 20);  // 45 ns in all: parts of 1 and 2 ns
  const std::string parts =
      reported("utilization", trace_, work_, "csv", "part,start_ns,time_ns,computing_pct,idle_pct");
  EXPECT_TRUE(
      parts.starts_with("part,start_ns,time_ns,computing_pct,idle_pct\n"
                        "1,1000,1,100,0\n2,1001,2,100,0\n3,1003,1,100,0\n"))
      << parts;
  EXPECT_NE(parts.find("\n14,1019,2,50,50\n15,1021,1,0,100\n16,1022,2,0,100\n"), std::string::npos)
      << parts;
  EXPECT_TRUE(parts.ends_with("\n30,1043,2,100,0\n")) << parts;
}

TEST_F(GroupReports, PartsThatHaveNoTimeAreLeftOut) {
  ran(1000, 2);
  EXPECT_EQ(reported("utilization", trace_, work_, "csv", "part,start_ns,time_ns"),
            "part,start_ns,time_ns\n15,1000,1\n30,1001,1\n");
}

TEST_F(GroupReports, BusyTimeOfAStreamCountsOverlapsOnceInAnyOrder) {
  ran(1000, 100);
  ran(1300, 50);
  ran(1050, 100);
  ran(1060, 10);
  work_.kernel("k", 0);  // its time is not known
  EXPECT_EQ(reported("streams", trace_, work_, "csv", "kernels,busy_ns,idle_ns,first_ns,last_ns"),
            "kernels,busy_ns,idle_ns,first_ns,last_ns\n5,200,150,1000,1350\n");
}

}  // namespace
}  // namespace prof::reports
