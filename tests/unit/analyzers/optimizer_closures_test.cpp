// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Work on the stack of an optimizer's step: whose it is. A program may run its forward and backward
// pass there (Lightning, LBFGS, SAM).
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::kBackward;

constexpr const char* kClosure = R"({"v":1,"mod":"prof","closure_of":"AdamW"})";
constexpr const char* kBprop = R"({"v":1,"mod":"prof","dir":"bprop"})";

class OptimizerClosures : public fakes::TorchProgram {
 protected:
  /// What an optimizer launches for itself: autograd records none of it.
  void update() { launch("aten::_foreach_add_, op_id = 99, sizes = [[8, 3], [3], []]"); }
  /// A forward op in a module.
  void linear() {
    push("layer:blocks.0");
    launch("aten::linear, seq = 5, op_id = 3, sizes = [[8, 4], [2, 4], [2]]");
    pop();
  }
  /// Its backward, on the engine's thread.
  void linear_backward() {
    node("AddmmBackward0", ", seq = 5, op_id = 8, sizes = [[8, 2]]",
         "aten::mm, op_id = 9, sizes = [[2, 8], [8, 4]]");
  }
  void loss() { launch("aten::mse_loss, seq = 6, op_id = 4, sizes = [[8, 2], [8, 2], []]"); }

  static void expect(const fakes::Row& row, const char* op, const char* layer, Direction direction,
                     Provenance from = Provenance::kExact) {
    EXPECT_EQ(row.op.op, op);
    EXPECT_EQ(row.op.layer, layer) << op;
    EXPECT_EQ(row.op.direction, direction) << op;
    EXPECT_EQ(row.op.direction_from, from) << op;
  }

  /// `is_told`: by prof_torch; otherwise by the structure alone.
  void check_training_step(bool is_told) {
    push("layer:AdamW");
    push("Optimizer.step#AdamW.step, op_id = 1");
    if (is_told) push(kClosure);
    push("layer:AdamW");
    push("Optimizer.zero_grad#AdamW.zero_grad, op_id = 2");
    launch("aten::_foreach_zero_, op_id = 3, sizes = [[8, 3]]");
    pop(fakes::kForward, 2);
    linear();
    loss();
    push(kBprop);
    launch("aten::ones_like, op_id = 7, sizes = [[], [], [], [], [], []]");
    pop();
    linear_backward();
    if (is_told) pop();
    update();
    pop(fakes::kForward, 2);
    const auto rows = attribute();
    ASSERT_EQ(rows.size(), 6U);
    expect(rows[0], "zero_grad", "AdamW", Direction::kUpdate);
    expect(rows[1], "linear", "blocks.0", Direction::kFprop);
    EXPECT_EQ(rows[1].op.layer_from, Provenance::kExact);
    expect(rows[2], "mse_loss", "", Direction::kFprop, Provenance::kEstimated);
    expect(rows[3], "ones_like", "", Direction::kBprop);
    expect(rows[4], "linear", "blocks.0", Direction::kBprop);
    EXPECT_EQ(rows[4].op.layer_from, Provenance::kInherited);
    expect(rows[5], "adamw", "AdamW", Direction::kUpdate);
    EXPECT_NE(rows[1].own.op_id, rows[2].own.op_id);
    EXPECT_EQ(rows[1].own.call_id, rows[4].own.call_id) << "as outside of an optimizer";
  }
};

TEST_F(OptimizerClosures, BelongToTheirModulesNodesAndOps) { check_training_step(true); }

TEST_F(OptimizerClosures, AreKnownWithoutBeingTold) { check_training_step(false); }

TEST_F(OptimizerClosures, HaveTheLayersAroundTheOptimizer) {
  push("layer:train");
  push("layer:AdamW");
  push("Optimizer.step#AdamW.step, op_id = 1");
  push(kClosure);
  linear();
  loss();
  pop();
  update();
  const auto rows = attribute();
  expect(rows[0], "linear", "train:blocks.0", Direction::kFprop);
  expect(rows[1], "mse_loss", "train", Direction::kFprop);
  expect(rows[2], "adamw", "train:AdamW", Direction::kUpdate);
}

TEST_F(OptimizerClosures, WhatTheyLaunchOutsideOfOpsIsNotTheOptimizers) {
  push("layer:AdamW");
  push("Optimizer.step#AdamW.step, op_id = 1");
  push(kClosure);
  launch("batch");
  launch("aten::copy_, op_id = 2, sizes = [[8, 4], [8, 4], []]");
  push("layer:AdamW");  // of another optimizer, in the closure of the first one
  push("Optimizer.step#AdamW.step, op_id = 3");
  push(kClosure);
  linear();
  pop();
  update();
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.op, "");
  EXPECT_EQ(rows[0].op.layer, "batch");
  expect(rows[1], "copy", "", Direction::kFprop, Provenance::kEstimated);
  expect(rows[2], "linear", "blocks.0", Direction::kFprop);
  expect(rows[3], "adamw", "AdamW", Direction::kUpdate);
}

