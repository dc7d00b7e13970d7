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

// It reads an operand of a library's product and writes it in its place, in another layout.
TEST_F(CompiledWork, AKernelThatNamesAProductOfALibraryHasNotItsCost) {
  keep(R"(# AOT ID: ['0_backward']
# Topologically Sorted Source Nodes: [mul, convolution_backward], Original ATen: [aten.mul]
# Source node to ATen node mapping:
#   convolution_backward => convolution_backward
#   mul => mul
# Graph fragment:
#   %relu : Tensor "f32[8, 16, 4, 4][256, 1, 64, 16]cuda:0" = PlaceHolder[target=relu]
#   %mul : Tensor "f32[8, 16, 4, 4][256, 1, 64, 16]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%relu, 2.0), kwargs = {})
#   %convolution_backward : [num_users=2] = call_function[target=torch.ops.aten.convolution_backward.default](args = (%mul, %relu, %p, [0], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False]), kwargs = {})
#   return %buf1
triton_poi_fused_mul_0 = async_compile.triton('triton_poi_fused_mul_0', '''
def triton_poi_fused_mul_0(in_out_ptr0, xnumel, XBLOCK : tl.constexpr):
''', device_str='cuda')
def call(args):
    relu, p = args
    assert_size_stride(relu, (8, 16, 4, 4), (256, 1, 64, 16))
    buf1 = relu; del relu  # reuse
    # Topologically Sorted Source Nodes: [mul, convolution_backward], Original ATen: [aten.mul]
    triton_poi_fused_mul_0.run(buf1, 2048, stream=stream0)
)",
       R"({"nodes":[{"name":"mul","path":"bn","target":"mul"}]})");
  begin("bprop");
  trace_.kernel(kMul);
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.layer, "bn");
  EXPECT_EQ(rows[0].op.op, "mul");
  EXPECT_EQ(rows[0].own.cost.flops, 2048);
  EXPECT_EQ(rows[0].own.cost.bytes, 2 * 4 * 2048);
}

// Attention, whose mask is a node of the same name, and which is given a product.
TEST_F(CompiledWork, AProductIsItsOwnNodeAmongThoseOfTheCall) {
  std::string code(kForwardCode);
  code.replace(code.find("[linear]"), 8, "[attn, linear, mul]");
  code.replace(code.find("extern_kernels.mm"), 17,
               "buf0 = torch.ops.aten._scaled_dot_product_efficient_attention.default");
  keep(code, R"({"nodes":[
      {"name":"linear","path":"a.proj","target":"linear"},
      {"name":"mul","path":"a","target":"mul"},
      {"name":"attn","path":"a.core","target":"scaled_dot_product_attention"}]})");
  begin();
  run_op(
      "aten::_scaled_dot_product_efficient_attention, sizes = [[1, 4, 8, 16], [1, 4, 8, 16], "
      "[1, 4, 8, 16], [], [], [], [], []]");
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.layer, "a.core");
  EXPECT_EQ(rows[0].op.op, "scaled_dot_product_attention");
  EXPECT_EQ(rows[0].op.ops, "_scaled_dot_product_efficient_attention(attn)");
}

TEST_F(CompiledWork, ANodeThatNoListHasIsKnownByItsNameInTheFirstCallAlone) {
  std::string code(kForwardCode);
  code.replace(code.find("#   mul => mul\n"), 15, "");
  keep(code);
  run();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1].op.ops, "mul(mul)");
  EXPECT_EQ(rows[3].op.ops, "mul");
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

// The compiler runs first what depends on nothing: a mask, say, that the program makes last.
TEST_F(CompiledWork, AnEarlyCallOfALateNodeDoesNotMoveTheOthers) {
  std::string code(kForwardCode);
  const std::size_t last = code.rfind("        # Topologically Sorted Source Nodes: [total]");
  const std::string call = code.substr(last);
  code.erase(last);
  code.insert(code.find("        # Topologically Sorted Source Nodes: [linear], "), call);
  for (const std::string name : {"linear_1", "linear_1", "mul_1"}) {
    const std::size_t at = code.rfind(name);
    code.erase(at + name.size() - 2, 2);
  }
  keep(code, R"({"nodes":[
      {"name":"linear","path":"blocks.0","target":"linear"},
      {"name":"mul","path":"blocks.0","target":"mul"},
      {"name":"linear","path":"blocks.1","target":"linear"},
      {"name":"mul","path":"blocks.1","target":"mul"},
      {"name":"total","target":"sum"}]})");
  begin();
  trace_.kernel(kSum);
  for (int block = 0; block < 2; ++block) {
    run_op();
    trace_.kernel(kMul);
  }
  trace_.pop();
  EXPECT_EQ(told(attribute()),
            " sum fprop, blocks.0 linear fprop, blocks.0 mul fprop, blocks.1 linear fprop, "
            "blocks.1 mul fprop");
}

// Kernels that update many tensors have no fragment: each tensor is a branch of their code.
TEST_F(CompiledWork, AKernelOfManyTensorsComputesWhatItsCodeSays) {
  keep(R"(# AOT ID: ['1_inference']
# Unsorted Source Nodes: [], Original ATen: []
triton_for_fused_0 = async_compile.triton('triton_for_fused_0', '''
def triton_for_fused_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1):
    pid = tl.program_id(0)
    num_xblocks_0 = tl.cdiv(1024, XBLOCK)
    if pid < num_xblocks_0:
        xnumel = 1024
        tmp0 = tl.load(in_ptr0 + (x0), None)
        tmp1 = tl.load(in_ptr1 + (0))
        tmp2 = tl.broadcast_to(tmp1, [XBLOCK])
        tmp3 = tl.full([1], 0.5, tl.float32)
        tmp4 = libdevice.pow(tmp3, tmp2)
        tmp5 = tmp0 * tmp4
        tmp6 = tl.sqrt_rn(tmp5)
        tmp7 = (tmp5 / tmp6)
        tmp8 = tmp7 <= tmp3
        tmp9 = tl.where(tmp8, tmp7, tmp3)
        tl.store(out_ptr0 + (x0), tmp9, None)
    elif pid < num_xblocks_1:
        xnumel = 8
        tmp10 = tl.load(in_ptr2 + (x1), None)
        tmp11 = -tmp10
        tl.store(out_ptr1 + (x1), tmp11, None)
    else:
        pass
''', device_str='cuda')
def call(args):
    # Unsorted Source Nodes: [], Original ATen: []
    triton_for_fused_0.run(a, b, c, d, e, stream=stream0)
)",
       R"({"nodes":[{"name":"m","target":"_foreach_mul","optimizer":"adamw"}]})");
  begin();
  trace_.kernel("triton_for_fused_0");
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.op, "adamw");
  EXPECT_EQ(rows[0].own.cost.flops, 3 * 1024 + 1 + 8);
  EXPECT_EQ(rows[0].own.basis, Basis::kEstimated);
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
