// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attribution_tally.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "tests/unit/analyzers/fake_trace.hpp"

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

class Tally : public ::testing::Test {
 protected:
  fakes::FakeTrace trace_;
  StackWalker stacks_{trace_, 64};
  ReplayTracker replays_{trace_, stacks_, 64};
  CompiledWork compiled_{trace_, stacks_, replays_};
  AttributionTally tally_{trace_, stacks_, replays_, compiled_};
};

TEST_F(Tally, AnAttributedKernelLacksNothing) {
  tally_.add(attributed_kernel());
  const AttributionCounts& counts = tally_.counts();
  EXPECT_EQ(counts.kernels, 1U);
  EXPECT_EQ(counts.unattributed, 0U);
  EXPECT_EQ(counts.without_launch, 0U);
  EXPECT_EQ(counts.before_launch, 0U);
}

TEST_F(Tally, CopiesLackNothing) {
  HeldRow row = with_op([](OpAttribution& op) { op = {}; });
  row.gpu.kind = GpuRow::Kind::kMemcpy;
  row.late = true;
  tally_.add(row);
  EXPECT_EQ(tally_.counts().copies, 1U);
  EXPECT_EQ(tally_.counts().kernels, 0U);
  EXPECT_EQ(tally_.counts().unattributed, 0U);
  EXPECT_EQ(tally_.counts().late, 1U);
}

TEST_F(Tally, EachThingThatIsMissingCounts) {
  tally_.add(with_op([](OpAttribution& op) { op.layer.clear(); }));
  tally_.add(with_op([](OpAttribution& op) { op.op.clear(), op.known_op = false; }));
  tally_.add(with_op([](OpAttribution& op) { op.direction = Direction::kNone; }));
  HeldRow in_step = with_op([](OpAttribution& op) { op.op = "own", op.known_op = false; });
  in_step.attribution.step = 3;
  tally_.add(in_step);
  const AttributionCounts& counts = tally_.counts();
  EXPECT_EQ(counts.without_layer, 1U);
  EXPECT_EQ(counts.without_op, 1U);
  EXPECT_EQ(counts.without_direction, 1U);
  EXPECT_EQ(counts.of_unknown_op, 1U);
  EXPECT_EQ(counts.unknown_ops.at("own"), 1U);
  EXPECT_EQ(counts.unattributed, 4U);
  EXPECT_EQ(counts.unattributed_in_steps, 1U);
}

TEST_F(Tally, AWholeGraphLacksOnlyALayer) {
  HeldRow graph = with_op([](OpAttribution& op) { op = {}; });
  graph.attribution.is_whole_graph = true;
  graph.gpu.launched = false;
  graph.gpu.origin = Origin::kDevice;  // by a kernel
  tally_.add(graph);
  const AttributionCounts& counts = tally_.counts();
  EXPECT_EQ(counts.without_layer, 1U);
  EXPECT_EQ(counts.without_op, 0U);
  EXPECT_EQ(counts.without_direction, 0U);
  EXPECT_EQ(counts.without_launch, 0U);
}

TEST_F(Tally, ContradictionsKeepTheirFirstExample) {
  HeldRow row = attributed_kernel();
  row.attribution.contradictions.set(static_cast<std::size_t>(Contradiction::kProduct));
  tally_.add(row);
  HeldRow other = with_op([](OpAttribution& op) { op.op = "bmm"; });
  other.attribution.contradictions = row.attribution.contradictions;
  tally_.add(other);
  const ContradictionCount seen =
      tally_.counts().contradictions[static_cast<std::size_t>(Contradiction::kProduct)];
  EXPECT_EQ(seen.kernels, 2U);
  EXPECT_EQ(seen.first, "linear M=8: gemm");
}

TEST_F(Tally, UnknownOpsAreNamedUpToALimit) {
  for (int i = 0; i < 300; ++i) {
    tally_.add(with_op([i](OpAttribution& op) {
      op.op = "own" + std::to_string(i);
      op.known_op = false;
    }));
  }
  EXPECT_EQ(tally_.counts().unknown_ops.size(), 256U);
  EXPECT_EQ(tally_.counts().of_unknown_op, 300U);
}

TEST_F(Tally, StacksAreCountedAsTheyAre) {
  StackMeaning stack;
  tally_.add_stack(stack);
  stack.broken = true;
  stack.depth = StackMeaning::kMaxDepth + 1;
  tally_.add_stack(stack);
  EXPECT_EQ(tally_.counts().broken_stacks, 1U);
  EXPECT_EQ(tally_.counts().deep_stacks, 1U);
}

TEST_F(Tally, ARangeAroundAKernelMayBeWhyItLacksALayer) {
  HeldRow kernel = with_op([](OpAttribution& op) { op.layer.clear(); });
  tally_.add(kernel);
  EXPECT_TRUE(tally_.counts().in_unread_domains.empty());
  kernel.unread = trace_.domain("lib");
  tally_.add(kernel);
  tally_.add(kernel);
  EXPECT_EQ(tally_.counts().without_layer, 3U);
  EXPECT_EQ(tally_.counts().in_unread_domains.at("lib"), 2U);
}

TEST_F(Tally, KernelsWithNamesOfALibraryWhoseCallsWereNotSeen) {
  trace_.metas_["library_calls_unseen"] = "cublas, cusparse";
  AttributionTally tally(trace_, stacks_, replays_, compiled_);
  const auto add = [&](const char* name, const char* family) {
    HeldRow row = attributed_kernel();
    auto kernel = std::make_shared<KernelFacts>();
    kernel->short_name = name;
    kernel->family = family;
    row.attribution.kernel = std::move(kernel);
    tally.add(row);
  };
  add("nvjet_sm90_hsh", "cublaslt/nvjet");
  add("ampere_sgemm_128x64_tn", "cublas/gemm");
  add("cusparse::csrmv_v3_kernel", "");
  add("xmma_split_k", "cusparselt/splitk_reduce");
  add("cusolver::getrf", "");
  add("cublas", "");
  const std::map<std::string, std::uint64_t, std::less<>> expected{{"cublas", 2}, {"cusparse", 1}};
  EXPECT_EQ(tally.counts().of_unseen_libraries, expected);
}

}  // namespace
}  // namespace prof
