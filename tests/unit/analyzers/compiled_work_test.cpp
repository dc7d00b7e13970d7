// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of compiled graphs: their layers, ops and costs are those of the calls of the code.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/analyzers/compiled_program.hpp"

namespace prof {
namespace {

using fakes::deflated;
using fakes::FakeTrace;
using fakes::kForwardCode;
using fakes::kMm;
using fakes::kMul;
using fakes::kSgemm;
using fakes::kSum;
using fakes::Row;
using CompiledWork = fakes::CompiledProgram;

TEST_F(CompiledWork, HasTheLayersAndOpsOfTheCalls) {
  keep();
  run();
  run();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 10U);
  const std::vector<Row> once(rows.begin(), rows.begin() + 5);
  EXPECT_EQ(told(once),
            "a.proj linear fprop, a mul fprop, b.proj linear fprop, b mul fprop,  sum fprop");
  EXPECT_EQ(told({rows.begin() + 5, rows.end()}), told(once));
  EXPECT_EQ(rows[0].op.trace, "model.py:3");
  EXPECT_EQ(rows[1].op.ops, "mul(mul)");
  EXPECT_EQ(counts_.compiled.unmatched, 0U);
  EXPECT_EQ(counts_.compiled.without_code, 0U);
}

TEST_F(CompiledWork, EachKernelIsAnInstanceWithItsCost) {
  keep();
  run();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].own.cost.flops, 2 * 8 * 4 * 16) << "the op's own, as without the code";
  EXPECT_EQ(rows[1].own.cost.flops, 128);
  EXPECT_EQ(rows[1].own.cost.read, 4 * 128);
  EXPECT_EQ(rows[1].own.cost.written, 4 * 128);
  EXPECT_EQ(rows[1].own.basis, Basis::kExact);
  EXPECT_EQ(rows[1].own.share, 1);
  EXPECT_EQ(rows[3].own.cost.flops, 128) << "another node, by the same kernel";
  EXPECT_EQ(rows[4].own.cost.read, 4 * 128);
  EXPECT_EQ(rows[4].own.cost.written, 4 * 16);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NE(rows[i].own.op_id, rows[i - 1].own.op_id);
}

TEST_F(CompiledWork, StandsInTheLayerThatCallsTheGraph) {
  keep();
  trace_.push("layer:blocks.3");
  run();
  trace_.pop();
  trace_.push("Decoder");
  run();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0].op.layer, "blocks.3.a.proj");
  EXPECT_EQ(rows[4].op.layer, "blocks.3");
  EXPECT_EQ(rows[5].op.layer, "a.proj") << "a root has no name of its own";
  EXPECT_EQ(rows[9].op.layer, "Decoder");
}

TEST_F(CompiledWork, EqualCodeOfOtherModulesHasTheirLayers) {
  keep();
  trace_.document("dynamo.nodes", "1", deflated(R"({"nodes":[
      {"name":"linear","path":"x.proj","target":"linear"}]})"));
  run();
  trace_.push(R"({"v":1,"mod":"prof","graph":"c1","source":"1","dir":"fprop"})");
  run_op();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].op.layer, "a.proj");
  EXPECT_EQ(rows[5].op.layer, "x.proj");
}

TEST_F(CompiledWork, NodesOfABackwardPassAreThoseOfTheirForwardNodes) {
  std::string code(kForwardCode);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"[linear_1]", "[mm_3]"}, {"0_forward", "0_backward"}}) {
    code.replace(code.find(from), from.size(), to);
  }
  keep(code);
  trace_.document("aot.nodes", "c1", deflated(R"({"nodes":[
      {"name":"mm","source":"linear","recompute":true},
      {"name":"mm_3","source":"linear","dir":"bprop"}]})"));
  begin("bprop");
  run_op();
  trace_.kernel(kMul);
  run_op();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "a.proj");
  EXPECT_EQ(rows[0].op.direction, Direction::kBprop);
  EXPECT_TRUE(rows[0].op.is_recomputed);
  EXPECT_EQ(rows[2].op.layer, "a.proj");
  EXPECT_EQ(rows[2].op.op, "linear");
  EXPECT_FALSE(rows[2].op.is_recomputed);
}

TEST_F(CompiledWork, AReplayedGraphHasThemToo) {
  keep();
  begin();
  trace_.push(std::string(kMm));
  trace_.make_kernel_node(FakeTrace::node_id(1, 0), kSgemm);
  trace_.pop();
  trace_.make_kernel_node(FakeTrace::node_id(1, 1), kMul);
  trace_.pop();
  for (std::uint32_t i = 0; i < 2; ++i) {
    trace_.make_node(FakeTrace::node_id(2, i), FakeTrace::node_id(1, i));
  }
  const auto launch = [&] {
    trace_.launch_graph();
    trace_.replay(FakeTrace::node_id(2, 0), kSgemm);
    trace_.replay(FakeTrace::node_id(2, 1), kMul);
  };
  launch();
  launch();  // by the program
  begin();
  launch();  // by the compiler's own code
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < 6; i += 2) {
    EXPECT_EQ(rows[i].op.layer, "a.proj");
    EXPECT_EQ(rows[i + 1].op.layer, "a");
    EXPECT_EQ(rows[i + 1].own.cost.flops, 128);
  }
  EXPECT_NE(rows[1].own.op_id, rows[3].own.op_id);
}

