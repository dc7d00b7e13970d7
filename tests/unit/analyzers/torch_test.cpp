// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The meaning of PyTorch's ranges: ops that call each other, backward nodes on their own thread.
#include <gtest/gtest.h>

#include "analyzers/dialects/registry.hpp"
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::kBackward;
using fakes::kForward;
using fakes::read_range;
using fakes::Row;
using fakes::TorchProgram;

/// A linear layer of 8 tokens, 4 inputs, 3 outputs under autocast, its product with number 12.
constexpr const char* kAutocastLinear =
    "aten::linear, seq = 10, op_id = 1, sizes = [[8, 4], [3, 4], [3]]";
constexpr const char* kCast = "aten::to, seq = 10, op_id = 2, sizes = [[3, 4], [], [], [], []]";
constexpr const char* kAutocastAddmm =
    "aten::addmm, seq = 12, op_id = 3, sizes = [[3], [8, 4], [4, 3], [], []]";

TEST_F(TorchProgram, TheOutermostOpCountsAndCastsHaveACostOfTheirOwn) {
  push("layer:fc");
  push(kAutocastLinear);
  launch(kCast);
  launch("aten::t, seq = 11, op_id = 4, sizes = [[3, 4]]");
  launch(kAutocastAddmm);
  pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  for (const Row& row : rows) {
    EXPECT_EQ(row.op.op, "linear");
    EXPECT_EQ(row.op.module, "aten");
    EXPECT_EQ(row.op.layer, "fc");
    EXPECT_EQ(row.op.direction, Direction::kFprop);
    EXPECT_EQ(row.own.op_id, rows[0].own.op_id) << "one instance";
    EXPECT_EQ(row.own.sub, static_cast<std::uint32_t>(&row - &rows[0]));
    EXPECT_EQ(row.own.seq.own(), 10U);
  }
  EXPECT_EQ(rows[0].op.op_inner, "aten::to");
  EXPECT_EQ(rows[0].own.cost.flops, 0) << "a cast computes nothing";
  EXPECT_EQ(rows[2].op.op_inner, "aten::addmm");
  ASSERT_EQ(rows[2].own.seq.others().size(), 1U);
  EXPECT_EQ(rows[2].own.seq.others()[0], 12U);
  EXPECT_EQ(*rows[1].own.cost.flops + *rows[2].own.cost.flops, 2 * 8 * 4 * 3 + 8 * 3);
  ASSERT_TRUE(rows[2].op.gemm);
  EXPECT_EQ(rows[2].op.gemm->m, 3);
  EXPECT_EQ(rows[2].op.gemm->n, 8);
  EXPECT_EQ(counts_.unattributed, 0U);
}

TEST_F(TorchProgram, ABiasThatIsCopiedFirstTakesNoPartOfTheProduct) {
  push("aten::addmm, seq = 1, op_id = 3, sizes = [[3], [8, 4], [4, 3], [], []]");
  trace_.kernel("_ZN2at6native18elementwise_kernelILi128ELi4EEEviT1_", 100, kForward);
  trace_.kernel("nvjet_sm90_tst_64x16_64x16_1x4_h_bz_TNN", 100, kForward);
  pop();
  push("aten::sub, sizes = [[8], [8], []]");  // not a product: it owns what it launches
  trace_.kernel("nvjet_sm90_tst_64x16_64x16_1x4_h_bz_TNN", 100, kForward);
  trace_.kernel("_ZN2at6native18elementwise_kernelILi128ELi4EEEviT1_", 100, kForward);
  pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_FALSE(rows[0].own.main);
  EXPECT_EQ(rows[0].own.cost.flops, 0);
  EXPECT_TRUE(rows[1].own.main);
  EXPECT_EQ(rows[1].own.cost.flops, 2 * 8 * 4 * 3 + 8 * 3);
  EXPECT_EQ(rows[1].op.cost.basis, Basis::kExact);
  EXPECT_TRUE(rows[1].op.cost.bytes && rows[1].op.cost.types_from_kernel);
  EXPECT_TRUE(rows[2].own.main && rows[3].own.main);
  EXPECT_EQ(*rows[2].own.cost.flops + *rows[3].own.cost.flops, 8);
}

