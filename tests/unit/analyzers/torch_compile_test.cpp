// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs under torch.compile: PyTorch's ranges about itself are neither layers nor ops.
#include <gtest/gtest.h>

#include <iterator>
#include <optional>

#include "analyzers/dialects/op_signature.hpp"
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kBackward;
using fakes::kForward;
using fakes::read_range;
using fakes::Row;

constexpr const char* kTriton = "triton_poi_fused_gelu_6, op_id = 9, sizes = [[8, 3], [8, 3]]";
constexpr const char* kMm = "aten::mm, op_id = 8, sizes = [[8, 4], [4, 3]]";

class CompiledProgram : public fakes::TorchProgram {};

constexpr const char* kRanges[] = {
    "TorchDynamo Cache Lookup", "Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue",
    "CUDAGraphNode.record (dynamo_timed)", "compile_fx.<locals>.fw_compiler_base (dynamo_timed)"};

constexpr const char* kCompiledCode[] = {
    "Torch-Compiled Region", "Torch-Compiled Region: 0/0",
    "## Call CompiledFxGraph f3lemj5twcjsjpcbibg3iukdymz73vgbq2ldh2a7a65sax73mc44 ##",
    "inductor_wrapper_call", "graph_3_inductor_wrapper_call"};

TEST(TorchCompile, ItsRangesMeanNothing) {
  for (const std::string text : kRanges) {
    EXPECT_TRUE(read_range(text).is<NoMeaning>()) << text;
    EXPECT_TRUE(read_range(text + ", op_id = 5").is<NoMeaning>()) << text;
    EXPECT_TRUE(read_range(text + ", op_id = 5, sizes = []").is<NoMeaning>()) << text;
    const std::string signature = R"({"op":")" + text + R"(","args":[]})";
    EXPECT_TRUE(dialects::read_op_signature(signature, false).is<NoMeaning>()) << text;
  }
}

TEST(TorchCompile, WhereItsCodeRunsIsKnown) {
  for (const std::string text : kCompiledCode) {
    EXPECT_TRUE(read_range(text).is<CompiledCode>()) << text;
    EXPECT_TRUE(read_range(text + ", op_id = 5, sizes = []").is<CompiledCode>()) << text;
    const std::string signature = R"({"op":")" + text + R"(","args":[]})";
    EXPECT_TRUE(dialects::read_op_signature(signature, false).is<CompiledCode>()) << text;
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
  for (const std::string text : kCompiledCode) push(text + ", op_id = 5");
  launch(kMm);
  launch(kTriton);
  trace_.kernel("kernel", 100, kForward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  for (const Row& row : rows) EXPECT_EQ(row.op.layer, "Model");
  EXPECT_EQ(rows[0].op.op, "mm");
  EXPECT_EQ(rows[1].op.op, "fused: gelu");
  EXPECT_EQ(rows[1].op.op_inner, "triton_poi_fused_gelu_6");
  EXPECT_EQ(rows[1].op.op_from, Provenance::kEstimated);
  EXPECT_EQ(rows[1].op.shapes_from, Provenance::kExact);
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
  const char* ops[] = {"mm", "mm",         "fused: gelu",     "fused: gelu", "CompiledFunction",
                       "mm", "fused: sum", "CompiledFunction"};
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

// --- Kernels that no range names: PyTorch writes such ranges for its own profiler alone.

constexpr const char* kGelu = "triton_poi_fused_gelu_6";
constexpr const char* kGeluBackward = "triton_poi_fused_gelu_backward_1";
constexpr const char* kOwn = "scale_add_kernel";

class UnnamedKernels : public CompiledProgram {
 protected:
  UnnamedKernels() { trace_.set_block(kOwn, {128, 1, 1}); }

  void launch_kernel(const char* name, std::uint32_t thread = kForward) {
    trace_.kernel(name, 100, thread);
  }
  /// As the launcher does that Triton compiles.
  void launch_by_driver(const char* name, const char* function = "cuLaunchKernelEx") {
    trace_.row(trace_.kernel(name)).function = trace_.new_string(function);
  }
  /// The only kernel of the program.
  Row only() {
    const auto rows = attribute();
    EXPECT_EQ(rows.size(), 1U);
    return rows.at(0);
  }
};

TEST_F(UnnamedKernels, AreOpsOfTheirOwnInCompiledCode) {
  push("layer:net");
  push("CompiledFunction, seq = 7, op_id = 6, sizes = [[8, 4]]");
  launch_kernel(kGelu);
  launch(kMm);
  launch_kernel("triton_");  // torch 2.4 and 2.5
  launch_kernel(kOwn);
  pop(kForward, 2);
  push("autograd::engine::evaluate_function: CompiledFunctionBackward, op_id = 20", kBackward);
  push("CompiledFunctionBackward, seq = 7, op_id = 21, sizes = [[8, 3]]", kBackward);
  push("## Call CompiledFxGraph fabc ##, op_id = 22", kBackward);
  launch_kernel(kGelu, kBackward);  // computed again
  launch_kernel("triton_tem_fused_mm_0", kBackward);
  launch_kernel(kOwn, kBackward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  const char* ops[] = {"fused: gelu", "mm", "CompiledFunction", kOwn, "fused: gelu", "mm", kOwn};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(rows[i].op.op, ops[i]) << i;
    EXPECT_EQ(rows[i].op.layer, "net") << i;
    EXPECT_EQ(rows[i].op.direction, i < 4 ? Direction::kFprop : Direction::kBprop) << i;
    EXPECT_EQ(rows[i].op.direction_from, Provenance::kExact) << i;
    const bool has_range = i == 1 || i == 2;
    EXPECT_EQ(rows[i].op.op_from, has_range ? Provenance::kExact : Provenance::kEstimated) << i;
    EXPECT_EQ(rows[i].own.op_id != 0, has_range) << i;
    EXPECT_EQ(rows[i].op.known_op, i != 2) << i;
  }
  EXPECT_EQ(rows[0].op.op_inner, kGelu);
  EXPECT_EQ(rows[0].op.params, "") << "those of the compiled function are not the kernel's";
  EXPECT_EQ(rows[1].op.cost.flops, 2 * 8 * 4 * 3);
  EXPECT_EQ(rows[5].op.cost.flops, std::nullopt);
}

TEST_F(UnnamedKernels, BelongToTheOpThatLaunchesThem) {
  for (const std::string around :
       {kMm, "mylib::fused_mlp, op_id = 3, sizes = [[8, 3]]", "MyFunction, seq = 4, op_id = 3",
        "Optimizer.step#AdamW.step, op_id = 3"}) {
    push(around);
    launch_kernel(kGelu);
    launch_by_driver(kOwn);
    pop();
  }
  trace_.metas_["executable"] = "/usr/bin/python3.12";
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 8U);
  const char* ops[] = {"mm", "mylib::fused_mlp", "MyFunction", "adamw"};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(rows[i].op.op, ops[i / 2]) << i;
}

TEST_F(UnnamedKernels, HaveNoDirectionWithoutRangesOfPyTorch) {
  push("step of mine");
  launch_kernel(kGelu);
  EXPECT_EQ(only().op.direction, Direction::kNone);
}

TEST_F(UnnamedKernels, AreOfTheForwardPassInCompiledCode) {
  for (const char* text : kCompiledCode) {
    push(text);
    launch_kernel(kGelu);
    launch_kernel(kGeluBackward);
    pop();
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2 * std::size(kCompiledCode));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.direction, i % 2 == 0 ? Direction::kFprop : Direction::kBprop) << i;
    EXPECT_EQ(rows[i].op.direction_from, Provenance::kEstimated) << i;
  }
}

