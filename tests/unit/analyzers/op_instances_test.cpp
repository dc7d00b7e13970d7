// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/op_instances.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

class Shares : public ::testing::Test {
 protected:
  /// An instance with a cost, as enter() makes it.
  OpInstance* instance(OpCost cost) {
    StackMeaning meaning = contexts_.meaning(0);
    meaning.owner_id = ++op_id_;
    return instances_.enter({1}, meaning, contexts_, cost);
  }

  FakeTrace trace_;
  StackWalker contexts_{trace_, 1024};
  OpInstances instances_;
  std::uint64_t op_id_ = 0;
};

TEST_F(Shares, MainRowsPayByDurationAndHelpersNothing) {
  OpInstance* op = instance({{.flops = 1000.0, .bytes = 10.0}, Basis::kExact});
  EXPECT_TRUE(op->add(WorkRole::kCopy, 500));
  EXPECT_TRUE(op->add(WorkRole::kMain, 300));
  EXPECT_TRUE(op->add(WorkRole::kHelper, 900));
  EXPECT_TRUE(op->add(WorkRole::kMain, 100));
  op->set_complete();
  const CostShare copy = op->take_share(WorkRole::kCopy, 500, false);
  EXPECT_FALSE(copy.main);
  EXPECT_EQ(copy.cost.flops, 0);
  const CostShare first = op->take_share(WorkRole::kMain, 300, false);
  EXPECT_TRUE(first.main);
  EXPECT_EQ(first.cost.flops, 750);
  EXPECT_EQ(first.cost.bytes, 7);
  EXPECT_DOUBLE_EQ(first.share, 0.75);
  const CostShare helper = op->take_share(WorkRole::kHelper, 900, false);
  EXPECT_FALSE(helper.main);
  EXPECT_EQ(helper.cost.flops, 0);
  const CostShare last = op->take_share(WorkRole::kMain, 100, false);
  EXPECT_EQ(last.cost.flops, 250);
  EXPECT_EQ(last.cost.bytes, 3);
}

TEST_F(Shares, ProductsPayAloneWhereThereAreAny) {
  OpInstance* op = instance({{.flops = 1001.0, .bytes = 10.0}, Basis::kExact});
  op->add(WorkRole::kMain, 5000);  // a bias that is copied first
  op->add(WorkRole::kProduct, 300);
  op->add(WorkRole::kProduct, 300);
  op->add(WorkRole::kHelper, 900);
  op->set_complete();
  const CostShare copy = op->take_share(WorkRole::kMain, 5000, false);
  EXPECT_FALSE(copy.main);
  EXPECT_EQ(copy.cost.flops, 0);
  EXPECT_EQ(op->take_share(WorkRole::kProduct, 300, false).cost.flops, 500);
  EXPECT_EQ(op->take_share(WorkRole::kProduct, 300, false).cost.flops, 501);
  EXPECT_FALSE(op->take_share(WorkRole::kHelper, 900, false).main);
}

TEST_F(Shares, BytesAreTheirPartsInEveryRow) {
  OpCost cost{{.bytes = 13.0}, Basis::kExact};
  cost.read = 6;
  cost.written = 7;
  cost.algorithm_bytes = 8;
  OpInstance* op = instance(cost);
  for (int i = 0; i < 4; ++i) op->add(WorkRole::kMain, 1);
  op->add(WorkRole::kHelper, 1);
  op->set_complete();
  double read = 0;
  double written = 0;
  double message = 0;
  for (int i = 0; i < 4; ++i) {
    const CostShare share = op->take_share(WorkRole::kMain, 1, false);
    EXPECT_EQ(share.cost.bytes, *share.cost.read + *share.cost.written);
    read += *share.cost.read;
    written += *share.cost.written;
    message += *share.cost.algorithm_bytes;
    EXPECT_FALSE(share.cost.bus_bytes);
  }
  EXPECT_EQ(read, 6);
  EXPECT_EQ(written, 7);
  EXPECT_EQ(message, 8);
  const CostShare helper = op->take_share(WorkRole::kHelper, 1, false);
  EXPECT_EQ(helper.cost.read, 0);
  EXPECT_EQ(helper.cost.algorithm_bytes, 0);
}

TEST_F(Shares, OnePartAloneLeavesTheSumUnknown) {
  OpCost cost{{}, Basis::kEstimated};
  cost.read = 10;
  OpInstance* op = instance(cost);
  op->add(WorkRole::kMain, 1);
  op->set_complete();
  const CostShare share = op->take_share(WorkRole::kMain, 1, false);
  EXPECT_EQ(share.cost.read, 10);
  EXPECT_FALSE(share.cost.written);
  EXPECT_FALSE(share.cost.bytes);
}

