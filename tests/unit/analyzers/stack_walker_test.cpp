// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/stacks/stack_walker.hpp"

#include <gtest/gtest.h>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

class Contexts : public ::testing::Test {
 protected:
  const OpAttribution& at(RangeId stack) {
    const StackMeaning meaning = contexts_.meaning(stack);
    return *contexts_.attribution(*meaning.attributed, DType::kUnknown);
  }

  FakeTrace trace_;
  StackWalker contexts_{trace_, 1U << 16};
  const std::string relu_ = op_text("relu", "fprop", "x:in:8:float16 y:out:8:float16");
};

TEST_F(Contexts, EmptyStackIsNothing) {
  EXPECT_TRUE(at(0).layer.empty());
  EXPECT_TRUE(at(0).op.empty());
  EXPECT_EQ(at(0).layer_from, Provenance::kNone);
  EXPECT_FALSE(contexts_.meaning(0).step.has_value());
}

TEST_F(Contexts, KernelsDTypeIsUsedOnlyWhereTheOpSaysNone) {
  const RangeId layer = trace_.push("layer:L");
  const StackMeaning outside = contexts_.meaning(layer);
  const auto estimated = contexts_.attribution(*outside.attributed, DType::kFloat16);
  EXPECT_EQ(estimated->dtype, DType::kFloat16);
  EXPECT_EQ(estimated->dtype_from, Provenance::kEstimated);
  EXPECT_EQ(contexts_.attribution(*outside.attributed, DType::kUnknown)->dtype_from,
            Provenance::kNone);
  const StackMeaning op =
      contexts_.meaning(trace_.push(op_text("relu", "fprop", "x:in:8:float32 y:out:8:float32")));
  EXPECT_EQ(contexts_.attribution(*op.attributed, DType::kFloat16)->dtype, DType::kFloat32);
}

TEST_F(Contexts, AliasIsTheSameOpOnAnotherStack) {
  const RangeId outer = trace_.push("layer:outer");
  const RangeId op = trace_.push(relu_);
  trace_.pop_below(1);  // `outer` ends before the op
  const RangeId alias = trace_.push("inside");
  const StackMeaning meaning = contexts_.meaning(alias);
  EXPECT_EQ(meaning.op_id, op);
  EXPECT_EQ(at(alias).op, "relu");
  EXPECT_EQ(at(alias).layer, "") << "it is no longer under the layer " << outer;
  EXPECT_EQ(at(op).layer, "outer");
}

TEST_F(Contexts, AliasOfABackwardNodeIsUnderTheOpsOfItsOwnStack) {
  trace_.push("layer:outer");
  const RangeId op = trace_.push(relu_);
  const RangeId node = trace_.push("ReluBackward0, seq = 1");
  EXPECT_EQ(contexts_.meaning(node).around_owner, op);
  trace_.pop_below(1);  // the op ends before the node
  const StackMeaning meaning = contexts_.meaning(trace_.push("inside"));
  EXPECT_EQ(meaning.owner_id, node);
  EXPECT_NE(meaning.around_owner, op) << "the op is over, and its instance complete";
}

TEST_F(Contexts, EqualStacksShareOneContextAcrossSteps) {
  std::vector<RangeId> ops;
  for (int step = 0; step < 100; ++step) {
    trace_.push("step:" + std::to_string(step));
    trace_.push("layer:L");
    ops.push_back(trace_.push(relu_));
    for (int i = 0; i < 3; ++i) trace_.pop();
  }
  StackWalker walker(trace_, 1U << 16);
  const Context* first = nullptr;
  std::int64_t step = 0;
  for (const RangeId op : ops) {
    const StackMeaning meaning = walker.meaning(op);
    EXPECT_EQ(meaning.step.value().number, step++);
    if (first == nullptr) first = meaning.attributed;
    EXPECT_EQ(meaning.attributed, first);
  }
}