TEST_F(OptimizerClosures, WithoutOpsTheLayerTells) {
  push("layer:AdamW");
  push(kClosure);
  push("layer:blocks.0");
  launch("{\"v\":1,\"mod\":\"prof\",\"call\":\"Linear\",\"args\":[]}");
  pop(fakes::kForward, 2);
  launch("adam");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.layer, "blocks.0");
  EXPECT_EQ(rows[1].op.layer, "AdamW");
}

TEST_F(OptimizerClosures, OfAnOptimizerThatAnotherOneCalls) {
  push("layer:Zero");
  push("Optimizer.step#Zero.step, op_id = 1");
  push("layer:AdamW");
  push("Optimizer.step#AdamW.step, op_id = 2");
  push(R"({"v":1,"mod":"prof","closure_of":"Zero:AdamW"})");
  linear();
  pop();
  update();
  pop(fakes::kForward, 2);
  update();
  const auto rows = attribute();
  expect(rows[0], "linear", "blocks.0", Direction::kFprop);
  expect(rows[1], "adamw", "Zero:AdamW", Direction::kUpdate);
  EXPECT_EQ(rows[2].op.layer, "Zero");
  EXPECT_EQ(rows[2].op.direction, Direction::kUpdate);
}

TEST_F(OptimizerClosures, ARecordOfAProfilerHasNoLayerOfTheOptimizer) {
  push("train");
  push("Optimizer.step#SAM.step, op_id = 1");
  update();
  push("closure");
  push("nn.Module: Linear_0");
  launch("aten::linear, seq = 5, op_id = 3, sizes = [[8, 4], [2, 4], [2]]");
  pop();
  loss();
  linear_backward();
  pop();
  push("Optimizer.step#SGD.step, op_id = 7");
  update();
  pop();
  update();
  const auto rows = attribute();
  expect(rows[0], "sam", "train", Direction::kUpdate);
  expect(rows[1], "linear", "Linear_0", Direction::kFprop);
  expect(rows[2], "mse_loss", "train:closure", Direction::kFprop, Provenance::kEstimated);
  EXPECT_EQ(rows[2].op.layer_from, Provenance::kEstimated);
  expect(rows[3], "linear", "Linear_0", Direction::kBprop);
  expect(rows[4], "sgd", "train", Direction::kUpdate);
  expect(rows[5], "sam", "train", Direction::kUpdate);
  EXPECT_EQ(rows[5].op.op_inner, "aten::_foreach_add_");
  EXPECT_TRUE(rows[5].op.known_op) << "it is known by what it calls";
}

TEST_F(OptimizerClosures, ALayerInWhichAutogradRecordsNothingMayBeAPartOfTheUpdate) {
  push("Optimizer.step#AdamW.step, op_id = 1");
  for (const bool is_told : {false, true}) {
    if (is_told) push(kClosure);
    push("layer:blocks.0");
    launch("aten::mul, op_id = 2, sizes = [[8, 3], []]");
    pop();
  }
  const auto rows = attribute();
  expect(rows[0], "mul", "blocks.0", Direction::kFprop, Provenance::kEstimated);
  expect(rows[1], "mul", "blocks.0", Direction::kFprop);
}

TEST_F(OptimizerClosures, RunSeveralTimesBetweenWhatTheOptimizerComputes) {
  push("Optimizer.step#LBFGS.step, op_id = 1");
  for (int i = 0; i < 3; ++i) {
    launch("aten::mse_loss, seq = " + std::to_string(6 + i) +
           ", op_id = 4, sizes = [[8, 2], [8, 2], []]");
    linear_backward();
    launch("aten::mul, op_id = 2, sizes = [[8, 3], []]");
    push("line search");
    launch("aten::dot, op_id = 3, sizes = [[24], [24]]");
    pop();
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 12U);
  for (std::size_t i = 0; i < rows.size(); i += 4) {
    expect(rows[i], "mse_loss", "", Direction::kFprop, Provenance::kEstimated);
    EXPECT_EQ(rows[i + 1].op.direction, Direction::kBprop);
    expect(rows[i + 2], "lbfgs", "", Direction::kUpdate);
    expect(rows[i + 3], "lbfgs", "", Direction::kUpdate);
  }
}

TEST_F(OptimizerClosures, WhatAHookComputesIsNone) {
  const auto hook = [this] { launch("aten::mul_, seq = 4, op_id = 2, sizes = [[8, 3], []]"); };
  push("Optimizer.step#AdamW.step, op_id = 1");
  hook();
  update();
  pop();
  push("Optimizer.step#AdamW.step, op_id = 3");
  hook();
  push(kClosure);
  loss();
  linear_backward();
  pop();
  update();
  const auto rows = attribute();
  expect(rows[0], "adamw", "", Direction::kUpdate);
  expect(rows[1], "adamw", "", Direction::kUpdate);
  expect(rows[2], "adamw", "", Direction::kUpdate);
  expect(rows[3], "mse_loss", "", Direction::kFprop, Provenance::kEstimated);
  expect(rows[5], "adamw", "", Direction::kUpdate);
}