TEST_F(Shares, BytesThatALaterPartTellsCount) {
  OpInstance* op = instance({{.flops = 5.0, .bytes = std::nullopt}, Basis::kEstimated});
  op->add(WorkRole::kMain, 1);
  StackMeaning meaning = contexts_.meaning(0);
  meaning.owner_id = op_id_;
  EXPECT_EQ(
      instances_.enter({1}, meaning, contexts_, {{.flops = 5.0, .bytes = 64.0}, Basis::kEstimated}),
      op);
  op->set_complete();
  EXPECT_EQ(op->take_share(WorkRole::kMain, 1, false).cost.bytes, 64);
}

TEST_F(Shares, HelpersPayAloneAndCopiesIfTheyAreAllThereIs) {
  OpInstance* op = instance({{.flops = 100.0, .bytes = 100.0}, Basis::kExact});
  op->add(WorkRole::kCopy, 5);
  op->add(WorkRole::kHelper, 5);
  op->set_complete();
  EXPECT_EQ(op->take_share(WorkRole::kCopy, 5, false).cost.flops, 0);
  const CostShare helper = op->take_share(WorkRole::kHelper, 5, false);
  EXPECT_TRUE(helper.main);
  EXPECT_EQ(helper.cost.flops, 100);

  OpInstance* copy = instance({{.flops = 0.0, .bytes = 64.0}, Basis::kExact});
  copy->add(WorkRole::kCopy, 5);
  copy->set_complete();
  EXPECT_EQ(copy->take_share(WorkRole::kCopy, 5, false).cost.bytes, 64);
}

TEST_F(Shares, ZeroWeightsShareEqually) {
  OpInstance* op = instance({{.flops = 9.0, .bytes = std::nullopt}, Basis::kExact});
  for (int i = 0; i < 3; ++i) op->add(WorkRole::kMain, i == 1 ? -5 : 0);
  op->set_complete();
  for (int i = 0; i < 3; ++i) {
    const CostShare share = op->take_share(WorkRole::kMain, i == 1 ? -5 : 0, false);
    EXPECT_EQ(share.cost.flops, 3);
    EXPECT_FALSE(share.cost.bytes) << "unknown stays unknown";
  }
}

TEST_F(Shares, LateRowsGetNothing) {
  OpInstance* op = instance({{.flops = 9.0, .bytes = 9.0}, Basis::kExact});
  op->add(WorkRole::kMain, 10);
  op->set_complete();
  EXPECT_FALSE(op->add(WorkRole::kMain, 10));
  EXPECT_EQ(op->take_share(WorkRole::kMain, 10, false).cost.flops, 9);
  const CostShare late = op->take_share(WorkRole::kMain, 10, true);
  EXPECT_EQ(late.cost.flops, 0);
  EXPECT_EQ(late.share, 0);
}

TEST_F(Shares, AlwaysSumExactly) {
  std::mt19937_64 random(3);  // NOLINT: the same shares at every run
  for (int round = 0; round < 500; ++round) {
    const auto flops = static_cast<double>(random() % (std::uint64_t{1} << (1 + random() % 52)));
    OpInstance* op = instance({{.flops = flops, .bytes = flops + 1}, Basis::kExact});
    std::vector<std::int64_t> weights(1 + random() % 40);
    for (auto& weight : weights)
      weight = static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 40)));
    for (const auto weight : weights) op->add(WorkRole::kMain, weight);
    op->set_complete();
    double sum_flops = 0, sum_bytes = 0, sum_share = 0;
    for (const auto weight : weights) {
      const CostShare share = op->take_share(WorkRole::kMain, weight, false);
      EXPECT_GE(*share.cost.flops, 0);
      EXPECT_GE(share.share, 0);
      sum_flops += *share.cost.flops;
      sum_bytes += *share.cost.bytes;
      sum_share += share.share;
    }
    EXPECT_EQ(sum_flops, flops);
    EXPECT_EQ(sum_bytes, flops + 1);
    EXPECT_NEAR(sum_share, 1, 1e-12);
  }
}

