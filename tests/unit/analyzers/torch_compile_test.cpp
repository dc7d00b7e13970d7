// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs under torch.compile: PyTorch's ranges about itself are neither layers nor ops.
#include <gtest/gtest.h>

#include "analyzers/dialects/op_signature.hpp"
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::kBackward;
using fakes::kForward;
using fakes::read_range;
using fakes::Row;

constexpr const char* kTriton = "triton_poi_fused_gelu_6, op_id = 9, sizes = [[8, 3], [8, 3]]";
constexpr const char* kMm = "aten::mm, op_id = 8, sizes = [[8, 4], [4, 3]]";

class CompiledProgram : public fakes::TorchProgram {};

constexpr const char* kRanges[] = {
    "TorchDynamo Cache Lookup",
    "Torch-Compiled Region",
    "Torch-Compiled Region: 0/0",
    "Pregraph bytecode",
    "AOTDispatcher Runtime Wrapper Prologue",
    "## Call CompiledFxGraph f3lemj5twcjsjpcbibg3iukdymz73vgbq2ldh2a7a65sax73mc44 ##",
    "inductor_wrapper_call",
    "graph_3_inductor_wrapper_call",
    "CUDAGraphNode.record (dynamo_timed)",
    "compile_fx.<locals>.fw_compiler_base (dynamo_timed)"};

TEST(TorchCompile, ItsRangesMeanNothing) {
  for (const std::string text : kRanges) {
    EXPECT_TRUE(read_range(text).is<NoMeaning>()) << text;
    EXPECT_TRUE(read_range(text + ", op_id = 5").is<NoMeaning>()) << text;
    EXPECT_TRUE(read_range(text + ", op_id = 5, sizes = []").is<NoMeaning>()) << text;
    const std::string signature = R"({"op":")" + text + R"(","args":[]})";
    EXPECT_TRUE(dialects::read_op_signature(signature, false).is<NoMeaning>()) << text;
  }
}

TEST(TorchCompile, ItsPhasesMeanNothingInARecordFunction) {
  for (const std::string text : {"dynamo",
                                 "entire_frame_compile",
                                 "compile_attempt_0",
                                 "bytecode_tracing",
                                 "backend_compile",
                                 "create_aot_dispatcher_function",
                                 "aot_collect_metadata",
                                 "inductor_compile",
                                 "compile_fx.<locals>.fw_compiler_base",
                                 "fx_codegen_and_compile",
                                 "_recursive_joint_graph_passes",
                                 "_recursive_post_grad_passes",
                                 "pass.joint_graph_passes.constant_fold_uniform_value",
                                 "GraphLowering.run",
                                 "code_gen",
                                 "Scheduler.__init__",
                                 "Scheduler.fused_nodes",
                                 "Scheduler.codegen",
                                 "mm_template_precompiling",
                                 "mm_template_autotuning",
                                 "PyCodeCache.load_by_key_path",
                                 "async_compile.wait",
                                 "CachingAutotuner.benchmark_all_configs",
                                 "cudagraphify.get_container",
                                 "CUDAGraphNode.record"}) {
    EXPECT_TRUE(read_range(text + ", op_id = 5").is<NoMeaning>()) << text;
    EXPECT_TRUE(read_range(text).is<PlainName>()) << text << " of a program that is not PyTorch's";
  }
}

TEST(TorchCompile, NamesOfTheProgramStay) {
  for (const char* text :
       {"Model", "Scheduler.step", "my dynamo", "dynamo_2", "graph_3", "## Call ##", "Pregraph",
        "pass.1", "Region: 0/0", "(dynamo_timed)", "a (dynamo_timed) b"}) {
    EXPECT_TRUE(read_range(std::string(text) + ", op_id = 5").is<PlainName>()) << text;
    EXPECT_TRUE(read_range(text).is<PlainName>()) << text;
  }
  EXPECT_TRUE(read_range(kTriton).is<FrameworkOp>());
}

TEST_F(CompiledProgram, WorkHasTheLayerAndTheOpsThatItHasWithoutThem) {
  push("Model");
  for (const std::string text : kRanges) push(text + ", op_id = 5");
  launch(kMm);
  launch(kTriton);
  trace_.kernel("kernel", 100, kForward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  for (const Row& row : rows) EXPECT_EQ(row.op.layer, "Model");
  EXPECT_EQ(rows[0].op.op, "mm");
  EXPECT_EQ(rows[1].op.op, "triton_poi_fused_gelu_6");
  EXPECT_EQ(rows[2].op.op, "");
}

TEST_F(CompiledProgram, WhatACompiledFunctionCallsAreOpsOfTheirOwn) {
  push("layer:net");
  push("CompiledFunction, seq = 7, op_id = 6, sizes = [[8, 4]]");
  for (int i = 0; i < 2; ++i) launch(kMm);
  for (int i = 0; i < 2; ++i) launch(kTriton);
  trace_.kernel("kernel", 100, kForward);
  pop(kForward, 2);
  push("autograd::engine::evaluate_function: CompiledFunctionBackward, op_id = 20", kBackward);
  push("CompiledFunctionBackward, seq = 7, op_id = 21, sizes = [[8, 3]]", kBackward);
  push("## Call CompiledFxGraph fabc ##, op_id = 22", kBackward);
  launch("aten::mm, op_id = 23, sizes = [[4, 8], [8, 3]]", kBackward);
  launch("triton_red_fused_sum_1, op_id = 24, sizes = [[8, 3], [3]]", kBackward);
  trace_.kernel("kernel", 100, kBackward);
  pop(kBackward, 3);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 8U);
  const char* ops[] = {"mm",
                       "mm",
                       "triton_poi_fused_gelu_6",
                       "triton_poi_fused_gelu_6",
                       "CompiledFunction",
                       "mm",
                       "triton_red_fused_sum_1",
                       "CompiledFunction"};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(rows[i].op.op, ops[i]) << i;
    EXPECT_EQ(rows[i].op.layer, "net") << i;
    EXPECT_EQ(rows[i].op.layer_from, i < 5 ? Provenance::kExact : Provenance::kInherited) << i;
    EXPECT_EQ(rows[i].op.direction, i < 5 ? Direction::kFprop : Direction::kBprop) << i;
    for (std::size_t other = 0; other < i; ++other) {
      EXPECT_NE(rows[i].own.op_id, rows[other].own.op_id) << i << " and " << other;
    }
  }
  EXPECT_EQ(rows[0].op.cost.flops, 2 * 8 * 4 * 3);
  EXPECT_EQ(rows[5].op.cost.flops, 2 * 4 * 8 * 3);
}

}  // namespace
}  // namespace prof
