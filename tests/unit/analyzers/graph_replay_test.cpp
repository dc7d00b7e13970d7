// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Replays of CUDA graphs: their work is attributed to what the nodes were made under.
#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kSgemm;
using fakes::kTorchLinear;
using fakes::kTorchLinearFlops;
using fakes::Row;

class GraphReplay : public fakes::AttributedProgram {
 protected:
  static std::uint64_t node(std::uint32_t graph, std::uint32_t number) {
    return FakeTrace::node_id(graph, number);
  }

  /// A node made in a layer and an op.
  void make(std::uint64_t id, const std::string& layer, const std::string& op = kTorchLinear) {
    trace_.push("layer:" + layer);
    trace_.push(op);
    trace_.make_kernel_node(id, kSgemm);
    trace_.pop();
    trace_.pop();
  }

  /// The executable of a graph of so many nodes.
  void instantiate(std::uint32_t exec, std::uint32_t graph, std::uint32_t nodes) {
    for (std::uint32_t i = 0; i < nodes; ++i) trace_.make_node(node(exec, i), node(graph, i));
  }
};

TEST_F(GraphReplay, HasTheLayerAndTheOpOfTheCaptureAndTheStepOfTheLaunch) {
  trace_.push("step:1");
  make(node(1, 0), "encoder");
  trace_.pop();
  instantiate(2, 1, 1);
  trace_.push("step:7");
  trace_.push("layer:serve");
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.layer, "encoder");
  EXPECT_EQ(rows[0].launch_layer, "serve");
  EXPECT_EQ(rows[0].op.op, "linear");
  EXPECT_EQ(rows[0].op.gemm->m, 32);
  EXPECT_EQ(rows[0].own.cost.flops, 2 * 8 * 4 * 32 + 8 * 32);
  EXPECT_EQ(rows[0].own.step, 7);
  EXPECT_EQ(rows[0].own.seq.own(), 1U);
  EXPECT_EQ(rows[0].op.layer_from, Provenance::kInherited);
  EXPECT_EQ(rows[0].op.op_from, Provenance::kInherited);
  EXPECT_EQ(rows[0].op.shapes_from, Provenance::kInherited);
  EXPECT_EQ(counts_.replayed, 1U);
  EXPECT_EQ(counts_.unknown_nodes, 0U);
}

TEST_F(GraphReplay, OfXlaHasTheOpThatWasPutIntoTheGraph) {
  const DomainId domain = trace_.domain("TSL");
  trace_.push("XlaModule:#prefix=jit(step),hlo_module=jit_step,program_id=3#", 1, domain);
  trace_.push("Thunk:#hlo_op=command_buffer#", 1, domain);
  trace_.push("Thunk:#name=jvp(GPT)/mlp/tanh,hlo_op=wrapped_tanh#", 1, domain);
  trace_.make_kernel_node(node(1, 0), "wrapped_tanh");
  trace_.pop();
  instantiate(2, 1, 1);
  trace_.launch_graph();
  trace_.replay(node(2, 0), "wrapped_tanh");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.op, "tanh");
  EXPECT_EQ(rows[0].op.layer, "GPT:mlp");
  EXPECT_EQ(rows[0].op.direction, Direction::kFprop);
  EXPECT_EQ(rows[0].op.op_from, Provenance::kEstimated);
}

TEST_F(GraphReplay, HasTheShapesOfTheModuleThatWasCaptured) {
  const std::string call = R"({"v":1,"mod":"prof","call":"Linear","args":[{"name":"0",)"
                           R"("role":"in","type":"tensor","shape":[8,16],"dtype":"float32"}]})";
  make(node(1, 0), "fc", call);
  instantiate(2, 1, 1);
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].op.tensors.size(), 1U);
  EXPECT_EQ(rows[0].op.tensors[0].shape, (Shape{8, 16}));
  EXPECT_EQ(rows[0].op.shapes_from, Provenance::kInherited);
  EXPECT_EQ(rows[0].own.op_id, 0U);
}