TEST_F(TorchProgram, BackwardWorkHasItsForwardOpsLayerStepAndPart) {
  push("step:7");
  push("layer:fc");
  push(kAutocastLinear);
  launch(kAutocastAddmm);
  push("aten::view, seq = 12, op_id = 5, sizes = [[8, 3], []]");  // a later range with that number
  pop();
  pop(kForward, 2);
  node("AddmmBackward0", ", seq = 12, op_id = 901, sizes = [[8, 3]], input_op_ids = [(800,0)]",
       "aten::mm, op_id = 902, sizes = [[8, 3], [3, 4]], input_op_ids = [(800,0), (4,0)]");
  node("AddmmBackward0", ", seq = 12, op_id = 903, sizes = [[8, 3]]",
       "aten::mm, op_id = 904, sizes = [[3, 8], [8, 4]]");
  push("autograd::engine::evaluate_function: AddmmBackward0, op_id = 905", kBackward);
  push("AddmmBackward0, seq = 12, op_id = 906, sizes = [[8, 3]]", kBackward);
  pop(kBackward);
  launch("aten::sum, op_id = 907, sizes = [[8, 3], [], [], []]", kBackward);  // after the node
  pop(kBackward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  const Part parts[] = {Part::kNone, Part::kData, Part::kWeight, Part::kBias};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.op, "linear");
    EXPECT_EQ(rows[i].op.layer, "fc");
    EXPECT_EQ(rows[i].op.layer_from, Provenance::kInherited);
    EXPECT_EQ(rows[i].op.direction, Direction::kBprop);
    EXPECT_EQ(rows[i].op.part, parts[i]) << i;
    EXPECT_EQ(rows[i].own.step, 7);
    EXPECT_EQ(rows[i].own.seq.own(), 12U);
    EXPECT_EQ(rows[i].own.sub, 0U) << "each node is an instance";
  }
  EXPECT_EQ(rows[2].op.gemm->k, 8);
  EXPECT_EQ(counts_.links.linked, 3U);
  EXPECT_EQ(counts_.links.missed + counts_.links.other_name + counts_.links.ambiguous, 0U);
}

TEST_F(TorchProgram, OfOneNumberTheLastOpOfALibraryCountsIfNoneHasTheNameOfItsNode) {
  push("layer:a");
  launch("aten::relu, seq = 3, op_id = 1, sizes = [[8, 3]]");
  pop();
  push("layer:b");
  launch("mylib::exotic, seq = 3, op_id = 2, sizes = [[8, 3]]");
  launch("aten::tanh, seq = 3, op_id = 3, sizes = [[8, 3]]");
  pop();
  const std::string mul = "aten::mul, op_id = 909, sizes = [[8], [8]]";
  node("torch::autograd::CppNode<Another>", ", seq = 3, op_id = 901", mul);
  node("ReluBackward0", ", seq = 3, op_id = 903", mul);
  node("UnheardOfBackward0", ", seq = 3, op_id = 905", mul);
  const auto rows = attribute();
  EXPECT_EQ(rows[3].op.layer, "b");
  EXPECT_EQ(rows[3].op.op, "mylib::exotic");
  EXPECT_EQ(rows[4].op.layer, "a");
  EXPECT_EQ(rows[5].op.layer, "") << "PyTorch's own nodes have the names of their ops";
  EXPECT_EQ(rows[5].op.op, "unheard_of");
  EXPECT_EQ(counts_.links.other_name, 1U);
  EXPECT_EQ(counts_.links.linked, 1U);
  EXPECT_EQ(counts_.links.missed, 1U);
}

TEST_F(TorchProgram, ARangeOpenedAfterTheNodeIsNotItsForwardOp) {
  node("ReluBackward0", ", seq = 3, op_id = 901", "aten::mul, op_id = 902, sizes = [[8], [8]]");
  push("layer:later");
  launch("aten::relu, seq = 3, op_id = 1, sizes = [[8, 3]]");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.op, "relu");
  EXPECT_EQ(rows[0].op.op_from, Provenance::kEstimated) << "the node's name says it";
  EXPECT_EQ(rows[0].op.layer, "");
  EXPECT_EQ(rows[0].op.direction, Direction::kBprop);
  EXPECT_EQ(counts_.links.missed, 1U);
}