TEST_F(OptimizerClosures, OrdinaryOpsOfAnyOptimizerAreItsOwn) {
  push("layer:Lion");
  push("Optimizer.step#Lion.step, op_id = 1");
  launch("aten::mul_, op_id = 2, sizes = [[8, 3], []]");
  launch("aten::sign_, op_id = 3, sizes = [[8, 3]]");
  pop();
  push("Optimizer.zero_grad#Lion.zero_grad, op_id = 4");
  launch("aten::zero_, op_id = 5, sizes = [[8, 3]]");
  const auto rows = attribute();
  expect(rows[0], "lion", "Lion", Direction::kUpdate);
  EXPECT_EQ(rows[0].own.cost.flops, 24);
  expect(rows[1], "lion", "Lion", Direction::kUpdate);
  expect(rows[2], "zero_grad", "Lion", Direction::kUpdate);
}

TEST_F(OptimizerClosures, ACollectiveOfAnOptimizerIsAnOpOfItsOwn) {
  push("layer:ZeroRedundancyOptimizer");
  push("Optimizer.step#ZeroRedundancyOptimizer.step, op_id = 1");
  update();
  push("c10d::broadcast_, op_id = 2, sizes = [[], [], [], [], [], []]");
  launch("nccl:broadcast, op_id = 3, sizes = [[8, 3]]");
  pop();
  update();
  const auto rows = attribute();
  expect(rows[0], "zeroredundancyoptimizer", "ZeroRedundancyOptimizer", Direction::kUpdate);
  expect(rows[1], "broadcast", "ZeroRedundancyOptimizer", Direction::kUpdate);
  expect(rows[2], "zeroredundancyoptimizer", "ZeroRedundancyOptimizer", Direction::kUpdate);
}

TEST_F(OptimizerClosures, AnOptimizerThatAutogradRecordsHasItsOwnOps) {
  push("layer:AdamW");
  push("Optimizer.step#AdamW.step, op_id = 1");
  linear();
  linear_backward();
  launch("aten::mul, seq = 9, op_id = 2, sizes = [[8, 3], []]");
  launch("aten::add_, seq = 10, op_id = 3, sizes = [[8, 3], [8, 3], []]");
  const auto rows = attribute();
  expect(rows[0], "linear", "blocks.0", Direction::kFprop);
  expect(rows[1], "linear", "blocks.0", Direction::kBprop);
  expect(rows[2], "adamw", "AdamW", Direction::kUpdate);
  expect(rows[3], "adamw", "AdamW", Direction::kUpdate);
}

TEST_F(OptimizerClosures, AnUnlinkedNodeIsOfTheBackwardPass) {
  push("layer:AdamW");
  push("Optimizer.step#AdamW.step, op_id = 1");
  push("autograd::engine::evaluate_function: MulBackward0, op_id = 4");
  push("MulBackward0, seq = 77, op_id = 5, sizes = [[8]]");
  launch("aten::mul, op_id = 6, sizes = [[8], []]");
  pop(fakes::kForward, 2);
  update();
  const auto rows = attribute();
  expect(rows[0], "mul", "", Direction::kBprop);
  expect(rows[1], "adamw", "AdamW", Direction::kUpdate);
}

TEST_F(OptimizerClosures, ClippingInAHookIsItself) {
  push("layer:AdamW");
  push("Optimizer.step#AdamW.step, op_id = 1");
  push("layer:clip_grad_norm_");
  push(R"({"v":1,"mod":"prof","dir":"update"})");
  launch("aten::_foreach_norm, op_id = 4, sizes = [[8, 3], [], []]");
  pop(fakes::kForward, 2);
  update();
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.layer, "clip_grad_norm_");
  EXPECT_EQ(rows[0].op.direction, Direction::kUpdate);
  expect(rows[1], "adamw", "AdamW", Direction::kUpdate);
}

TEST_F(OptimizerClosures, OfPyProf) {
  push(R"({'mod': 'FusedAdam', 'op': 'step', 'args': []})");
  push(R"({'mod': 'torch.nn.functional', 'op': 'relu', 'args': [{'name': '', 'type': 'tensor', )"
       R"('shape': (8, 4), 'dtype': 'float16'}]})");
  launch("aten::relu, seq = 5, op_id = 2, sizes = [[8, 4]]");
  pop();
  update();
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.op, "relu");
  EXPECT_EQ(rows[0].op.direction, Direction::kFprop);
  EXPECT_EQ(rows[1].op.op, "adam");
  EXPECT_EQ(rows[1].op.direction, Direction::kUpdate);
}

TEST_F(OptimizerClosures, TextsThatAreNone) {
  EXPECT_TRUE(fakes::read_range(kClosure).is<OptimizerClosure>());
  for (const char* text :
       {R"({"v":1,"mod":"prof","closure_of":""})", R"({"v":1,"mod":"prof","closure_of":3})",
        R"({"v":1,"mod":"prof","closure_of":"A","op":"add"})"}) {
    EXPECT_TRUE(fakes::read_range(text).is<PlainName>()) << text;
  }
}

}  // namespace
}  // namespace prof