TEST_F(GraphReplay, EachReplayIsAnInstanceOfItsOps) {
  trace_.push("layer:a");
  trace_.push(kTorchLinear);
  trace_.make_kernel_node(node(1, 0), kSgemm);
  trace_.make_kernel_node(node(1, 1), kSgemm);
  trace_.pop();
  trace_.pop();
  make(node(1, 2), "b");
  instantiate(2, 1, 3);
  for (int i = 0; i < 2; ++i) {
    trace_.launch_graph();
    // Branches run beside each other.
    trace_.replay(node(2, 0), kSgemm);
    trace_.replay(node(2, 2), kSgemm);
    trace_.replay(node(2, 1), kSgemm);
  }
  trace_.kernel("other");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  for (const std::size_t first : {0U, 3U}) {
    EXPECT_EQ(rows[first].own.op_id, rows[first + 2].own.op_id);
    EXPECT_NE(rows[first].own.op_id, rows[first + 1].own.op_id);
    EXPECT_EQ(*rows[first].own.cost.flops + *rows[first + 2].own.cost.flops, kTorchLinearFlops);
    EXPECT_EQ(rows[first + 1].own.cost.flops, kTorchLinearFlops);
    EXPECT_EQ(rows[first].own.sub, 0U);
    EXPECT_EQ(rows[first + 2].own.sub, 1U);
    EXPECT_EQ(rows[first + 1].own.sub, 0U);
  }
  EXPECT_NE(rows[0].own.op_id, rows[3].own.op_id);
  EXPECT_NE(rows[0].own.call_id, rows[3].own.call_id);
}

TEST_F(GraphReplay, IdsAreTheSameWithAndWithoutCopies) {
  make(node(1, 0), "a");
  trace_.push("layer:b");
  trace_.push("aten::copy_, sizes = [[8], [8]]");
  trace_.make_node(node(1, 1));
  trace_.pop();
  trace_.pop();
  make(node(1, 2), "c");
  instantiate(2, 1, 3);
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.row(trace_.replay(node(2, 1), "")).kind = GpuRow::Kind::kMemcpy;
  trace_.replay(node(2, 2), kSgemm);
  const auto kernels = attribute();
  const auto all = attribute({.work = TraceReader::Work::kKernelsAndCopies});
  ASSERT_EQ(kernels.size(), 2U);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(kernels[0].own.op_id, all[0].own.op_id);
  EXPECT_EQ(kernels[1].own.op_id, all[2].own.op_id);
}

TEST_F(GraphReplay, ABackwardNodeIsLinkedAtItsCapture) {
  trace_.push("layer:head");
  trace_.push(kTorchLinear);
  trace_.make_kernel_node(node(1, 0), kSgemm);
  trace_.pop();
  trace_.pop();
  trace_.push("autograd::engine::evaluate_function: AddmmBackward0");
  trace_.push("AddmmBackward0, seq = 1");
  trace_.push("aten::mm, sizes = [[8, 32], [32, 4]]");
  trace_.make_kernel_node(node(1, 1), kSgemm);
  trace_.pop();
  trace_.pop();
  trace_.pop();
  instantiate(2, 1, 2);
  // Long after, another op has the number.
  for (int i = 0; i < 3; ++i) {
    trace_.push("aten::relu, seq = 1, sizes = [[8, 32]]");
    trace_.pop();
  }
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.replay(node(2, 1), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.layer, "head");
  EXPECT_EQ(rows[1].op.op, "linear");
  EXPECT_EQ(rows[1].op.direction, Direction::kBprop);
  EXPECT_EQ(rows[1].own.call_id, rows[0].own.call_id) << "of the same replay";
}

TEST_F(GraphReplay, AnUpdateHoldsForTheLaunchesAfterIt) {
  make(node(1, 0), "old");
  instantiate(2, 1, 1);
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  make(node(3, 0), "new");
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.update_node(node(2, 0), node(3, 0));
  trace_.end_graph(3);
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.push("layer:set");
  trace_.update_node(node(2, 0), 0);
  trace_.pop();
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.update_node(node(2, 0), 0);  // outside of layers: its work is the same
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].op.layer, "old");
  EXPECT_EQ(rows[1].op.layer, "old");
  EXPECT_EQ(rows[2].op.layer, "new");
  EXPECT_EQ(rows[3].op.layer, "set");
  EXPECT_EQ(rows[4].op.layer, "set");
}