TEST_F(UnnamedKernels, AreOfTheForwardPassInModules) {
  push("layer:net");
  launch_kernel(kGelu);
  const Row row = only();
  EXPECT_EQ(row.op.direction, Direction::kFprop);
  EXPECT_EQ(row.op.direction_from, Provenance::kEstimated);
}

TEST_F(UnnamedKernels, AreOfTheBackwardPassByTheOpsInTheirNames) {
  launch_kernel(kGeluBackward);
  const Row row = only();
  EXPECT_EQ(row.op.direction, Direction::kBprop);
  EXPECT_EQ(row.op.direction_from, Provenance::kEstimated);
}

TEST_F(UnnamedKernels, AreOpsInReplaysOfGraphs) {
  push("layer:net");
  push("CompiledFunction, seq = 7, op_id = 6, sizes = [[8, 4]]");
  trace_.make_node(FakeTrace::node_id(5, 1));
  pop(kForward, 2);
  trace_.begin_exec(5);
  trace_.launch_graph();
  trace_.replay(FakeTrace::node_id(5, 1), kGelu);
  const Row row = only();
  EXPECT_EQ(row.op.op, "fused: gelu");
  EXPECT_EQ(row.op.layer, "net");
  EXPECT_EQ(row.op.direction, Direction::kFprop);
  EXPECT_EQ(row.op.direction_from, Provenance::kInherited);
}

TEST_F(UnnamedKernels, AreInTheirNodesLayersInReplays) {
  for (std::uint32_t node = 1; node <= 2; ++node) {
    push("layer:net" + std::to_string(node));
    push("CompiledFunction, seq = 7, op_id = 6, sizes = [[8, 4]]");
    trace_.make_node(FakeTrace::node_id(5, node));
    pop(kForward, 2);
  }
  trace_.begin_exec(5);
  trace_.launch_graph();
  for (std::uint32_t node = 1; node <= 2; ++node) {
    trace_.replay(FakeTrace::node_id(5, node), kGelu);
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op.layer, "net1");
  EXPECT_EQ(rows[1].op.layer, "net2");
}

TEST_F(UnnamedKernels, AHandWrittenOneIsTritonsByItsLaunchInPython) {
  trace_.metas_["executable"] = "/usr/bin/python3.12";
  launch_by_driver(kOwn);
  const Row row = only();
  EXPECT_EQ(row.op.op, kOwn);
  EXPECT_EQ(row.op.op_from, Provenance::kEstimated);
  EXPECT_EQ(row.op.direction, Direction::kNone);
}

TEST_F(UnnamedKernels, WhatAnyoneMayHaveLaunchedIsNoOp) {
  trace_.metas_["executable"] = "/usr/bin/python3.12";
  launch_by_driver(kOwn, "cuLaunchKernel");
  launch_by_driver("one_thread");  // a block of one thread
  launch_by_driver("void a_kernel<float>(float*)");
  launch_by_driver("ampere_sgemm_128x64_tn");
  trace_.set_block("two_rows", {32, 2, 1});
  launch_by_driver("two_rows");
  for (const Row& row : attribute()) EXPECT_EQ(row.op.op, "");
  trace_.metas_["executable"] = "/opt/app";
  launch_by_driver(kOwn);
  EXPECT_EQ(attribute().back().op.op, "");
}

TEST_F(UnnamedKernels, TheSuffixOfOldVersionsProvesTriton) {
  launch_kernel("add_kernel_0d1d2d3");
  EXPECT_EQ(only().op.op, "add_kernel");
}

}  // namespace
}  // namespace prof
