// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that name their functions, phases and layers with plain ranges and annotate nothing.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/facts/plain_names.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

const std::string kGemm =
    R"({"source":"cublas","op":"cublas::gemm","args":[{"shape":[4,8],"dtype":"float32"},)"
    R"({"shape":[8,2],"dtype":"float32"},null,{"shape":[4,2],"dtype":"float32"}]})";

/// A range with one kernel.
RangeId push_with_kernel(FakeTrace& trace, std::string_view text) {
  const RangeId range = trace.push(text);
  trace.kernel("k");
  trace.pop();
  return range;
}

std::vector<Attribution> attribution_of(FakeTrace& trace) {
  const auto cursor = attribute_work(trace, {});
  std::vector<Attribution> seen;
  while (const AttributedRow* row = cursor->next()) seen.push_back(row->attribution);
  EXPECT_TRUE(cursor->status().ok());
  return seen;
}

/// "LAYER | OP" of each kernel.
std::vector<std::string> places_of(FakeTrace& trace) {
  std::vector<std::string> places;
  for (const Attribution& one : attribution_of(trace)) {
    places.push_back(one.op->layer + " | " + one.op->op);
  }
  return places;
}

using Places = std::vector<std::string>;

TEST(PlainNames, SayTheirPass) {
  const auto pass = [](std::string_view name) { return named_pass(name).direction; };
  for (const std::string_view name :
       {"forward", "layernorm_forward", "layerNormForward", "GELUFwd", "conv2d.fprop", "fwd 3",
        "Net::forward", "attention_forward_cudnn", "feed_forward_fwd"}) {
    EXPECT_EQ(pass(name), Direction::kFprop) << name;
  }
  for (const std::string_view name :
       {"backward", "gpt2_backward_and_reduce", "GELUBackward", "conv-bwd", "wgrad",
        "compute_dgrad", "layer_norm_grad", "multi_gpu_async_reduce_gradient", "backward_grad"}) {
    EXPECT_EQ(pass(name), Direction::kBprop) << name;
  }
  for (const std::string_view name :
       {"gpt2_update", "AdamW", "optimizer.step", "sgd_apply_gradients", "clip_grad_norm",
        "zeroGrad", "gpt2_calculate_grad_norm", "unscale_gradients", "update_weights"}) {
    EXPECT_EQ(pass(name), Direction::kUpdate) << name;
  }
}

TEST(PlainNames, WordsThatMisleadSayNothing) {
  for (const std::string_view name :
       {"", "softmax", "step 3", "forwarder", "adamant", "feed_forward", "FeedForward",
        "forward_declare", "backward_compatible", "update_lr", "kv_cache_update",
        "update_positions", "no_grad", "gradient_checkpoint", "GradientCheckpointing",
        "gradient_accumulation", "forward_backward", "fwd_bwd_update", "grad_forward"}) {
    EXPECT_EQ(named_pass(name).direction, Direction::kNone) << name;
  }
}

TEST(PlainNames, InnermostNameThatSaysSomethingWins) {
  EXPECT_EQ(named_pass("forward:Layer 3:softmax").direction, Direction::kFprop);
  EXPECT_EQ(named_pass("forward:Layer 3", "softmax_backward").direction, Direction::kBprop);
  EXPECT_EQ(named_pass("backward:optimizer_step:x").direction, Direction::kUpdate);
  EXPECT_EQ(named_pass("backward:forward_backward:x").direction, Direction::kNone)
      << "of both, whatever is around it";
}

TEST(PlainNames, ForwardInsideOfBackwardRunsAgain) {
  const NamedPass again = named_pass("gpt2_backward:Layer 3:gelu_forward");
  EXPECT_EQ(again.direction, Direction::kBprop);
  EXPECT_TRUE(again.runs_again);
  const NamedPass first = named_pass("forward_backward:gelu_forward");
  EXPECT_EQ(first.direction, Direction::kFprop);
  EXPECT_FALSE(first.runs_again);
  EXPECT_EQ(named_pass("optimizer:closure:forward").direction, Direction::kFprop);
  EXPECT_EQ(named_pass("backward:gradient_checkpoint:block_fwd").direction, Direction::kBprop);
}

TEST(PlainNames, PassesStepsAndLayersAreNoOperations) {
  for (const std::string_view name :
       {"forward", "Layer 3", "block3", "layer[3]", "step #5", "train", "Epoch 2", "optimizer step",
        "backward_pass", "17", ""}) {
    EXPECT_FALSE(names_operation(name)) << name;
  }
  for (const std::string_view name :
       {"layernorm_forward", "matmul 3", "gpt2_update", "adam", "softmax", "行列積"}) {
    EXPECT_TRUE(names_operation(name)) << name;
  }
}

