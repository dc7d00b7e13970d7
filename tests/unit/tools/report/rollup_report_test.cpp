// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the reports that sum up.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

class Rollups : public testing::Test {
 protected:
  // A kernel of an op in a layer; costs below 0 are unknown.
  FakeWork::Item& kernel(std::string_view layer, std::string_view op, Direction direction,
                         std::int64_t ns, double flops, double bytes) {
    auto& item = work_.kernel("k", ns);
    item.op.layer = layer;
    item.op.op = op;
    item.op.direction = direction;
    if (flops >= 0) item.attribution.cost.flops = flops;
    if (bytes >= 0) item.attribution.cost.bytes = bytes;
    item.attribution.call_id = ++last_call_;
    return item;
  }

  FakeTrace trace_;
  FakeWork work_;
  std::uint64_t last_call_ = 0;
};

TEST_F(Rollups, LayersAreSummedByDirectionMostTimeFirst) {
  kernel("A", "linear", Direction::kFprop, 1000, 2e6, 4000);
  kernel("B", "linear", Direction::kFprop, 6000, 6e6, 6000);
  kernel("A", "relu", Direction::kFprop, 1000, 0, 2000);
  kernel("A", "linear", Direction::kBprop, 2000, 4e6, 8000);
  EXPECT_EQ(reported("layers", trace_, work_, "table"),
            "Layer  Direction  Kernels   Time(ms)  Time(%)  GFLOP     MB  TFLOP/s  GB/s  Peak(%)  "
            "Roofline(%)\n"
            "-----  ---------  -------  ---------  -------  -----  -----  -------  ----  -------  "
            "-----------\n"
            "B      fprop            1    0.00600     60.0  0.006  0.006     1.00   1.0        -   "
            "         -\n"
            "A      bprop            1    0.00200     20.0  0.004  0.008     2.00   4.0        -   "
            "         -\n"
            "A      fprop            2    0.00200     20.0  0.002  0.006     1.00   3.0        -   "
            "         -\n"
            "-----  ---------  -------  ---------  -------  -----  -----  -------  ----  -------  "
            "-----------\n"
            "total                   4    0.0100     100.0  0.012  0.020     1.20   2.0        -   "
            "         -\n");
}

TEST_F(Rollups, UnknownIsNeverZero) {
  kernel("A", "odd", Direction::kFprop, 1000, -1, -1);
  kernel("B", "linear", Direction::kFprop, 2000, 2e6, 4000);
  kernel("B", "odd", Direction::kFprop, 2000, -1, -1);
  EXPECT_EQ(reported("layers", trace_, work_, "csv",
                     "layer,kernels,flops,flops_unknown,bytes,tflop_per_s,gb_per_s"),
            "layer,kernels,flops,flops_unknown,bytes,tflop_per_s,gb_per_s\n"
            "B,2,2000000,1,4000,1,2\n"
            "A,1,,1,,,\n");
}

TEST_F(Rollups, ASumWithUnknownPartsSaysSo) {
  kernel("B", "linear", Direction::kFprop, 2000, 2e9, 4000);
  kernel("B", "odd", Direction::kFprop, 2000, -1, -1);
  const std::string table = reported("layers", trace_, work_, "table", "layer,gflop");
  EXPECT_NE(table.find("B      ≥2.000"), std::string::npos) << table;
}

TEST_F(Rollups, BandwidthsAreOverTheTimeOfCollectivesAlone) {
  for (const double size : {4000.0, 2000.0}) {
    auto& item = kernel("A", "all_reduce", Direction::kBprop, 1000, -1, 2 * size);
    item.attribution.cost.read = size;
    item.attribution.cost.algorithm_bytes = size;
    item.attribution.cost.bus_bytes = size / 2;
  }
  kernel("A", "linear", Direction::kBprop, 5000, 1, 1);
  EXPECT_EQ(reported("layers", trace_, work_, "csv",
                     "layer,bytes_read,bytes_written,alg_gb_per_s,bus_gb_per_s"),
            "layer,bytes_read,bytes_written,alg_gb_per_s,bus_gb_per_s\nA,6000,,3,1.5\n");
}