TEST_F(CompiledWork, KernelsOfOneCallKeepTheirOwnInnerOpsInReplays) {
  keep();
  begin();
  trace_.push(std::string(kMm));
  for (std::uint32_t node = 0; node < 2; ++node) {
    trace_.push(node == 0 ? "aten::fill_, sizes = [[8, 16], []]" : "aten::copy_, sizes = [[4, 2]]");
    trace_.make_kernel_node(FakeTrace::node_id(1, node), kSgemm);
    trace_.pop();
  }
  trace_.pop();
  trace_.pop();
  trace_.launch_graph();
  trace_.replay(FakeTrace::node_id(1, 0), kSgemm);
  trace_.replay(FakeTrace::node_id(1, 1), kSgemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op.op_inner, "aten::fill_");
  EXPECT_EQ(rows[1].op.op_inner, "aten::copy_");
}

TEST_F(CompiledWork, WhatDoesNotFitIsCountedAndTheRestGoesOn) {
  keep();
  begin();
  run_op();
  trace_.kernel("triton_poi_fused_other_9");
  trace_.kernel(kSum);  // only one call launches it
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "a.proj");
  EXPECT_EQ(rows[1].op.layer, "");
  EXPECT_EQ(rows[1].op.direction, Direction::kFprop) << "the graph's";
  EXPECT_EQ(rows[2].op.op, "sum");
  EXPECT_EQ(counts_.compiled.unmatched, 1U);
  EXPECT_EQ(counts_.compiled.first_graph, "c1");
}

TEST_F(CompiledWork, ACallThatBeganBeforeTheCaptureTakesNoOtherCallsFor) {
  keep();
  begin();
  trace_.kernel(kMul);  // the first one or the second?
  trace_.kernel(kSum);
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.op, "sum");
}

TEST_F(CompiledWork, WithoutItsCodeAGraphIsCounted) {
  trace_.document("inductor.wrapper", "c1", "damaged");
  run();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].op.op, "mm");
  EXPECT_EQ(counts_.compiled.without_code, 3U);
}

TEST_F(CompiledWork, ACopyOfTheCompilersIsWorkOfTheCallItIsMadeFor) {
  keep(R"(# AOT ID: ['0_inference']
# Unsorted Source Nodes: [], Original ATen: []
triton_poi_fused_0 = async_compile.triton('triton_poi_fused_0', '''
def triton_poi_fused_0(in_ptr0, out_ptr0, ynumel, xnumel):
''')
def call(args):
    buf0 = empty_strided_cuda((8, 16), (16, 1), torch.float32)
    arg0_1 = empty_strided_cuda((8, 16), (1, 8), torch.float32)
    # Unsorted Source Nodes: [], Original ATen: []
    triton_poi_fused_0.run(arg0_1, buf0, 8, 16, stream=stream0)
    # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.mm]
    extern_kernels.mm(reinterpret_tensor(buf0, (8, 16), (16, 1), 0), arg1_1, out=buf1)
)");
  begin();
  trace_.kernel("triton_poi_fused_0");
  run_op();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op.layer, "a.proj");
  EXPECT_EQ(rows[0].own.cost.bytes, 2 * 4 * 128);
  EXPECT_EQ(rows[0].own.basis, Basis::kEstimated);
}

TEST_F(CompiledWork, ANameThatOccursSeveralTimesIsFoundInTheOrderOfTheCalls) {
  std::string code(kForwardCode);
  for (const std::string name : {"linear_1", "linear_1", "mul_1"}) {
    const std::string plain = name.substr(0, name.find('_'));
    const std::size_t at = code.rfind("[" + name) != code.npos ? code.rfind("[" + name) + 1
                                                               : code.rfind(", " + name + "]") + 2;
    code.replace(at, name.size(), plain);
  }
  keep(code, R"({"nodes":[
      {"name":"linear","path":"blocks.0","target":"linear"},
      {"name":"mul","path":"blocks.0","target":"mul"},
      {"name":"linear","path":"blocks.1","target":"linear"},
      {"name":"mul","path":"blocks.1","target":"mul"},
      {"name":"total","target":"sum"}]})");
  run();
  EXPECT_EQ(told(attribute()),
            "blocks.0 linear fprop, blocks.0 mul fprop, blocks.1 linear fprop, blocks.1 mul fprop, "
            " sum fprop");
}

TEST_F(CompiledWork, TheStepOfAnOptimizerIsAnUpdate) {
  keep(kForwardCode,
       R"({"nodes":[{"name":"linear","target":"_foreach_mul","optimizer":"adamw"}]})");
  begin();
  run_op();
  trace_.kernel(kMul);
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.op, "adamw");
  EXPECT_EQ(rows[1].op.direction, Direction::kUpdate);
}

}  // namespace
}  // namespace prof