TEST(PlainNames, AnOperationHasNoNumbersOfItsTurns) {
  EXPECT_EQ(operation_of("request 17 of a user"), "request * of a user");
  EXPECT_EQ(operation_of("17"), "*");
  EXPECT_EQ(operation_of("decode_12_attention#3"), "decode_*_attention#*");
  EXPECT_EQ(operation_of("fused_residual_forward5"), "fused_residual_forward5");
  EXPECT_EQ(operation_of("conv2d"), "conv2d");
}

TEST(PlainRanges, LeafIsTheOpInTheLayersAroundIt) {
  FakeTrace trace;
  trace.push("Train step 4");
  trace.push("gpt2_forward");
  trace.push("Layer 0");
  const RangeId leaf = trace.push("layernorm_forward");
  trace.kernel("a");
  trace.kernel("b");
  const auto seen = attribution_of(trace);
  ASSERT_EQ(seen.size(), 2U);
  const OpAttribution& op = *seen[1].op;
  EXPECT_EQ(op.layer, "gpt2_forward:Layer 0");
  EXPECT_EQ(op.op, "layernorm_forward");
  EXPECT_EQ(op.op_inner, "layernorm_forward");
  EXPECT_EQ(op.op_from, Provenance::kEstimated);
  EXPECT_EQ(op.direction, Direction::kFprop);
  EXPECT_EQ(op.direction_from, Provenance::kEstimated);
  EXPECT_FALSE(op.known_op) << "what it computes is not known";
  EXPECT_FALSE(op.cost.flops.has_value());
  EXPECT_EQ(seen[1].op_id, leaf);
  EXPECT_EQ(seen[1].sub, 1U);
  EXPECT_EQ(seen[1].step, 4);
}

TEST(PlainRanges, KernelOfALayerIsAnOpByItsName) {
  FakeTrace trace;
  trace.push("gpt2_forward");
  trace.push("Layer 0");
  push_with_kernel(trace, "layernorm_forward");
  trace.kernel("fused_residual_forward_kernel5");
  trace.kernel("ampere_sgemm_128x64_tn");
  const auto seen = attribution_of(trace);
  ASSERT_EQ(seen.size(), 3U);
  const OpAttribution& op = *seen[1].op;
  EXPECT_EQ(op.op, "fused_residual_forward_kernel5");
  EXPECT_EQ(op.op_from, Provenance::kEstimated);
  EXPECT_EQ(op.layer, "gpt2_forward:Layer 0");
  EXPECT_EQ(op.direction, Direction::kFprop);
  EXPECT_EQ(seen[1].op_id, 0U) << "nothing says which kernels are one call";
  EXPECT_EQ(seen[2].op->op, "") << "a library's kernel is no function of the program";
}

TEST(PlainRanges, KernelsOfPhasesAloneAreNoOps) {
  FakeTrace trace;
  push_with_kernel(trace, "train");
  EXPECT_EQ(places_of(trace), Places{"train | "}) << "no range names a function";
}

TEST(PlainRanges, NameOfAnOpModelIsStillOnlyAName) {
  FakeTrace trace;
  trace.push("net_a");
  push_with_kernel(trace, "softmax");
  const auto seen = attribution_of(trace);
  EXPECT_EQ(seen[0].op->op, "softmax");
  EXPECT_FALSE(seen[0].op->known_op);
}

TEST(PlainRanges, OutermostIsALayerToo) {
  FakeTrace trace;
  push_with_kernel(trace, "gpt2_update");
  EXPECT_EQ(places_of(trace), Places{"gpt2_update | gpt2_update"});
}

TEST(PlainRanges, WhatHoldsOpsKeepsItsOwnKernels) {
  FakeTrace trace;
  trace.push("gpt2_backward");
  trace.kernel("own");
  trace.push("Layer 1");
  trace.push("matmul_backward");
  trace.kernel("bias");
  push_with_kernel(trace, "matmul_cublaslt");
  EXPECT_EQ(places_of(trace), (Places{"gpt2_backward | own",
                                      "gpt2_backward:Layer 1:matmul_backward | matmul_backward",
                                      "gpt2_backward:Layer 1:matmul_backward | matmul_cublaslt"}));
}

TEST(PlainRanges, OneThatHoldsEverythingIsALayer) {
  FakeTrace trace;
  for (const std::string_view all : {"train", "step 5", "Epoch 1", "main loop"}) {
    push_with_kernel(trace, all);
  }
  EXPECT_EQ(places_of(trace), (Places{"train | ", "step 5 | ", "Epoch 1 | ", "main loop | "}));
}

