// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attribution_tally.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace prof {
namespace {

/// A launched kernel with a layer, a known op and a direction.
HeldRow attributed_kernel() {
  HeldRow row;
  row.gpu.kind = GpuRow::Kind::kKernel;
  row.gpu.launched = true;
  row.gpu.launch_start_ns = 10;
  row.gpu.start_ns = 20;
  auto op = std::make_shared<OpAttribution>();
  op->layer = "MLP";
  op->op = "linear";
  op->params = "M=8";
  op->known_op = true;
  op->direction = Direction::kFprop;
  row.attribution.op = std::move(op);
  auto kernel = std::make_shared<KernelFacts>();
  kernel->short_name = "gemm";
  row.attribution.kernel = std::move(kernel);
  return row;
}

template <typename Change>
HeldRow with_op(Change change) {
  HeldRow row = attributed_kernel();
  OpAttribution op = *row.attribution.op;
  change(op);
  row.attribution.op = std::make_shared<const OpAttribution>(std::move(op));
  return row;
}

TEST(Tally, AnAttributedKernelLacksNothing) {
  AttributionTally tally;
  tally.add(attributed_kernel());
  const AttributionCounts& counts = tally.counts();
  EXPECT_EQ(counts.kernels, 1U);
  EXPECT_EQ(counts.unattributed, 0U);
  EXPECT_EQ(counts.without_launch, 0U);
  EXPECT_EQ(counts.before_launch, 0U);
}

TEST(Tally, CopiesLackNothing) {
  AttributionTally tally;
  HeldRow row = with_op([](OpAttribution& op) { op = {}; });
  row.gpu.kind = GpuRow::Kind::kMemcpy;
  row.late = true;
  tally.add(row);
  EXPECT_EQ(tally.counts().copies, 1U);
  EXPECT_EQ(tally.counts().kernels, 0U);
  EXPECT_EQ(tally.counts().unattributed, 0U);
  EXPECT_EQ(tally.counts().late, 1U);
}

TEST(Tally, EachThingThatIsMissingCounts) {
  AttributionTally tally;
  tally.add(with_op([](OpAttribution& op) { op.layer.clear(); }));
  tally.add(with_op([](OpAttribution& op) { op.op.clear(), op.known_op = false; }));
  tally.add(with_op([](OpAttribution& op) { op.direction = Direction::kNone; }));
  HeldRow in_step = with_op([](OpAttribution& op) { op.op = "own", op.known_op = false; });
  in_step.attribution.step = 3;
  tally.add(in_step);
  const AttributionCounts& counts = tally.counts();
  EXPECT_EQ(counts.without_layer, 1U);
  EXPECT_EQ(counts.without_op, 1U);
  EXPECT_EQ(counts.without_direction, 1U);
  EXPECT_EQ(counts.of_unknown_op, 1U);
  EXPECT_EQ(counts.unknown_ops.at("own"), 1U);
  EXPECT_EQ(counts.unattributed, 4U);
  EXPECT_EQ(counts.unattributed_in_steps, 1U);
}

TEST(Tally, AWholeGraphLacksOnlyALayer) {
  AttributionTally tally;
  HeldRow graph = with_op([](OpAttribution& op) { op = {}; });
  graph.attribution.is_whole_graph = true;
  graph.gpu.launched = false;
  graph.gpu.origin = Origin::kDevice;  // by a kernel
  tally.add(graph);
  const AttributionCounts& counts = tally.counts();
  EXPECT_EQ(counts.without_layer, 1U);
  EXPECT_EQ(counts.without_op, 0U);
  EXPECT_EQ(counts.without_direction, 0U);
  EXPECT_EQ(counts.without_launch, 0U);
}

TEST(Tally, ContradictionsKeepTheirFirstExample) {
  AttributionTally tally;
  HeldRow row = attributed_kernel();
  row.attribution.contradictions.set(static_cast<std::size_t>(Contradiction::kProduct));
  tally.add(row);
  HeldRow other = with_op([](OpAttribution& op) { op.op = "bmm"; });
  other.attribution.contradictions = row.attribution.contradictions;
  tally.add(other);
  const auto& seen =
      tally.counts().contradictions[static_cast<std::size_t>(Contradiction::kProduct)];
  EXPECT_EQ(seen.kernels, 2U);
  EXPECT_EQ(seen.first, "linear M=8: gemm");
}

TEST(Tally, UnknownOpsAreNamedUpToALimit) {
  AttributionTally tally;
  for (int i = 0; i < 300; ++i) {
    tally.add(with_op([i](OpAttribution& op) {
      op.op = "own" + std::to_string(i);
      op.known_op = false;
    }));
  }
  EXPECT_EQ(tally.counts().unknown_ops.size(), 256U);
  EXPECT_EQ(tally.counts().of_unknown_op, 300U);
}

TEST(Tally, StacksAreCountedAsTheyAre) {
  AttributionTally tally;
  StackMeaning stack;
  tally.add_stack(stack);
  stack.broken = true;
  stack.depth = StackMeaning::kMaxDepth + 1;
  tally.add_stack(stack);
  tally.add_in_unread_domain("lib");
  tally.add_in_unread_domain("lib");
  EXPECT_EQ(tally.counts().broken_stacks, 1U);
  EXPECT_EQ(tally.counts().deep_stacks, 1U);
  EXPECT_EQ(tally.counts().in_unread_domains.at("lib"), 2U);
}

}  // namespace
}  // namespace prof