TEST_F(Contexts, MissingAndDamagedRangesAreTold) {
  EXPECT_TRUE(at(12345).op.empty());
  EXPECT_TRUE(contexts_.meaning(12345).broken);
  const RangeId op = trace_.push(relu_);
  trace_.range_row(op).parent = op;  // a circle
  EXPECT_TRUE(at(op).op.empty());
  EXPECT_TRUE(contexts_.meaning(op).broken);
  const RangeId next = trace_.push("layer:L");
  EXPECT_EQ(at(next).layer, "L");
  EXPECT_TRUE(contexts_.meaning(next).broken) << "what lies under it is";
  trace_.range_row(op).parent = 0;
  EXPECT_FALSE(contexts_.meaning(trace_.push("layer:M", 2)).broken);
}

TEST_F(Contexts, MalformedTextsAreCountedOncePerText) {
  const std::string broken = R"({"v":9,"mod":"prof","op":"relu"})";
  for (int i = 0; i < 5; ++i) {
    const RangeId range = trace_.push(broken);
    EXPECT_EQ(at(range).layer, broken);
    trace_.pop();
  }
  at(trace_.push(R"({"v":1,"mod":"prof")"));
  EXPECT_EQ(contexts_.texts().malformed_texts(), 2U);
  EXPECT_EQ(contexts_.texts().first_malformed_text(), broken);
  EXPECT_FALSE(contexts_.texts().first_malformed_why().empty());
}

TEST_F(Contexts, VeryDeepStacksEnd) {
  RangeId deepest = 0;
  for (int i = 0; i < 30000; ++i) deepest = trace_.push("r");
  at(deepest);
  EXPECT_EQ(contexts_.meaning(deepest).depth, 30000U);
  EXPECT_FALSE(contexts_.meaning(deepest).broken) << "deep, but whole";
  EXPECT_LE(at(deepest).layer.size(), 5000U);
}

/// How many ranges are looked up.
class AskedTrace : public FakeTrace {
 public:
  RangeRef range(RangeId id) override {
    ++asked;
    return FakeTrace::range(id);
  }
  std::size_t asked = 0;
};

TEST(HostileStacks, AreWalkedOnceNotForEachLaunch) {
  constexpr std::size_t kRanges = 4000;
  AskedTrace trace;
  std::vector<RangeId> ranges;
  for (std::size_t i = 0; i < kRanges; ++i) ranges.push_back(trace.push("layer:l"));
  StackWalker contexts(trace, 1 << 16);
  for (std::size_t i = 0; i < kRanges; ++i) {
    contexts.meaning(ranges[kRanges - 1 - i * 3001 % kRanges]);
  }
  EXPECT_LT(trace.asked, kRanges * 150);
}

TEST(HostileStacks, ChainsOfAliasesEndSoon) {
  constexpr std::size_t kRanges = 5000;
  AskedTrace trace;
  RangeId before = 0;
  StackWalker contexts(trace, 1 << 16);
  for (std::size_t i = 0; i < kRanges; ++i) {
    const RangeId range = trace.push("layer:l");
    trace.pop();
    trace.range_row(range).kind = RangeRecord::Kind::kAlias;
    trace.range_row(range).alias_of = before;
    before = range;
    contexts.meaning(range);
  }
  EXPECT_LT(trace.asked, kRanges * 10);
  EXPECT_TRUE(contexts.meaning(before).broken);
}

TEST(ContextTables, StayBoundedAndSayTheSameAfterTrimming) {
  FakeTrace trace;
  StackWalker contexts(trace, 64);
  int trims = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "r" + std::to_string(i);
    const RangeId range = trace.push(name);
    const StackMeaning meaning = contexts.meaning(range);
    EXPECT_EQ(contexts.attribution(*meaning.attributed, DType::kUnknown)->layer, name);
    trace.pop();
    trims += contexts.trim() ? 1 : 0;
  }
  EXPECT_GE(trims, 50);
}

TEST(ContextTables, SteadyStateReadsARangeOnce) {
  FakeTrace trace;
  StackWalker contexts(trace, 1U << 16);
  trace.push("step:1");
  trace.push("layer:L");
  const RangeId op = trace.push(op_text("relu", "fprop", "x:in:8:float16 y:out:8:float16"));
  contexts.meaning(op);
  const std::uint64_t before = trace.range_lookups();
  for (int i = 0; i < 100; ++i) contexts.meaning(op);
  EXPECT_EQ(trace.range_lookups(), before);
}

}  // namespace
}  // namespace prof
