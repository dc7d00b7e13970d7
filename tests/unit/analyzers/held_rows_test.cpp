// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/held_rows.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kSgemm;

class Held : public ::testing::Test {
 protected:
  /// Holds work of an op, or of none, on a thread; all work of an op has its cost.
  HeldRow& hold(std::uint64_t op, std::int64_t weight = 1, std::uint32_t thread = 1) {
    const StackMeaning meaning = meaning_of(op);
    HeldRow& held = add(trace_.row(trace_.kernel(kSgemm, 100, thread)), meaning);
    held.attribution.op_id = op;
    held.weight = weight;
    rows_.join(meaning, false);
    return held;
  }
  HeldRow& add(const GpuRow& row, const StackMeaning& meaning) {
    HeldRow& held = rows_.add(row, kernels_.of(row), meaning);
    held.attribution.op = op_;
    return held;
  }
  StackMeaning meaning_of(std::uint64_t op) {
    StackMeaning meaning = stacks_.meaning(0);
    meaning.op_id = meaning.owner_id = op;
    return meaning;
  }
  Attribution settle() {
    rows_.settle_first();
    Attribution made = rows_.first().attribution;
    rows_.remove_first();
    return made;
  }

  static std::shared_ptr<const OpAttribution> op_with_flops(double flops) {
    auto made = std::make_shared<OpAttribution>();
    made->cost.flops = flops;
    made->cost.basis = Basis::kExact;
    return made;
  }

  FakeTrace trace_;
  StackWalker stacks_{trace_, 1024};
  KernelCatalog kernels_{trace_, 1024};
  HeldRows rows_{kernels_, stacks_, 100};
  std::shared_ptr<const OpAttribution> op_ = op_with_flops(100);
};

TEST_F(Held, RowsWaitForTheEndOfTheirOpAndShareItsCost) {
  hold(1, 3);
  EXPECT_FALSE(rows_.is_ready());
  hold(1, 1);
  EXPECT_FALSE(rows_.is_ready());
  hold(2);  // the thread is in another op
  ASSERT_TRUE(rows_.is_ready());
  EXPECT_EQ(settle().cost.flops, 75);
  ASSERT_TRUE(rows_.is_ready());
  EXPECT_EQ(settle().cost.flops, 25);
  EXPECT_FALSE(rows_.is_ready()) << "of the other op";
}

TEST_F(Held, ARowWithoutAnOpIsReadyAtOnceAndHasNoCost) {
  hold(0);
  ASSERT_TRUE(rows_.is_ready());
  const Attribution made = settle();
  EXPECT_EQ(made.op_id, 0U);
  EXPECT_FALSE(made.cost.flops);
  EXPECT_TRUE(rows_.empty());
}

TEST_F(Held, OtherThreadsDoNotEndAnOp) {
  hold(1);
  hold(2, 1, 2);
  EXPECT_FALSE(rows_.is_ready());
  rows_.leave({1});
  EXPECT_TRUE(rows_.is_ready());
}

TEST_F(Held, ARowThatComesAfterTheCostIsSharedIsLate) {
  hold(1);
  rows_.complete_first();
  hold(1);
  EXPECT_EQ(settle().cost.flops, 100);
  EXPECT_TRUE(rows_.first().late);
  EXPECT_EQ(settle().cost.flops, 0);
}

TEST_F(Held, TheyAreFullAtTheirLimitAndKeepTheirOrderAsTheyGrow) {
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(rows_.is_full());
    hold(1, i);
    if (i == 40) {
      for (int popped = 0; popped < 10; ++popped) rows_.remove_first();
    }
  }
  EXPECT_FALSE(rows_.is_full());
  for (std::int64_t i = 100; i < 110; ++i) hold(1, i);
  EXPECT_TRUE(rows_.is_full());
  for (std::int64_t i = 10; i < 110; ++i) {
    EXPECT_EQ(rows_.first().weight, i);
    rows_.remove_first();
  }
  EXPECT_TRUE(rows_.empty());
}

TEST_F(Held, TheReductionAfterAProductProvesThatItWasSplit) {
  hold(1);
  const StackMeaning meaning = meaning_of(1);
  HeldRow& after = add(trace_.row(trace_.kernel(
                           "void cublasLt::splitKreduce_kernel<32, 16, int, float, float>(int)")),
                       meaning);
  ASSERT_TRUE(after.attribution.kernel->family.ends_with("/splitk_reduce"));
  after.role = WorkRole::kHelper;
  rows_.join(meaning, false);
  EXPECT_EQ(rows_.first().attribution.kernel->split_k, true);
}

TEST_F(Held, ARowHasNothingOfTheOneThatWasInItsPlace) {
  for (int i = 0; i < 64; ++i) {  // the places of a small ring
    HeldRow& held = add(trace_.row(trace_.kernel(kSgemm)), meaning_of(1));
    held.late = true;
    held.attribution.launch = op_;
    held.attribution.is_whole_graph = held.attribution.is_repeat = true;
    held.attribution.seq.add(7);
    held.attribution.replay_id = 7;
    held.attribution.contradictions.set();
    rows_.remove_first();
  }
  const HeldRow& held = add(trace_.row(trace_.kernel(kSgemm)), meaning_of(0));
  EXPECT_FALSE(held.late);
  EXPECT_EQ(held.attribution.launch, nullptr);
  EXPECT_FALSE(held.attribution.is_whole_graph || held.attribution.is_repeat);
  EXPECT_EQ(held.attribution.seq.own(), std::nullopt);
  EXPECT_EQ(held.attribution.replay_id, 0U);
  EXPECT_TRUE(held.attribution.contradictions.none());
}

TEST_F(Held, AReplayIsOverWhenAnotherBegins) {
  rows_.follow_replay(1000);
  const StackMeaning meaning = meaning_of(1000);
  add(trace_.row(trace_.kernel(kSgemm)), meaning);
  rows_.join(meaning, true);
  rows_.follow_replay(1000);
  EXPECT_FALSE(rows_.is_ready());
  rows_.follow_replay(1001);
  ASSERT_TRUE(rows_.is_ready());
  EXPECT_EQ(settle().cost.flops, 100);
}

}  // namespace
}  // namespace prof