TEST_F(Rollups, CopiesCountApartAndMoveTheirBytes) {
  kernel("A", "linear", Direction::kFprop, 1000, 1, 30);
  work_.copy(GpuRow::Kind::kMemcpy, 64, 500);
  RowFilter with_copies;
  with_copies.with_copies = true;
  EXPECT_EQ(reported("ops", trace_, work_, "csv", "kernels,copies,count,bytes,time_ns,mean_ns",
                     with_copies),
            "kernels,copies,count,bytes,time_ns,mean_ns\n1,1,2,94,1500,750\n");
}

TEST_F(Rollups, EveryColumnOfTheRowsCanBeAKey) {
  kernel("A", "linear", Direction::kFprop, 1000, 1, 1).op.tensors = {
      {"x", Tensor::Role::kIn, DType::kFloat32, {2, 3}}};
  kernel("B", "linear", Direction::kFprop, 1000, 1, 1).op.tensors = {
      {"x", Tensor::Role::kIn, DType::kFloat32, {2, 3}}};
  kernel("A", "linear", Direction::kFprop, 500, 1, 1).op.tensors = {
      {"x", Tensor::Role::kIn, DType::kFloat32, {23}}};
  EXPECT_EQ(reported("ops", trace_, work_, "json", "op,inputs,kernels"),
            "[\n{\"op\":\"linear\",\"inputs\":[[2,3]],\"kernels\":2},\n"
            "{\"op\":\"linear\",\"inputs\":[[23]],\"kernels\":1}\n]\n");
}

TEST_F(Rollups, OpsCountCalls) {
  // Work is read once.
  const auto launch = [&] {
    work_ = FakeWork();
    last_call_ = 0;
    kernel("A", "linear", Direction::kFprop, 1000, 1, 1);
    kernel("A", "linear", Direction::kFprop, 1000, 1, 1).attribution.call_id = 1;
    kernel("B", "linear", Direction::kFprop, 1000, 1, 1).attribution.call_id = 2;
    kernel("", "", Direction::kNone, 500, 1, 1).attribution.call_id = 0;
    // Two nodes and what they launch, in between work of the other call.
    for (const std::uint64_t call : {2U, 1U, 2U}) {
      kernel("B", "linear", Direction::kBprop, 500, 1, 1).attribution.call_id = call;
    }
  };
  launch();
  EXPECT_EQ(
      reported("ops", trace_, work_, "csv", "op,dir,calls,kernels,mean_ns"),
      "op,dir,calls,kernels,mean_ns\nlinear,fprop,2,3,1000\nlinear,bprop,2,3,500\n,,0,1,500\n");
  launch();
  EXPECT_EQ(reported("ops", trace_, work_, "csv", "op,calls"), "op,calls\nlinear,2\n,0\n");
  // Of layers that are added up.
  launch();
  EXPECT_EQ(reported("layers", trace_, work_, "csv", "calls"), "calls\n2\n");
}

TEST_F(Rollups, EveryReplayOfAGraphIsACall) {
  for (const Correlation replay : {7U, 7U, 8U}) {
    FakeWork::Item& item = kernel("A", "linear", Direction::kFprop, 1000, 1, 1);
    item.attribution.call_id = 1;
    item.gpu.origin = Origin::kGraph;
    item.gpu.launch = replay;
  }
  EXPECT_EQ(reported("ops", trace_, work_, "csv", "op,calls"), "op,calls\nlinear,2\n");
}