TEST_F(GraphReplay, LaunchesOfOtherThreadsDoNotBringUpdatesForward) {
  make(node(1, 0), "old");
  instantiate(2, 1, 1);
  trace_.launch_graph(1);
  const std::size_t early = trace_.replay(node(2, 0), kSgemm);
  make(node(3, 0), "new");
  trace_.update_node(node(2, 0), node(3, 0));
  // A launch with a smaller correlation but a later time is read first.
  trace_.kernel("other", 100, 2);
  std::swap(trace_.row(early), trace_.row(early + 1));
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.layer, "old");
}

TEST_F(GraphReplay, NodesOfChildGraphsMoveIntoTheExecutable) {
  make(node(1, 0), "child", kTorchLinear);  // the child graph, and its copy in the parent
  make(node(2, 0), "parent");
  trace_.make_node(node(3, 0), node(1, 0));
  trace_.make_node(node(2, 1));
  trace_.make_node(node(4, 0), node(2, 0));
  trace_.make_node(node(5, 0), node(3, 0));
  trace_.make_node(node(4, 1), node(2, 1));
  trace_.begin_exec(4);
  trace_.end_graph(5);
  trace_.end_exec(4);
  trace_.launch_graph();
  trace_.replay(node(4, 0), kSgemm);
  trace_.replay(node(4, 2), kSgemm);
  trace_.replay(node(4, 2), "another kernel");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "parent");
  EXPECT_EQ(rows[1].op.layer, "child");
  EXPECT_EQ(rows[2].op.layer, "") << "not the node's kernel, so not the node";
  EXPECT_EQ(counts_.unknown_nodes, 1U);
}

TEST_F(GraphReplay, UnknownNodesAreCountedAndHaveTheFactsOfTheLaunch) {
  trace_.push("layer:serve");
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.replay(node(2, 0xffffffff), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op.layer, "serve");
  EXPECT_EQ(rows[0].op.layer_from, Provenance::kExact);
  EXPECT_EQ(counts_.unknown_nodes, 2U);
  EXPECT_EQ(counts_.replayed, 0U);
}

TEST_F(GraphReplay, WorkOfAGraphMadeBeforeTheCaptureIsNotThatOfItsInstantiation) {
  make(node(5, 0), "known");
  trace_.push("layer:init");
  instantiate(2, 1, 1);
  instantiate(6, 5, 1);
  trace_.update_node(node(6, 0), node(1, 0));
  trace_.pop();
  trace_.push("layer:serve");
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  trace_.launch_graph();
  trace_.replay(node(6, 0), kSgemm);
  trace_.update_node(node(2, 0), 0);
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "serve");
  EXPECT_EQ(rows[1].op.layer, "serve") << "updated by such a graph";
  EXPECT_EQ(rows[2].op.layer, "serve") << "parameters set inside of a layer";
  EXPECT_EQ(rows[2].op.layer_from, Provenance::kInherited);
  EXPECT_EQ(counts_.unknown_nodes, 2U);
}

TEST_F(GraphReplay, NodesOfChildGraphsProveThemselvesAfterTheirParametersWereSet) {
  make(node(1, 0), "gemm");
  trace_.push("layer:copy");
  trace_.make_node(node(1, 1));
  trace_.graph_events_.back().node_type = 1;
  trace_.pop();
  trace_.update_node(node(1, 0), 0);
  trace_.update_node(node(1, 1), 0);
  trace_.make_node(node(2, 0));
  trace_.make_node(node(4, 0), node(2, 0));
  instantiate(5, 1, 2);
  trace_.begin_exec(4);
  trace_.end_graph(5);
  trace_.end_exec(4);
  trace_.update_node(node(4, 1), 0);
  trace_.set_grid(kSgemm, {7, 1, 1});
  trace_.launch_graph();
  trace_.replay(node(4, 1), kSgemm);
  trace_.row(trace_.replay(node(4, 2), "")).kind = GpuRow::Kind::kMemcpy;
  trace_.replay(node(4, 1), "another kernel");
  const auto rows = attribute({.work = TraceReader::Work::kKernelsAndCopies});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "gemm");
  EXPECT_EQ(rows[1].op.layer, "copy");
  EXPECT_EQ(rows[2].op.layer, "");
  EXPECT_EQ(counts_.unknown_nodes, 1U);
}

TEST_F(GraphReplay, NodesMadeOutsideOfRangesHaveTheFactsOfTheLaunch) {
  trace_.make_node(node(1, 0));
  instantiate(2, 1, 1);
  trace_.push("layer:serve");
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.layer, "serve");
  EXPECT_EQ(counts_.unknown_nodes, 0U);
}

