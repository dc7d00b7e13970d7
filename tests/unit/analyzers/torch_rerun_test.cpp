// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward ops that run again inside backward nodes without layers, told by what autograd records.
#include <gtest/gtest.h>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::kBackward;
using fakes::Row;

class TorchRerun : public fakes::TorchProgram {};

/// The node of a sin whose input was not kept: what the node calls first.
constexpr const char* kSinNode = "SinBackward0, seq = 20, op_id = 901, sizes = [[8]]";

TEST_F(TorchRerun, AForwardOpRunsAgainWhereOnlyItIsRecordedInANode) {
  push("layer:act");
  launch("aten::relu, seq = 19, op_id = 1, sizes = [[8]]");
  launch("aten::sin, seq = 20, op_id = 2, sizes = [[8]]");
  pop();
  push("autograd::engine::evaluate_function: SinBackward0, op_id = 900", kBackward);
  push(kSinNode, kBackward);
  launch("aten::empty, op_id = 902, sizes = [[], [], [], [], [], []]", kBackward);
  push("aten::relu, seq = 0, op_id = 903, sizes = [[8]]", kBackward);
  launch("aten::clamp_min, seq = 0, op_id = 904, sizes = [[8], []]", kBackward);
  pop(kBackward);
  launch("aten::cos, op_id = 905, sizes = [[8]]", kBackward);
  launch("aten::mul, op_id = 906, sizes = [[8], [8]]", kBackward);
  pop(kBackward, 2);
  node("ReluBackward0", ", seq = 0, op_id = 907, sizes = [[8]]",
       "aten::threshold_backward, op_id = 908, sizes = [[8], [8], []]");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  const char* ops[] = {"relu", "sin", "sin", "relu", "sin", "sin", "relu"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.op, ops[i]) << i;
    EXPECT_EQ(rows[i].op.is_recomputed, i == 3) << i;
    EXPECT_EQ(rows[i].op.direction, i < 2 ? Direction::kFprop : Direction::kBprop) << i;
  }
  EXPECT_EQ(rows[3].op.op_inner, "aten::clamp_min");
  EXPECT_NE(rows[3].own.op_id, rows[4].own.op_id);
  EXPECT_EQ(rows[2].own.op_id, rows[4].own.op_id) << "the node's own";
  EXPECT_EQ(rows[6].own.call_id, rows[3].own.call_id) << "its forward op is what ran again";
}

TEST_F(TorchRerun, ADoubleBackwardRunsNothingAgain) {
  launch("aten::sin, seq = 20, op_id = 2, sizes = [[8]]");
  push("autograd::engine::evaluate_function: SinBackward0, op_id = 900", kBackward);
  push(kSinNode, kBackward);
  launch("aten::cos, seq = 21, op_id = 905, sizes = [[8]]", kBackward);
  launch("aten::empty, op_id = 902, sizes = [[], [], [], [], [], []]", kBackward);
  launch("aten::mul, seq = 22, op_id = 906, sizes = [[8], [8]]", kBackward);
  pop(kBackward, 2);
  launch("aten::neg, op_id = 907, sizes = [[8]]", kBackward);  // of no node
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  for (const Row& row : rows) EXPECT_FALSE(row.op.is_recomputed);
  EXPECT_EQ(rows[1].op.op, "sin");
  EXPECT_EQ(rows[3].op.op, "sin");
}

TEST_F(TorchRerun, AFunctionThatDifferentiatesInItsBackwardRunsItsOpsAgain) {
  push("HandmadeBackward, seq = 20, op_id = 901, sizes = [[8]]", kBackward);
  launch("aten::sin, seq = 0, op_id = 902, sizes = [[8]]", kBackward);
  push("autograd::engine::evaluate_function: SinBackward0, op_id = 903", kBackward);
  push("SinBackward0, seq = 0, op_id = 904, sizes = [[8]]", kBackward);
  launch("aten::cos, op_id = 905, sizes = [[8]]", kBackward);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op.op, "sin");
  EXPECT_TRUE(rows[0].op.is_recomputed);
  EXPECT_EQ(rows[1].op.op, "sin");
  EXPECT_FALSE(rows[1].op.is_recomputed);
}

}  // namespace
}  // namespace prof