TEST_F(Rollups, TheChosenKeysMakeTheGroups) {
  kernel("A", "linear", Direction::kFprop, 1000, 1, 1).op.params = "M=1";
  kernel("A", "linear", Direction::kFprop, 2000, 1, 1).op.params = "M=2";
  kernel("B", "linear", Direction::kFprop, 4000, 1, 1).attribution.step = 5;
  kernel("B", "linear", Direction::kFprop, 1, 1, 1).attribution.step = -5;
  EXPECT_EQ(reported("ops", trace_, work_, "csv", "op,params,step,time_ns"),
            "op,params,step,time_ns\nlinear,,5,4000\nlinear,M=2,,2000\nlinear,M=1,,1000\n"
            "linear,,-5,1\n");
}

TEST_F(Rollups, WithoutAKeyThereIsOneGroup) {
  kernel("A", "linear", Direction::kFprop, 1000, 1, 1);
  kernel("B", "relu", Direction::kFprop, 2000, 1, 1);
  EXPECT_EQ(reported("ops", trace_, work_, "csv", "kernels,time_us"), "kernels,time_us\n2,3.000\n");
}

TEST_F(Rollups, EqualTimesAreOrderedByName) {
  for (const char* layer : {"C", "A", "B", ""}) {
    kernel(layer, "x", Direction::kFprop, 1000, 1, 1);
  }
  EXPECT_EQ(reported("layers", trace_, work_, "csv", "layer,kernels"),
            "layer,kernels\n,1\nA,1\nB,1\nC,1\n");
}

TEST_F(Rollups, TextsThatJoinAlikeAreDifferentGroups) {
  kernel("ab", "c", Direction::kFprop, 2, 1, 1);
  kernel("a", "bc", Direction::kFprop, 1, 1, 1);
  EXPECT_EQ(reported("ops", trace_, work_, "csv", "layer,op"), "layer,op\nab,c\na,bc\n");
}

TEST_F(Rollups, GroupsThatExceedTheMemoryAreTheSame) {
  constexpr std::string_view kColumns =
      "op,layer,inputs,provenance,grid,calls,kernels,time_us,time_pct,flops,bytes,intensity,"
      "flops_unknown,peak_pct,min_ns,max_ns,median_ns,stddev_ns";
  const auto table = [&](std::size_t memory_bytes) {
    work_ = {};
    for (int i = 0; i < 60; ++i) {
      const std::string layer = i % 5 == 0 ? "" : "h." + std::to_string(i % 5);
      auto& item = kernel(layer, i % 3 == 0 ? "linear" : "relu", Direction::kFprop,
                          i % 7 == 0 ? 0 : 100 * (i % 4), i % 2 == 0 ? 5 : -1, 3);
      item.op.tensors = {{"x", Tensor::Role::kIn, DType::kFloat32, {i % 2, 3}}};
    }
    return reported(
        {.report = "ops", .form = "table", .columns = kColumns, .memory_bytes = memory_bytes},
        trace_, work_);
  };
  const std::string in_memory = table(std::size_t{1} << 30U);
  EXPECT_EQ(table(0), in_memory);     // each row by itself
  EXPECT_EQ(table(5000), in_memory);  // some groups at a time
  EXPECT_EQ(std::ranges::count(in_memory, '\n'), 20 + 4);
}

TEST_F(Rollups, ALimitOnLinesEndsGroupsInTemporaryFiles) {
  for (const char* layer : {"C", "A", "B"}) kernel(layer, "x", Direction::kFprop, 1000, 1, 1);
  EXPECT_EQ(reported({.report = "layers",
                      .form = "csv",
                      .columns = "layer,kernels",
                      .lines = {.where = {}, .sort = {}, .ascending = {}, .top = 1},
                      .memory_bytes = 0},
                     trace_, work_),
            "layer,kernels\nA,1\n");
}

TEST_F(Rollups, AnEmptyTraceHasNoTotal) {
  EXPECT_EQ(reported("ops", trace_, work_, "table", "op,kernels"), "Op  Kernels\n--  -------\n");
  EXPECT_EQ(reported("ops", trace_, work_, "json"), "[]\n");
}

}  // namespace
}  // namespace prof::reports
