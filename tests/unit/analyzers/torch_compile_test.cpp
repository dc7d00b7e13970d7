// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's ranges about torch.compile are neither layers nor ops.
#include <gtest/gtest.h>

#include "analyzers/dialects/op_signature.hpp"
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::read_range;

constexpr const char* kTriton = "triton_poi_fused_gelu_6, op_id = 9, sizes = [[8, 3], [8, 3]]";

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

}  // namespace
}  // namespace prof
