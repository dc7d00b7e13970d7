// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps that are not marked: their work is what it is in the marked step that they repeat.
#include "analyzers/steps/repeated_steps.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::kSgemm;
using fakes::kTorchLinear;
using fakes::Row;

constexpr const char* kSplitKReduce = "void cublasLt::splitKreduce_kernel<32, 16, float>()";
constexpr const char* kReluKernel = "void at::native::vectorized_elementwise_kernel<4, relu>()";
constexpr const char* kUnmarked = R"({"v":1,"mod":"prof","marked":false})";
constexpr std::uint32_t kMainThread = 1, kBackwardThread = 2;

class RepeatedStepsTest : public fakes::AttributedProgram {
 protected:
  /// Runs `work` in a step of the process.
  template <typename Work>
  void step(int number, bool is_marked, Work&& work) {
    const std::int64_t begin = trace_.now_ns();
    is_marked_ = is_marked;
    work();
    trace_.advance_ns(10);
    const std::int64_t end = trace_.now_ns();
    if (!is_marked) trace_.process_range(kUnmarked, begin, end);
    trace_.process_range("step:" + std::to_string(number), begin, end);
  }

  void push(std::string_view text) {
    if (is_marked_) trace_.push(text);
  }
  void pop() {
    if (is_marked_) trace_.pop();
  }

  /// A layer with a product of two kernels.
  void linear(const std::string& layer = "fc") {
    push("layer:" + layer);
    push(kTorchLinear);
    trace_.kernel(kSgemm);
    trace_.kernel(kSplitKReduce);
    pop();
    pop();
  }

  bool is_marked_ = true;
};

TEST_F(RepeatedStepsTest, HaveTheMeaningOfTheMarkedStep) {
  step(0, true, [&] { linear(); });
  step(1, false, [&] { linear(); });
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 2; i < 4; ++i) {
    const Row &marked = rows[i - 2], &row = rows[i];
    EXPECT_EQ(row.op.layer, "fc");
    EXPECT_EQ(row.op.op, "linear");
    EXPECT_EQ(row.op.params, marked.op.params);
    EXPECT_EQ(row.op.layer_from, Provenance::kInherited);
    EXPECT_EQ(row.op.op_from, Provenance::kInherited);
    EXPECT_EQ(row.op.shapes_from, Provenance::kInherited);
    EXPECT_EQ(marked.op.op_from, Provenance::kExact);
    EXPECT_EQ(row.own.cost.flops, marked.own.cost.flops);
    EXPECT_EQ(row.own.main, marked.own.main);
    EXPECT_EQ(row.own.sub, marked.own.sub);
    EXPECT_EQ(row.own.step, 1);
    EXPECT_TRUE(row.own.is_repeat);
    EXPECT_FALSE(marked.own.is_repeat);
    EXPECT_EQ(marked.own.seq.own(), 1U);
    EXPECT_EQ(row.own.seq.own(), std::nullopt);
  }
  EXPECT_GT(rows[2].own.cost.flops.value_or(0), 0);
  EXPECT_EQ(counts_.repeated, 2U);
  EXPECT_EQ(counts_.unmarked, 0U);
  EXPECT_EQ(counts_.unattributed, 0U);
}

TEST_F(RepeatedStepsTest, EachIsAnInstanceOfItsOps) {
  step(0, true, [&] { linear(); });
  step(1, false, [&] { linear(); });
  step(2, false, [&] { linear(); });
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 6U);
  std::set<std::uint64_t> ids;
  for (const Row& row : rows) ids.insert(row.own.op_id);
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(rows[2].own.op_id, rows[3].own.op_id);
  EXPECT_NE(rows[2].own.op_id, rows[4].own.op_id);
}

TEST_F(RepeatedStepsTest, OtherKernelsAreNoRepeat) {
  step(0, true, [&] { linear(); });
  step(1, false, [&] {
    linear();
    trace_.kernel(kReluKernel);
  });
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(rows[i].op.op, "");
    EXPECT_FALSE(rows[i].own.is_repeat);
    EXPECT_EQ(rows[i].own.step, 1);
  }
  EXPECT_EQ(counts_.repeated, 0U);
  EXPECT_EQ(counts_.unmarked, 3U);
}

