// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of report `losses`: it has every loss of the trace, and each kernel of which something is
// not known or a guess.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "libprof/model/losses.hpp"
#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using testing::HasSubstr;

class LossesTest : public testing::Test {
 protected:
  LossesTest() {
    trace_.meta_ = {{"ended", "exit"}};
    trace_.devices_.emplace_back().name = "NVIDIA H200";
  }
  /// A kernel of which all is known.
  FakeWork::Item& kernel(std::int64_t duration_ns) {
    FakeWork::Item& item = work_.kernel("gemm", duration_ns);
    item.gpu.launched = true;
    item.op.layer = "fc";
    item.op.op = "linear";
    item.op.known_op = true;
    item.op.direction = Direction::kFprop;
    item.op.dtype = DType::kFloat16;
    item.op.layer_from = item.op.op_from = item.op.direction_from = item.op.shapes_from =
        item.op.dtype_from = Provenance::kExact;
    item.attribution.op_id = 1;
    item.attribution.share = 1;
    item.attribution.basis = Basis::kExact;
    item.attribution.cost.flops = 1e6;
    item.attribution.cost.bytes = 1e3;
    item.facts.tensor_core = TensorCore::kYes;
    item.facts.operand_dtype = DType::kFloat16;
    return item;
  }
  std::string losses(std::string_view columns, RowFilter filter = {}) {
    return reported({"losses", "csv", columns, std::move(filter), {}, {}}, trace_, work_);
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(LossesTest, OfAWholeTraceAreNone) {
  kernel(1000);
  EXPECT_EQ(losses("word,count"), "word,count\n");
}

TEST_F(LossesTest, HaveALineForEachThatTheTraceRecords) {
  for (const LossInfo& loss : kLossInfos) {
    trace_.losses_ = {{.what = std::string(loss.word), .count = 3, .detail = ""}};
    const bool is_notice = loss.severity == Severity::kNotice;
    EXPECT_THAT(losses("kind,count,word,time_ns"),
                HasSubstr(fmt::format("\n{},3,{},\n", is_notice ? "notice" : "lost", loss.word)));
    EXPECT_THAT(losses("what"), HasSubstr(std::string(loss.text)));
    EXPECT_THAT(losses("advice"), HasSubstr(std::string(loss.advice)));
  }
  trace_.losses_ = {{.what = "of_a_newer_version", .count = 2, .detail = "see there"}};
  EXPECT_EQ(losses("kind,what,advice"),
            "kind,what,advice\nlost,'of_a_newer_version': see there,\n");
}

TEST_F(LossesTest, TellOfACaptureThatDidNotEnd) {
  trace_.meta_.erase("ended");
  EXPECT_THAT(losses("kind,count,word"), HasSubstr("lost,1,killed\n"));
}

TEST_F(LossesTest, CountKernelsWithTheirTime) {
  kernel(6000);
  kernel(3000).attribution.cost.flops.reset();
  FakeWork::Item& guessed = kernel(1000);
  guessed.op.layer_from = Provenance::kEstimated;
  guessed.attribution.cost.bytes.reset();
  EXPECT_EQ(losses("kind,count,time_ns,time_pct,word"),
            "kind,count,time_ns,time_pct,word\n"
            "unknown,2,4000,40,no_roofline\n"
            "unknown,1,3000,30,no_flops\n"
            "unknown,1,1000,10,no_bytes\n"
            "guess,1,1000,10,layer_estimated\n");
}

// Faster than the memory of either: 48 MB are 10 us of an H200, 31 of an A100.
TEST_F(LossesTest, AreNoneOfAnL2WhoseBandwidthIsMeasured) {
  kernel(9000).attribution.cost.bytes = 48e6;
  EXPECT_EQ(losses("word"), "word\n");
}

TEST_F(LossesTest, OfAnL2WhoseBandwidthIsEstimated) {
  trace_.devices_[0].name = "NVIDIA A100-PCIE-40GB";
  kernel(9000).attribution.cost.bytes = 48e6;
  EXPECT_EQ(losses("kind,count,word"), "kind,count,word\nguess,1,l2_estimated\n");
}

TEST_F(LossesTest, DoNotTakeHelpersForKernelsWithoutALimit) {
  FakeWork::Item& helper = kernel(1000);
  helper.attribution.share = 0;
  helper.attribution.cost.flops = helper.attribution.cost.bytes = 0;
  EXPECT_EQ(losses("word"), "word\n");
}

TEST_F(LossesTest, OfStepsAreThoseOfTracesWithSteps) {
  kernel(1000);
  kernel(1000).attribution.step = 1;
  EXPECT_EQ(losses("word,count,time_pct"), "word,count,time_pct\nno_step,1,50\n");
}

TEST_F(LossesTest, WithoutTimesHaveNone) {
  kernel(0).op.op.clear();
  EXPECT_THAT(losses("word,count,time_ns"),
              testing::AllOf(HasSubstr("no_op,1,\n"), HasSubstr("no_times,1,\n")));
}

TEST_F(LossesTest, WithSomeTimesHaveALowerBound) {
  kernel(0).op.op.clear();
  kernel(1000).op.op.clear();
  EXPECT_THAT(reported("losses", trace_, work_, "table", "word,count,time_ns,time_pct"),
              HasSubstr("no_op            2  ≥0.00100        -\n"));
}

TEST_F(LossesTest, OfKernelsAreThoseThatAreChosen) {
  kernel(1000).op.layer.clear();
  kernel(1000).attribution.contradictions.set(static_cast<std::size_t>(Contradiction::kGrid));
  work_.counts_.contradictions[static_cast<std::size_t>(Contradiction::kGrid)] = {1, "mm: a"};
  work_.counts_.without_launch = 5;
  EXPECT_EQ(losses("kind,word,count,time_ns"),
            "kind,word,count,time_ns\n"
            "unknown,unattributed,1,1000\n"
            "unknown,no_layer,1,1000\n"
            "guess,contradicts=grid,1,1000\n")
      << "all kernels that are shown have a launch";
}

TEST_F(LossesTest, TellOfPeaksThatAreNoDataSheets) {
  trace_.devices_[0] = {};
  trace_.devices_[0].name = "GPU of tomorrow";
  EXPECT_EQ(losses("kind,word,what"),
            "kind,word,what\nunknown,peaks,peak performance of GPU of tomorrow: unknown\n");
}

}  // namespace
}  // namespace prof::reports