TEST_F(TorchProgram, AmongNumbersOfSeveralThreadsTheGraphTells) {
  constexpr std::uint32_t kOther = 5;
  for (const std::uint32_t thread : {kForward, kOther}) {
    push(thread == kOther ? "layer:other" : "layer:first", thread);
    launch("aten::relu, seq = 1, op_id = 1" + std::to_string(thread) + ", sizes = [[8]]", thread);
    launch("aten::sin, seq = 2, op_id = 2" + std::to_string(thread) + ", sizes = [[8]]", thread);
    pop(thread);
  }
  // Both threads call backward(); one thread of the engine runs all nodes, one graph after the
  // other.
  launch("aten::ones_like, op_id = 31, sizes = [[8], [], [], [], [], []]", kForward);
  launch("aten::ones_like, op_id = 32, sizes = [[8], [], [], [], [], []]", kOther);
  int id = 100;
  for (const char* seed : {"31", "32"}) {
    const std::string first = std::to_string(id), second = std::to_string(id + 1);
    node("SinBackward0",
         ", seq = 2, op_id = 9" + first + ", sizes = [[8]], input_op_ids = [(" + seed + ",0)]",
         "aten::cos, op_id = " + first + ", sizes = [[8]]");
    node("ReluBackward0",
         ", seq = 1, op_id = 9" + second + ", sizes = [[8]], input_op_ids = [(" + first + ",0)]",
         "aten::threshold_backward, op_id = " + second + ", sizes = [[8], [8], []]");
    id += 2;
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 10U);
  const char* layers[] = {"first", "first", "other", "other"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[6 + i].op.layer, layers[i]) << i;
    EXPECT_EQ(rows[6 + i].op.op, i % 2 == 0 ? "sin" : "relu");
  }
  EXPECT_EQ(counts_.links.linked, 4U);
  EXPECT_EQ(counts_.links.ambiguous, 0U);
}

TEST_F(TorchProgram, ANodeInsideANodeIsOfAGraphThatWasMadeThere) {
  push("layer:first");
  launch("aten::sin, seq = 7, op_id = 1, sizes = [[8]]");
  launch("CheckpointFunction, seq = 8, op_id = 2, sizes = [[8]]");
  pop();
  launch("aten::ones_like, op_id = 3, sizes = [[8], [], [], [], [], []]");
  push("CheckpointFunctionBackward, seq = 8, op_id = 901, input_op_ids = [(3,0)]", kBackward);
  push("layer:again", kBackward);
  launch("aten::sin, seq = 7, op_id = 902, sizes = [[8]]", kBackward);
  pop(kBackward);
  push("autograd::engine::evaluate_function: SinBackward0, op_id = 903", kBackward);
  push("SinBackward0, seq = 7, op_id = 904, sizes = [[8]], input_op_ids = [(3,0)]", kBackward);
  launch("aten::cos, op_id = 905, sizes = [[8]]", kBackward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[4].op.layer, "again");
  EXPECT_EQ(counts_.links.ambiguous, 0U);
}

TEST_F(TorchProgram, NumbersOfSeveralThreadsAreAmbiguous) {
  for (const std::uint32_t thread : {kForward, 7U}) {
    push("layer:of_" + std::to_string(thread), thread);
    launch("aten::relu, seq = 3, op_id = 1, sizes = [[8, 3]]", thread);
    pop(thread);
  }
  node("ReluBackward0", ", seq = 3, op_id = 901", "aten::mul, op_id = 902, sizes = [[8], [8]]");
  const auto rows = attribute();
  EXPECT_EQ(rows[2].op.layer, "of_7");
  EXPECT_EQ(counts_.links.linked, 1U);
  EXPECT_EQ(counts_.links.ambiguous, 1U);
}