TEST_F(GraphReplay, OutlivesCachesAndDestroyedGraphs) {
  make(node(1, 0), "kept");
  instantiate(2, 1, 1);
  trace_.end_graph(1);
  trace_.advance_ns(1'000'000'000);
  for (int i = 0; i < 2000; ++i) {
    trace_.push("layer:other" + std::to_string(i));
    trace_.kernel("other");
    trace_.pop();
  }
  trace_.launch_graph();
  trace_.replay(node(2, 0), kSgemm);
  const auto rows = attribute({.max_cache_entries = 64});
  EXPECT_EQ(rows.back().op.layer, "kept");
  EXPECT_EQ(rows.back().op.op, "linear");
}

TEST_F(GraphReplay, AnIdThatIsUsedAgainAfterItsGraphIsGoneIsAnotherNode) {
  make(node(1, 0), "first");
  trace_.launch_graph();
  trace_.replay(node(1, 0), kSgemm);
  trace_.end_graph(1);
  trace_.advance_ns(1'000'000'000);
  trace_.launch_graph();
  trace_.replay(node(1, 0), kSgemm);
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.layer, "first");
  EXPECT_EQ(rows[1].op.layer, "");
  EXPECT_EQ(counts_.unknown_nodes, 1U);
}

/// The processor's time to attribute a graph whose nodes were all made in layers of their own.
std::int64_t cpu_ns_of_layers(std::uint32_t layers) {
  FakeTrace trace;
  for (std::uint32_t i = 0; i < layers; ++i) {
    trace.push("layer:of node " + std::to_string(i) + "x");
    trace.make_node(FakeTrace::node_id(1, i));
    trace.pop();
  }
  trace.launch_graph();
  trace.replay(FakeTrace::node_id(1, layers - 1), kSgemm);
  timespec begin{}, end{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  const auto cursor = attribute_work(trace);
  EXPECT_EQ(cursor->next()->attribution.op->layer, "of node " + std::to_string(layers - 1) + "x");
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (end.tv_sec - begin.tv_sec) * 1'000'000'000 + end.tv_nsec - begin.tv_nsec;
}

TEST(GraphsOfManyLayers, TakeTimeInProportionToThem) {
  constexpr std::uint32_t kFew = 3'000, kTimes = 8;
  // Looking through all of them for each of them would take more than 100 times as long.
  EXPECT_LT(cpu_ns_of_layers(kFew * kTimes), 5 * kTimes * cpu_ns_of_layers(kFew));
}

/// A graph with a conditional node: a kernel before it, its body, and a kernel after it.
class GraphBodies : public GraphReplay {
 protected:
  static constexpr std::uint32_t kExec = 4;

  GraphBodies() {
    make(node(1, 0), "before");
    trace_.make_node(node(1, 1));  // the conditional node
    make(node(2, 0), "body");
    make(node(1, 2), "after");
    trace_.make_node(node(kExec, 0), node(1, 0));
    trace_.make_node(node(5, 0), node(2, 0));
    trace_.make_node(node(kExec, 1), node(1, 1));
    trace_.make_node(node(kExec, 2), node(1, 2));
    trace_.begin_exec(kExec);
    trace_.end_graph(5);
    trace_.end_exec(kExec);
  }

  /// Launches the graph in a step; `nodes` of it run, from `start_ns` on, 100 ns apart.
  void launch(int step, std::int64_t start_ns, const std::vector<std::uint32_t>& nodes) {
    trace_.push("step:" + std::to_string(step));
    trace_.launch_graph(1, kExec);
    for (const std::uint32_t one : nodes) {
      const std::size_t row = trace_.replay(node(kExec, one), kSgemm);
      trace_.row(row).start_ns = start_ns;
      start_ns += 100;
    }
    trace_.pop();
  }

  void body(std::int64_t start_ns) { trace_.body(node(kExec, 3), kSgemm, start_ns); }

  /// The steps of work in bodies, -1 for those without a launch.
  std::vector<std::int64_t> steps_of_bodies() {
    std::vector<std::int64_t> steps;
    for (const Row& row : attribute()) {
      if (row.op.layer == "body") steps.push_back(row.own.step.value_or(-1));
    }
    return steps;
  }
};

TEST_F(GraphBodies, StandAtTheLaunchThatRanThem) {
  // Both were queued before the first ran.
  launch(1, 10'000, {0, 2});
  launch(2, 11'000, {0, 2});
  body(10'050);
  body(10'060);
  body(11'050);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  const std::vector<std::string> layers = {"before", "after", "body", "body",
                                           "before", "after", "body"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.layer, layers[i]) << i;
    EXPECT_EQ(rows[i].own.step, i < 4 ? 1 : 2) << i;
  }
  EXPECT_EQ(rows[2].own.op_id, rows[3].own.op_id) << "runs of a loop are one instance";
  EXPECT_NE(rows[2].own.op_id, rows[6].own.op_id);
  EXPECT_EQ(counts_.without_launch, 0U);
  EXPECT_EQ(counts_.unknown_nodes, 0U);
}

TEST_F(GraphBodies, AtTheEndOfALaunchAreKnownByTheirOtherRuns) {
  launch(1, 10'000, {0});
  launch(2, 11'000, {0});
  launch(3, 12'000, {0});
  body(10'500);  // before the next, or after the last
  body(11'500);
  body(12'500);  // after the last: there is no next
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(GraphBodies, AtTheBeginningOfALaunchAreKnownByTheirOtherRuns) {
  launch(1, 10'000, {2});
  launch(2, 11'000, {2});
  body(9'500);  // before the first
  body(10'500);
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(GraphBodies, BetweenTwoLaunchesWithoutAnyOtherSignHaveNone) {
  launch(1, 10'000, {0});
  launch(2, 11'000, {0});
  body(10'500);
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(counts_.without_launch, 1U);
}

TEST_F(GraphBodies, ALaunchThatWasMadeLaterIsNotTheirs) {
  launch(1, 2'000, {0});
  trace_.advance_ns(9'000);
  launch(2, 20'000, {0});
  body(2'500);
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{1}));
}

TEST_F(GraphBodies, OfAGraphThatRunsNothingElseAreOfItsOnlyLaunchUntilThen) {
  launch(1, 0, {});
  const std::int64_t first = trace_.now_ns() + 100;
  trace_.advance_ns(1'000);
  launch(2, 0, {});
  body(first);
  body(first + 10);
  body(trace_.now_ns() + 5'000);  // of the second, or of the first that still runs
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{1, 1, -1}));
}

TEST_F(GraphBodies, WithoutALaunchKeepTheirLayerWhenTheirGraphIsGone) {
  launch(1, 10'000, {0});
  launch(2, 11'000, {0});
  trace_.end_graph(kExec);
  trace_.advance_ns(1'000'000'000);
  make(node(9, 0), "another");
  trace_.launch_graph();
  trace_.replay(node(9, 0), kSgemm);
  body(10'500);
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(counts_.unknown_nodes, 0U);
}

TEST_F(GraphBodies, WithoutALaunchAndWithAnUpdateSinceHaveNoLayer) {
  launch(1, 10'000, {0});
  make(node(9, 0), "new");
  trace_.update_node(node(kExec, 3), node(9, 0));
  launch(2, 11'000, {0});
  body(10'500);
  EXPECT_EQ(steps_of_bodies(), std::vector<std::int64_t>{});
  EXPECT_EQ(counts_.unknown_nodes, 1U);
}

TEST_F(GraphBodies, WithoutALaunchDoNotDivideTheReplayWhereTheyStand) {
  launch(1, 10'000, {0, 2});
  launch(2, 11'000, {0, 2});
  trace_.body(node(kExec, 4), kSgemm, 10'300);  // of either, and a node that is not known
  body(11'010);
  body(11'020);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_FALSE(rows[4].own.step.has_value());
  EXPECT_EQ(rows[4].own.op_id, 0U);
  EXPECT_EQ(rows[5].own.step, 2);
  EXPECT_EQ(rows[5].own.op_id, rows[6].own.op_id);
  EXPECT_EQ(rows[5].own.op_id, rows[2].own.op_id + 2) << "after those of the ops before and after";
}

TEST_F(GraphBodies, WithoutAnyLaunchHaveALayer) {
  body(trace_.now_ns() + 1'000);
  EXPECT_EQ(steps_of_bodies(), (std::vector<std::int64_t>{-1}));
}

}  // namespace
}  // namespace prof