TEST(PlainRanges, SeenWithRangesInsideOnceIsALayerAlways) {
  FakeTrace trace;
  trace.push("net_a");
  push_with_kernel(trace, "attention");  // comes first
  trace.push("attention");
  trace.push("heads_a");
  push_with_kernel(trace, "softmax");
  trace.pop();
  trace.pop();
  trace.push("other");
  push_with_kernel(trace, "attention");  // another path
  EXPECT_EQ(places_of(trace), (Places{"net_a:attention | k", "net_a:attention:heads_a | softmax",
                                      "net_a:other | attention"}));
}

TEST(PlainRanges, NamesWithColonsMayMakeALayersPathThatOfAnOp) {
  FakeTrace trace;
  trace.push("net_a");
  trace.push("attention");
  trace.kernel("k");
  trace.push("heads_a");
  push_with_kernel(trace, "softmax");
  trace.pop();
  trace.pop();
  trace.pop();
  push_with_kernel(trace, "net_a:attention");  // known after the first kernel is asked about
  EXPECT_EQ(places_of(trace).front(), "net_a | attention");
}

TEST(PlainRanges, CallOfALibraryIsTheOp) {
  FakeTrace trace;
  trace.push("gpt2_backward");
  trace.push("Layer 3");
  trace.push("matmul_forward_cublaslt");
  trace.push_op(kGemm);
  trace.kernel("nvjet");
  trace.pop();
  trace.kernel("bias");
  const auto seen = attribution_of(trace);
  EXPECT_EQ(seen[0].op->layer, "gpt2_backward:Layer 3");
  EXPECT_EQ(seen[0].op->op, "gemm");
  EXPECT_EQ(seen[0].op->trace, "matmul_forward_cublaslt");
  EXPECT_EQ(seen[0].op->direction, Direction::kBprop);
  EXPECT_EQ(seen[0].op->direction_from, Provenance::kEstimated);
  EXPECT_TRUE(seen[0].op->is_recomputed);
  EXPECT_EQ(seen[0].cost.flops, 2.0 * 4 * 2 * 8);
  EXPECT_EQ(seen[1].op->layer, "gpt2_backward:Layer 3");
  EXPECT_EQ(seen[1].op->op, "matmul_forward_cublaslt");
}

TEST(PlainRanges, NothingIsGuessedOfALibrarysCallAlone) {
  FakeTrace trace;
  trace.push("layer:L");
  trace.push_op(kGemm);
  trace.kernel("nvjet");
  EXPECT_EQ(attribution_of(trace)[0].op->direction, Direction::kNone);
}

TEST(PlainRanges, AnnotatedWorkIsAsStated) {
  FakeTrace trace;
  trace.push("my_function");
  trace.push("layer:L");
  trace.kernel("in a layer");
  trace.push(op_text("relu", "bprop", "x:in:4:float16 y:out:4:float16"));
  trace.kernel("in an op");
  trace.pop();
  trace.pop();
  trace.kernel("beside them");
  trace.push("aten::relu, seq = 1");
  trace.kernel("in PyTorch's op");
  EXPECT_EQ(places_of(trace), (Places{"L | ", "L | relu", "my_function | ", "my_function | relu"}));
}

TEST(PlainRanges, MalformedOpNamesNone) {
  FakeTrace trace;
  trace.push("net_a");
  push_with_kernel(trace, R"({"v":1,"mod":"prof","op":5})");
  EXPECT_EQ(places_of(trace), Places{R"(net_a:{"v":1,"mod":"prof","op":5} | )"});
}

TEST(PlainRanges, EachThreadHasItsOwnStack) {
  FakeTrace trace;
  trace.push("net_a", 1);
  trace.push("net_b", 2);
  trace.push("conv_a", 1);
  trace.push("conv_b", 2);
  trace.kernel("k", 100, 1);
  trace.kernel("k", 100, 2);
  EXPECT_EQ(places_of(trace), (Places{"net_a | conv_a", "net_b | conv_b"}));
}

TEST(PlainRanges, AliasesStandForWhatTheyRepeat) {
  FakeTrace trace;
  trace.push("net_a");
  trace.push("gone");
  trace.push("block_a");
  trace.pop_below(1);
  push_with_kernel(trace, "softmax");
  EXPECT_EQ(places_of(trace), Places{"net_a:block_a | softmax"});
}

TEST(PlainRanges, GraphNodesHaveTheOpThatMadeThem) {
  FakeTrace trace;
  trace.push("net_a");
  trace.push("softmax_fwd");
  const std::uint64_t node = FakeTrace::node_id(1, 1);
  trace.make_kernel_node(node, "k");
  trace.pop();
  trace.pop();
  trace.launch_graph();
  trace.replay(node, "k");
  const auto seen = attribution_of(trace);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].op->op, "softmax_fwd");
  EXPECT_EQ(seen[0].op->op_from, Provenance::kEstimated);
  EXPECT_EQ(seen[0].op->layer, "net_a");
}

}  // namespace
}  // namespace prof