TEST_F(TorchProgram, AccumulateGradFollowsWhatMadeItsInput) {
  push("layer:fc");
  push(kAutocastLinear);
  launch(kAutocastAddmm);
  pop(kForward, 2);
  node("AddmmBackward0", ", seq = 12, op_id = 901, sizes = [[8, 3]]",
       "aten::mm, op_id = 902, sizes = [[3, 8], [8, 4]]");
  node("torch::autograd::AccumulateGrad",
       ", op_id = 903, sizes = [[3, 4]], input_op_ids = [(902,0)]",
       "aten::add_, op_id = 904, sizes = [[3, 4], [3, 4], []]");
  node("torch::autograd::AccumulateGrad",
       ", op_id = 905, sizes = [[3, 4]], input_op_ids = [(77,0)]",
       "aten::add_, op_id = 906, sizes = [[3, 4], [3, 4], []]");
  const auto rows = attribute();
  EXPECT_EQ(rows[2].op.op, "accumulate_grad");
  EXPECT_EQ(rows[2].op.op_inner, "aten::add_");
  EXPECT_EQ(rows[2].op.layer, "fc");
  EXPECT_EQ(rows[2].op.direction, Direction::kBprop);
  EXPECT_EQ(rows[2].own.cost.flops, 12);
  EXPECT_TRUE(rows[2].op.known_op);
  EXPECT_EQ(rows[3].op.layer, "");
  EXPECT_EQ(counts_.links.missed, 1U);
}

TEST_F(TorchProgram, OptimizersUpdate) {
  push("Optimizer.step#AdamW.step, op_id = 1");
  launch("aten::_foreach_add_, op_id = 2, sizes = [[8, 3], [3], []]");
  pop();
  launch("aten::_amp_update_scale_, seq = 5, op_id = 3, sizes = [[], [], [], [], [], []]");
  launch("aten::_foreach_norm, op_id = 4, sizes = [[8, 3], [], []]");
  launch("aten::_foreach_add, seq = 6, op_id = 5, sizes = [[8, 3], []]");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.op, "adamw");
  EXPECT_EQ(rows[0].op.module, "Optimizer");
  EXPECT_EQ(rows[0].op.direction, Direction::kUpdate);
  EXPECT_EQ(rows[0].op.direction_from, Provenance::kExact);
  EXPECT_EQ(rows[1].op.direction, Direction::kUpdate);
  EXPECT_EQ(rows[2].op.direction, Direction::kFprop) << "programs have lists, too";
  EXPECT_EQ(rows[2].op.direction_from, Provenance::kEstimated);
  EXPECT_EQ(rows[3].op.direction, Direction::kFprop);
}

TEST_F(TorchProgram, AFunctionOfTheProgramIsNoAttribution) {
  push("CheckpointFunction, seq = 4, op_id = 1, sizes = [[8, 4]]");
  push("layer:inside");
  launch("aten::relu, seq = 4, op_id = 2, sizes = [[8, 4]]");
  pop(kForward, 2);
  launch("mine::fused, seq = 5, op_id = 3, sizes = [[8, 4]]");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.op, "relu");
  EXPECT_EQ(rows[0].op.layer, "inside");
  EXPECT_TRUE(rows[0].op.known_op);
  EXPECT_EQ(rows[1].op.op, "mine::fused");
  EXPECT_FALSE(rows[1].op.known_op);
  EXPECT_EQ(counts_.of_unknown_op, 1U);
}

TEST_F(TorchProgram, NamesOfTheProgramAreLayersWithoutTheirNumbers) {
  push("ProfilerStep#4, op_id = 1");
  push("my block, op_id = 2");
  launch("aten::relu, seq = 4, op_id = 3, sizes = [[8, 4]]");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.layer, "my block");
  EXPECT_EQ(rows[0].own.step, 4);
}

