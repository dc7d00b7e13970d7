// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches of CUDA graphs that are recorded as a whole: each is one row, of no op.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kSgemm;
using fakes::kTorchLinear;
using fakes::kTorchLinearFlops;

class WholeGraph : public ::testing::Test {
 protected:
  void make_nodes(std::uint32_t graph, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) trace_.make_node(FakeTrace::node_id(graph, i));
  }

  std::vector<Attribution> attribute() {
    const auto cursor = attribute_work(trace_);
    std::vector<Attribution> rows;
    while (const AttributedRow* item = cursor->next()) rows.push_back(item->attribution);
    EXPECT_TRUE(cursor->status().ok());
    counts_ = cursor->counts();
    return rows;
  }

  static void expect_no_op(const Attribution& row) {
    EXPECT_TRUE(row.is_whole_graph);
    EXPECT_EQ(row.op->op, "");
    EXPECT_EQ(row.op->op_inner, "");
    EXPECT_EQ(row.op->params, "");
    EXPECT_TRUE(row.op->tensors.empty());
    EXPECT_EQ(row.op->gemm, std::nullopt);
    EXPECT_EQ(row.op->dtype, DType::kUnknown);
    EXPECT_EQ(row.cost.flops, std::nullopt);
    EXPECT_EQ(row.cost.bytes, std::nullopt);
    EXPECT_EQ(row.op_id, 0U);
    EXPECT_EQ(row.call_id, 0U);
    EXPECT_EQ(row.seq.own(), std::nullopt);
    EXPECT_TRUE(row.contradictions.none());
  }

  FakeTrace trace_;
  AttributionCounts counts_;
};

TEST_F(WholeGraph, HasTheLayerAndTheStepOfItsLaunchAndIsAttributed) {
  trace_.push("step:7");
  trace_.push("layer:serve");
  trace_.launch_graph();
  trace_.whole_graph(2);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  expect_no_op(rows[0]);
  EXPECT_EQ(rows[0].op->layer, "serve");
  EXPECT_EQ(rows[0].op->layer_from, Provenance::kExact);
  EXPECT_EQ(rows[0].op->direction, Direction::kNone);
  EXPECT_EQ(rows[0].step, 7);
  EXPECT_EQ(counts_.kernels, 1U);
  EXPECT_EQ(counts_.unattributed, 0U);
  EXPECT_EQ(counts_.without_op, 0U);
  EXPECT_EQ(counts_.without_direction, 0U);
}

TEST_F(WholeGraph, TakesNothingOfTheOpThatLaunchesIt) {
  trace_.push("layer:a");
  trace_.push(kTorchLinear);
  trace_.launch_graph();
  trace_.whole_graph(2);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  expect_no_op(rows[0]);
  EXPECT_EQ(rows[0].op->layer, "a");
  EXPECT_TRUE(counts_.unknown_ops.empty());
}

TEST_F(WholeGraph, SharesNoCostWithTheKernelsBesideIt) {
  trace_.push("layer:a");
  trace_.push(kTorchLinear);
  trace_.kernel(kSgemm);
  trace_.launch_graph();
  trace_.whole_graph(2);
  trace_.pop();
  trace_.kernel("other");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].is_whole_graph);
  EXPECT_EQ(rows[0].cost.flops, kTorchLinearFlops);
  EXPECT_EQ(rows[0].share, 1);
  expect_no_op(rows[1]);
  EXPECT_FALSE(rows[2].is_whole_graph);
  EXPECT_EQ(rows[2].graph_nodes, std::nullopt);
}

TEST_F(WholeGraph, IsUnattributedWithoutALayer) {
  trace_.launch_graph();
  trace_.whole_graph(2);
  attribute();
  EXPECT_EQ(counts_.unattributed, 1U);
  EXPECT_EQ(counts_.without_layer, 1U);
}

TEST_F(WholeGraph, InABackwardNodeHasItsLayerAndDirection) {
  trace_.push("layer:a");
  trace_.push("aten::mm, seq = 5, sizes = [[4, 4], [4, 4]]");
  trace_.kernel(kSgemm);
  trace_.pop();
  trace_.pop();
  trace_.push("MmBackward0, seq = 5", 2);
  trace_.launch_graph(2);
  trace_.whole_graph(2);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  expect_no_op(rows[1]);
  EXPECT_EQ(rows[1].op->layer, "a");
  EXPECT_EQ(rows[1].op->direction, Direction::kBprop);
}

TEST_F(WholeGraph, TellsTheNodesOfItsExecutable) {
  make_nodes(1, 3);
  trace_.begin_exec(4);
  make_nodes(2, 2);  // a child graph, whose nodes move
  make_nodes(4, 3);
  trace_.end_graph(2);
  trace_.end_exec(4);
  trace_.end_graph(1);
  trace_.launch_graph();
  trace_.whole_graph(4);
  trace_.end_graph(4);
  trace_.launch_graph();
  trace_.whole_graph(4);
  trace_.launch_graph();
  trace_.whole_graph(9);  // made before the capture
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].graph_nodes, 5U);
  EXPECT_EQ(rows[1].graph_nodes, 5U);
  EXPECT_EQ(rows[2].graph_nodes, std::nullopt);
}

TEST_F(WholeGraph, LaunchedByAKernelHasNoLaunchToMiss) {
  trace_.begin_exec(4);
  make_nodes(4, 3);
  trace_.end_exec(4);
  trace_.whole_graph(4, true);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  expect_no_op(rows[0]);
  EXPECT_EQ(rows[0].graph_nodes, 3U);
  EXPECT_EQ(rows[0].step, std::nullopt);
  EXPECT_EQ(counts_.without_launch, 0U);
}

TEST_F(WholeGraph, NothingIsGuessedFromItsName) {
  const KernelFacts facts = kernels::facts("[CUDA graph 128]");
  EXPECT_EQ(facts.short_name, "[CUDA graph 128]");
  EXPECT_EQ(facts.demangled, "[CUDA graph 128]");
  EXPECT_EQ(facts.family, "");
  EXPECT_EQ(facts.tile, std::nullopt);
  EXPECT_EQ(facts.instruction, std::nullopt);
  EXPECT_EQ(facts.tensor_core, TensorCore::kUnknown);
  EXPECT_EQ(facts.operand_dtype, DType::kUnknown);
  EXPECT_EQ(facts.split_k, std::nullopt);
  EXPECT_FALSE(facts.is_helper || facts.is_product || facts.is_ordering);
}

}  // namespace
}  // namespace prof
