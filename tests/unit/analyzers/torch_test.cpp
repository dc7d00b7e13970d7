// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the texts of PyTorch's ranges mean; cases/torch.txt has what programs mean.
#include <gtest/gtest.h>

#include "analyzers/dialects/registry.hpp"
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::read_range;

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

constexpr double kConvFlops = 2.0 * 2 * 4 * 4 * 4 * 27;

}  // namespace
}  // namespace prof