TEST(TorchDialect, ReadsEveryFormOfItsTexts) {
  const auto full = read_range(
      "aten::add, seq = 5, op_id = 6, sizes = [[2, 3], [3], []], "
      "input_op_ids = [(0,-1), (4,0), (0,-1)]");
  ASSERT_TRUE(full.is<FrameworkOp>());
  ASSERT_EQ(full.op()->tensors.size(), 2U);
  EXPECT_EQ(full.op()->tensors[0].shape, (Shape{2, 3}));
  EXPECT_EQ(full.ties.seq_at, 0);
  EXPECT_EQ(full.ties.op_id_at, 1);
  EXPECT_EQ(full.ties.input_at, 2);
  const auto old = read_range("aten::add, seq = 5, sizes = [[2, 3], [3], []]");
  EXPECT_TRUE(old.is<FrameworkOp>());
  EXPECT_EQ(old.ties.op_id_at, dialects::GraphTies::kNoNumber);
  EXPECT_TRUE(read_range("aten::add").is<FrameworkOp>());
  EXPECT_TRUE(read_range("addmm, seq = 5").is<FrameworkOp>());
  EXPECT_EQ(read_range("aten::cat, sizes = [[[2, 3], [2, 4]], []]").op()->tensors.size(), 2U);
  EXPECT_TRUE(read_range("aten::zeros, sizes = []").is<FrameworkOp>());
  for (const char* node : {"AddmmBackward, seq = 5", "AddmmBackward0, seq = 5",
                           "AddmmBackward, stashed seq=5", "AddmmBackward12, seq=5"}) {
    const auto meaning = read_range(node);
    EXPECT_TRUE(meaning.is<BackwardNode>()) << node;
    EXPECT_EQ(meaning.ties.kinship, read_range("aten::addmm, seq = 1").ties.kinship) << node;
  }
  EXPECT_EQ(read_range("torch::autograd::CopyBackwards, seq = 5").ties.kinship,
            read_range("aten::copy_, seq = 5").ties.kinship);
  EXPECT_EQ(read_range("ToCopyBackward0, seq = 1").ties.kinship,
            read_range("aten::_to_copy, seq = 1").ties.kinship);
  EXPECT_EQ(read_range("NllLossBackward0, seq = 1").ties.kinship,
            read_range("aten::nll_loss_forward, seq = 1").ties.kinship);
  EXPECT_TRUE(read_range("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad")
                  .is<NodeEvaluation>());
}

TEST(TorchDialect, WhatIsNotOfTheFormIsAPlainName) {
  for (const char* text :
       {"aten::add, sizes = [[2, 3]", "aten::add, sizes = [[2,3]]", "aten::add, sizes = [2, 3]",
        "aten::add, sizes = [[-2]]", "aten::add, sizes = [[2, 3]] ", "aten::add, seq = x",
        "aten::add, seq = 5x", "aten::add, sizes = [[99999999999999999999]]",
        "aten::add, sizes = [[2, 3]], input_op_ids = [(3)]", "aten::add, op_id = 3, seq = 5",
        ", seq = 5", "forward", "a, b", "x = 5"}) {
    EXPECT_TRUE(read_range(text).is<PlainName>()) << text;
  }
}

TEST(TorchDialect, OtherDomainsAreNotItsOwn) {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  EXPECT_TRUE(registry.parse({"aten::add", "cuBLAS", false}).is<NoMeaning>());
}