TEST_F(RepeatedStepsTest, AnotherOrderIsNoRepeat) {
  step(0, true, [&] {
    linear();
    trace_.kernel(kReluKernel);
  });
  step(1, false, [&] {
    trace_.kernel(kReluKernel);
    linear();
  });
  attribute();
  EXPECT_EQ(counts_.unmarked, 3U);
}

TEST_F(RepeatedStepsTest, TheLastMarkedStepThatIsEqualCounts) {
  step(0, true, [&] { linear("first"); });
  step(1, true, [&] { linear("second"); });
  step(2, true, [&] { trace_.kernel(kReluKernel); });
  step(3, false, [&] { linear(); });
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[5].op.layer, "second");
}

TEST_F(RepeatedStepsTest, AMarkedStepThatFollowsIsNotRepeated) {
  step(0, false, [&] { linear(); });
  step(1, true, [&] { linear(); });
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].op.op, "");
  EXPECT_EQ(counts_.unmarked, 2U);
}

TEST_F(RepeatedStepsTest, ThreadsMayInterleaveInAnyWay) {
  step(0, true, [&] {
    linear();
    trace_.push("layer:other", kBackwardThread);
    trace_.kernel(kReluKernel, 100, kBackwardThread);
    trace_.pop(kBackwardThread);
  });
  step(1, false, [&] {
    trace_.kernel(kSgemm);
    trace_.kernel(kReluKernel, 100, kBackwardThread);
    trace_.kernel(kSplitKReduce);
  });
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[3].op.op, "linear");
  EXPECT_EQ(rows[4].op.layer, "other");
  EXPECT_EQ(rows[5].op.op, "linear");
  EXPECT_EQ(counts_.repeated, 3U);
}

TEST_F(RepeatedStepsTest, TheSameKernelsOfAnotherThreadAreNoRepeat) {
  step(0, true, [&] { trace_.kernel(kReluKernel, 100, kMainThread); });
  step(1, false, [&] { trace_.kernel(kReluKernel, 100, kBackwardThread); });
  attribute();
  EXPECT_EQ(counts_.unmarked, 1U);
}

TEST_F(RepeatedStepsTest, CopiesAreComparedApart) {
  const auto with_copy = [&](std::uint64_t bytes) {
    linear();
    push("layer:loss");
    trace_.memcpy(bytes);
    pop();
  };
  step(0, true, [&] { with_copy(4); });
  step(1, false, [&] { with_copy(4); });
  step(2, false, [&] { with_copy(8); });
  const auto rows = attribute({.work = TraceReader::Work::kKernelsAndCopies});
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[5].op.layer, "loss");
  EXPECT_EQ(rows[6].op.layer, "fc");
  EXPECT_EQ(rows[8].op.layer, "");
  EXPECT_EQ(counts_.repeated, 4U);
  EXPECT_EQ(counts_.unmarked, 0U);
}

TEST_F(RepeatedStepsTest, OnlyUnmarkedStepsRepeat) {
  step(0, true, [&] { linear(); });
  is_marked_ = false;
  const std::int64_t begin = trace_.now_ns();
  linear();
  trace_.process_range("step:1", begin, trace_.now_ns());
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2].op.op, "");
  EXPECT_EQ(counts_.repeated, 0U);
  EXPECT_EQ(counts_.unmarked, 0U);
}

TEST_F(RepeatedStepsTest, ManyStepsAreKnownByTheirOwnMarkedOne) {
  for (int number = 0; number < 40; ++number) {
    step(number, number % 10 == 0, [&] { linear("fc" + std::to_string(number)); });
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 80U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.layer, "fc" + std::to_string(i / 20 * 10));
  }
  EXPECT_EQ(counts_.repeated, 72U);
}

}  // namespace
}  // namespace prof