std::shared_ptr<const GradientAttributions> two_gradients(double data_flops, double weight_flops) {
  auto made = std::make_shared<GradientAttributions>();
  const auto add = [&](Part part, double flops) {
    OpAttribution one;
    one.cost = {{.flops = flops}, Basis::kExact};
    made->of[static_cast<std::size_t>(part)] = std::make_shared<const OpAttribution>(one);
  };
  add(Part::kData, data_flops);
  add(Part::kWeight, weight_flops);
  made->is_stated = true;
  return made;
}

TEST_F(Shares, EachGradientIsSharedAmongItsOwnRows) {
  KernelFacts data, weight;
  data.gradient = Part::kData;
  weight.gradient = Part::kWeight;
  OpInstance* op = instance({{.flops = 40.0, .bytes = 8.0}, Basis::kExact});
  op->set_gradients(two_gradients(10, 30));
  op->add(WorkRole::kHelper, 9);
  op->add(WorkRole::kProduct, 1, &weight);
  op->add(WorkRole::kProduct, 5, &data);
  op->set_gradients(two_gradients(1, 1));
  op->add(WorkRole::kProduct, 2, &weight);
  op->set_complete();
  const CostShare helper = op->take_share(WorkRole::kHelper, 9, false);
  EXPECT_FALSE(helper.main);
  EXPECT_EQ(helper.part, Part::kNone);
  EXPECT_EQ(helper.cost.flops, 0);
  EXPECT_EQ(helper.cost.bytes, 0) << "known of the op";
  const CostShare first = op->take_share(WorkRole::kProduct, 1, false);
  EXPECT_EQ(first.part, Part::kWeight);
  EXPECT_EQ(first.cost.flops, 10);
  const CostShare whole = op->take_share(WorkRole::kProduct, 5, false);
  EXPECT_EQ(whole.part, Part::kData);
  EXPECT_EQ(whole.cost.flops, 10);
  EXPECT_EQ(whole.share, 1);
  EXPECT_EQ(op->take_share(WorkRole::kProduct, 2, false).cost.flops, 20);
}

TEST_F(Shares, GradientsThatAreKnownTooLateChangeNothing) {
  OpInstance* op = instance({{.flops = 40.0}, Basis::kExact});
  op->add(WorkRole::kProduct, 1);
  op->set_gradients(two_gradients(10, 30));
  op->add(WorkRole::kProduct, 1);
  op->set_complete();
  for (int row = 0; row < 2; ++row) {
    const CostShare share = op->take_share(WorkRole::kProduct, 1, false);
    EXPECT_EQ(share.part, Part::kNone);
    EXPECT_EQ(share.cost.flops, 20);
  }
}

TEST_F(Shares, TheCostIsThatOfTheBestSourceNotOfTheFirstRow) {
  const OpCost unknown{{.flops = 8.0}, Basis::kExact};
  const OpCost half{{.flops = 8.0, .bytes = 2.0}, Basis::kExact};
  const OpCost single{{.flops = 8.0, .bytes = 4.0}, Basis::kExact};
  const OpCost wide{{.flops = 8.0, .bytes = 8.0}, Basis::kExact};
  const auto bytes = [&](std::vector<std::pair<OpCost, CostSource>> rows) {
    StackMeaning meaning = contexts_.meaning(0);
    meaning.owner_id = ++op_id_;
    OpInstance* op = nullptr;
    for (const auto& [cost, source] : rows) {
      op = instances_.enter({1}, meaning, contexts_, cost, source);
    }
    op->add(WorkRole::kMain, 1);
    op->set_complete();
    return op->take_share(WorkRole::kMain, 1, false).cost.bytes;
  };
  const std::pair copy(unknown, CostSource::kCopy);
  const std::pair helper(half, CostSource::kHelper);
  const std::pair inner(single, CostSource::kInner);
  const std::pair owner(wide, CostSource::kOwner);
  EXPECT_EQ(bytes({inner}), 4);
  EXPECT_EQ(bytes({helper}), 2);
  EXPECT_EQ(bytes({helper, {unknown, CostSource::kInner}}), std::nullopt) << "its own type";
  EXPECT_EQ(bytes({copy, helper, inner}), 4);
  EXPECT_EQ(bytes({helper, inner, copy}), 4);
  EXPECT_EQ(bytes({inner, owner}), 8);
  EXPECT_EQ(bytes({owner, inner}), 8);
  EXPECT_EQ(bytes({owner, {half, CostSource::kOwner}}), 8) << "the first of equals";
  EXPECT_EQ(bytes({{unknown, CostSource::kOwner}, inner}), 4) << "known bytes before all";
}

}  // namespace
}  // namespace prof