TEST_F(TorchProgram, ModulesInsideABackwardNodeRunAgainAsOpsOfTheirOwn) {
  push("layer:act");
  launch("aten::gelu, seq = 20, op_id = 1, sizes = [[8, 3], []]");
  pop();
  // The node of a checkpointed op asks for what was not kept.
  push("autograd::engine::evaluate_function: GeluBackward0, op_id = 900", kBackward);
  push("GeluBackward0, seq = 20, op_id = 901, sizes = [[8, 3]]", kBackward);
  push("layer:fc", kBackward);
  push("aten::linear, seq = 1, op_id = 902, sizes = [[8, 4], [3, 4], []]", kBackward);
  launch("aten::mm, seq = 2, op_id = 903, sizes = [[8, 4], [4, 3]]", kBackward);
  pop(kBackward, 2);
  launch("aten::gelu_backward, op_id = 904, sizes = [[8, 3], [8, 3], []]", kBackward);
  launch("aten::gelu_backward, op_id = 905, sizes = [[8, 3], [8, 3], []]", kBackward);
  pop(kBackward, 2);
  node("MmBackward0", ", seq = 2, op_id = 906, sizes = [[8, 3]]",
       "aten::mm, op_id = 907, sizes = [[3, 8], [8, 4]]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1].op.op, "linear");
  EXPECT_EQ(rows[1].op.op_from, Provenance::kExact);
  EXPECT_EQ(rows[1].op.layer, "fc");
  EXPECT_EQ(rows[1].op.layer_from, Provenance::kExact);
  EXPECT_EQ(rows[1].op.direction, Direction::kBprop);
  EXPECT_EQ(rows[1].op.part, Part::kNone);
  EXPECT_EQ(rows[1].own.cost.flops, 2 * 8 * 4 * 3);
  EXPECT_EQ(rows[1].own.seq.own(), 1U);
  EXPECT_EQ(rows[1].own.sub, 0U);
  EXPECT_EQ(rows[2].op.op, "gelu");
  EXPECT_EQ(rows[2].op.layer, "act");
  EXPECT_EQ(rows[2].own.sub, 0U);
  EXPECT_EQ(rows[3].own.sub, 1U);
  EXPECT_EQ(rows[4].op.op, "linear") << "the backward node of what ran again";
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].op.is_recomputed, i == 1) << i;
  EXPECT_EQ(rows[4].op.layer, "fc");
}

TEST_F(TorchProgram, ANodeThatHadKernelsBeforeModulesRanAgainIsStillOneOp) {
  launch("aten::gelu, seq = 20, op_id = 1, sizes = [[8, 3], []]");
  push("GeluBackward0, seq = 20, op_id = 901, sizes = [[8, 3]]", kBackward);
  const std::string backward = "aten::gelu_backward, op_id = 904, sizes = [[8, 3], [8, 3], []]";
  launch(backward, kBackward);
  push("layer:fc", kBackward);
  launch("aten::mm, seq = 2, op_id = 903, sizes = [[8, 4], [4, 3]]", kBackward);
  pop(kBackward);
  trace_.kernel("kernel", 100, kBackward);
  pop(kBackward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].own.op_id, rows[3].own.op_id);
  EXPECT_EQ(rows[1].own.sub, 0U);
  EXPECT_EQ(rows[2].own.sub, 0U);
  EXPECT_EQ(rows[3].own.sub, 1U);
}

TEST_F(TorchProgram, AReentrantCheckpointRunsItsOpsAgainAlsoWithoutLayers) {
  launch("aten::sin, seq = 3, op_id = 1, sizes = [[8]]");
  push("CheckpointFunctionBackward, seq = 4, op_id = 901, sizes = [[8]]", kBackward);
  launch("aten::sin, seq = 7, op_id = 902, sizes = [[8]]", kBackward);
  push("SinBackward0, seq = 7, op_id = 903, sizes = [[8]]", kBackward);
  launch("aten::cos, op_id = 904, sizes = [[8]]", kBackward);
  pop(kBackward, 2);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].op.op, "sin");
  EXPECT_EQ(rows[1].op.direction, Direction::kBprop);
  EXPECT_EQ(rows[2].op.op, "sin");
  EXPECT_EQ(rows[2].op.op_inner, "aten::cos");
  EXPECT_EQ(rows[2].op.direction, Direction::kBprop);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].op.is_recomputed, i == 1) << i;
}

