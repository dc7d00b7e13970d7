// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Replays of CUDA graphs: what cases/graph_replay.txt cannot say.
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kSgemm;
using fakes::kTorchLinear;

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

}  // namespace
}  // namespace prof