TEST_F(TorchProgram, ARangeSaysTheDirectionOfOpsThatDoNot) {
  push(R"({"v":1,"mod":"prof","dir":"update"})");
  launch("aten::reciprocal, sizes = [[]]");
  pop();
  launch("aten::reciprocal, sizes = [[]]");
  launch("aten::mul, seq = 5, sizes = [[8], []]");
  push(R"({"v":1,"mod":"prof","dir":"update"})");
  push("MulBackward0, seq = 5, sizes = [[8]]");
  launch("aten::mul, sizes = [[8], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].op.direction, Direction::kUpdate);
  EXPECT_EQ(rows[0].op.direction_from, Provenance::kExact);
  EXPECT_EQ(rows[0].op.layer, "");
  EXPECT_EQ(rows[1].op.direction, Direction::kFprop);
  EXPECT_EQ(rows[3].op.direction, Direction::kBprop);
}

TEST_F(TorchProgram, OldTextsSayTheSame) {
  push("layer:fc");
  launch("addmm, seq=12, sizes = [[3], [8, 4], [4, 3], [], []]");
  pop();
  push("AddmmBackward, stashed seq=12", kBackward);
  launch("mm, sizes = [[8, 3], [3, 4]]", kBackward);
  pop(kBackward);
  launch("conv2d, seq=13, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.op, "addmm");
  EXPECT_EQ(rows[0].own.seq.own(), 12U);
  EXPECT_EQ(rows[0].own.cost.flops, 2 * 8 * 4 * 3 + 8 * 3);
  EXPECT_EQ(rows[1].op.op, "addmm");
  EXPECT_EQ(rows[1].op.op_inner, "aten::mm");
  EXPECT_EQ(rows[1].op.layer, "fc");
  EXPECT_EQ(rows[1].op.direction, Direction::kBprop);
  EXPECT_EQ(rows[2].own.cost.flops, std::nullopt) << "no stride is not a stride of 1";
}

TEST_F(TorchProgram, NodesThatAreNotNamedAfterTheirOp) {
  push("layer:move");
  launch("aten::copy_, seq = 5, op_id = 1, sizes = [[8], [8], []]");
  pop();
  push("layer:slice");
  launch("aten::mul_, seq = 7, op_id = 2, sizes = [[4], [4]]");
  pop();
  launch("aten::add, seq = 9, op_id = 3, sizes = [[8], [8], []]");
  push("layer:own");
  launch("mylib::twice, seq = 10, op_id = 4, sizes = [[8]]");
  pop();
  node("torch::autograd::CopyBackwards", ", seq = 5, op_id = 901, sizes = [[8]]",
       "aten::copy_, op_id = 902, sizes = [[8], [8], []]");
  node("torch::autograd::CopySlices", ", seq = 8, op_id = 903, sizes = [[8]]",
       "aten::clone, op_id = 904, sizes = [[8], []]");
  node("torch::autograd::CppNode<mylib::(anonymous namespace)::Twice>",
       ", seq = 10, op_id = 905, sizes = [[8]]", "aten::mul, op_id = 906, sizes = [[8], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  const char* layers[] = {"move", "slice", "own"};
  const char* ops[] = {"copy", "mul", "mylib::twice"};
  for (std::size_t i = 0; i < 3; ++i) {
    const OpAttribution& op = rows[4 + i].op;
    EXPECT_EQ(op.layer, layers[i]);
    EXPECT_EQ(op.direction, Direction::kBprop);
    EXPECT_EQ(op.op, ops[i]);
  }
  EXPECT_EQ(counts_.links.missed, 0U);
  EXPECT_EQ(counts_.links.other_name, 0U);
}

constexpr const char* kStrided =
    R"({"v":1,"mod":"prof","attrs_of":"conv2d convolution","attrs":{"stride":"2,2","padding":"1,1",)"
    R"("dilation":"1,1","output_padding":"0,0","groups":1,"transposed":false,"data_grad":false,)"
    R"("weight_grad":true,"bias_grad":false}})";
constexpr const char* kConv2d =
    "aten::conv2d, seq = 20, op_id = 1, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], []]";
constexpr const char* kConvolution =
    "aten::convolution, seq = 20, op_id = 2, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], "
    "[], [], []]";
constexpr double kConvFlops = 2.0 * 2 * 4 * 4 * 4 * 27;

TEST_F(TorchProgram, AnAttributeRangeTellsWhatAnOpsOwnTextDoesNot) {
  push("layer:conv1");
  push(kStrided);
  push(kConv2d);
  launch(kConvolution);
  pop(kForward, 2);
  push(kConv2d);  // outside of that range again
  launch(kConvolution);
  pop(kForward, 2);
  node("ConvolutionBackward0", ", seq = 20, op_id = 901, sizes = [[2, 4, 4, 4]]",
       "aten::convolution_backward, op_id = 902, sizes = [[2, 4, 4, 4], [2, 3, 8, 8], [4, 3, 3, "
       "3], [], [], [], [], [], [], [], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "conv1");
  EXPECT_EQ(rows[0].op.op, "conv2d");
  EXPECT_EQ(rows[0].op.op_inner, "aten::convolution");
  EXPECT_EQ(rows[0].op.params, "N=2,C=3,H=8,W=8,K=4,P=4,Q=4,R=3,S=3");
  EXPECT_EQ(rows[0].own.cost.flops, kConvFlops);
  EXPECT_EQ(rows[0].op.cost.basis, Basis::kExact);
  EXPECT_EQ(rows[1].own.cost.flops, std::nullopt);
  EXPECT_EQ(rows[2].op.op, "conv2d") << "the last one with that number";
  EXPECT_EQ(rows[2].own.cost.flops, 2 * kConvFlops) << "both gradients, for all that is known";
}

TEST_F(TorchProgram, ABackwardNodeHasTheAttributesOfItsForwardOp) {
  push(kStrided);
  push(kConv2d);
  launch(kConvolution);
  pop(kForward, 2);
  node("ConvolutionBackward0", ", seq = 20, op_id = 901, sizes = [[2, 4, 4, 4]]",
       "aten::convolution_backward, op_id = 902, sizes = [[2, 4, 4, 4], [2, 3, 8, 8], [4, 3, 3, "
       "3], [], [], [], [], [], [], [], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].own.cost.flops, kConvFlops) << "no gradient of the input was asked for";
  EXPECT_EQ(rows[1].op.cost.basis, Basis::kExact);
}

TEST_F(TorchProgram, AttributesAreOfTheOpsThatTheyName) {
  push(kStrided);
  launch("aten::conv3d, sizes = [[2, 3, 8, 8, 8], [4, 3, 3, 3, 3], [], [], [], [], []]");
  launch("aten::relu, sizes = [[2, 3]]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].own.cost.flops, std::nullopt);
  EXPECT_EQ(rows[1].op.op, "relu");
  EXPECT_EQ(counts_.malformed_op_texts, 0U);
}

// In a callback after all nodes, on the engine's thread.
TEST_F(TorchProgram, WhatDistributedDataParallelDoesAfterTheNodesIsBackwardWork) {
  push("torch.distributed.ddp.reducer::copy_bucket_to_grad, op_id = 9, sizes = [[64, 4]]",
       kBackward);
  launch("aten::copy_, op_id = 10, sizes = [[64, 4], [64, 4], []]", kBackward);
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.op, "copy");
  EXPECT_EQ(rows[0].op.direction, Direction::kBprop);
  EXPECT_EQ(rows[0].op.direction_from, Provenance::kExact);
}

TEST_F(TorchProgram, ABackwardNodeBelongsToTheCallOfItsForwardOp) {
  push(kAutocastLinear);
  launch(kAutocastAddmm);
  pop();
  node("AddmmBackward0", ", seq = 12, op_id = 901, sizes = [[8, 3]]",
       "aten::mm, op_id = 902, sizes = [[8, 3], [3, 4]]");
  node("AddmmBackward0", ", seq = 12, op_id = 903, sizes = [[8, 3]]",
       "aten::mm, op_id = 904, sizes = [[3, 8], [8, 4]]");
  node("ReluBackward0", ", seq = 77, op_id = 905, sizes = [[8, 3]]",
       "aten::threshold_backward, op_id = 906, sizes = [[8, 3], [8, 3], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].own.call_id, rows[0].own.op_id);
  EXPECT_EQ(rows[1].own.call_id, rows[0].own.call_id);
  EXPECT_EQ(rows[2].own.call_id, rows[0].own.call_id);
  EXPECT_NE(rows[2].own.op_id, rows[1].own.op_id) << "each node is an instance";
  EXPECT_EQ(rows[3].own.call_id, rows[3].own.op_id) << "its forward op is not in the trace";
}

}  // namespace
}  // namespace prof
