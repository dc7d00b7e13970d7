// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Costs of ledger ops, worked out by hand at small sizes from docs/ops.md.
#include "common/ledger_ops.hpp"

#include <gtest/gtest.h>

namespace ref::ledger {
namespace {

void expect_cost(const LedgerOp& op, std::int64_t flops, std::int64_t bytes) {
  EXPECT_EQ(op.flops, flops) << op.op << " " << op.direction;
  EXPECT_EQ(op.bytes, bytes) << op.op << " " << op.direction;
}

void expect_gemm(const LedgerOp& op, std::int64_t m, std::int64_t n, std::optional<std::int64_t> k,
                 std::int64_t batch = 1) {
  ASSERT_TRUE(op.gemm.has_value());
  EXPECT_EQ(op.gemm->m, m);
  EXPECT_EQ(op.gemm->n, n);
  EXPECT_EQ(op.gemm->k, k);
  EXPECT_EQ(op.gemm->batch, batch);
  EXPECT_EQ(op.calls_library, k.has_value());
}

using Shapes = std::vector<LedgerShape>;

TEST(LedgerOps, Linear) {
  const Dense dense = {{2, 4}, 16, 10, kHalf};  // 8 tokens
  const LedgerOp forward = linear(dense);
  expect_gemm(forward, 10, 8, 16);
  expect_cost(forward, 2 * 10 * 8 * 16, 2 * (8 * 16 + 10 * 16 + 8 * 10));
  EXPECT_EQ(forward.inputs, (Shapes{{2, 4, 16}, {10, 16}}));
  EXPECT_EQ(forward.outputs, (Shapes{{2, 4, 10}}));
  EXPECT_EQ(forward.direction, "fprop");

  const LedgerOp data = linear_data_gradient(dense);
  expect_gemm(data, 16, 8, 10);
  expect_cost(data, forward.flops, forward.bytes);
  EXPECT_EQ(data.part, "data");

  const LedgerOp weight = linear_weight_gradient(dense);
  expect_gemm(weight, 16, 10, 8);
  expect_cost(weight, forward.flops, forward.bytes);
  expect_cost(linear_weight_gradient(dense, true), forward.flops, forward.bytes + 2 * 160);
}

TEST(LedgerOps, LinearWithEpilogue) {
  const Dense dense = {{8}, 16, 10, kHalf};
  expect_cost(linear(dense, {.bias = true}), 2560 + 80, 736 + 20);
  expect_cost(linear(dense, {.bias = true, .gelu = true, .aux = true}), 2560 + 10 * 80,
              736 + 20 + 160);
  expect_cost(linear_data_gradient(dense, true), 2560 + 18 * 128, 736 + 256);
}

TEST(LedgerOps, Bias) {
  expect_gemm(bias({8}, 10), 10, 8, std::nullopt);
  expect_cost(bias({8}, 10), 80, 2 * (80 + 10 + 80));
  expect_cost(bias_gradient({8}, 10), 80, 2 * (80 + 10));
  expect_cost(bias_gradient({8}, 10, kHalf, true), 80, 2 * (80 + 20));
}

TEST(LedgerOps, Batched) {
  const LedgerOp scores = bmm({{2, 3}, 5, 7, 4, false, true}, Pass::forward);
  expect_gemm(scores, 7, 5, 4, 6);
  EXPECT_EQ(scores.inputs, (Shapes{{2, 3, 5, 4}, {2, 3, 7, 4}}));
  EXPECT_EQ(scores.outputs, (Shapes{{2, 3, 5, 7}}));
  expect_cost(scores, 2 * 7 * 5 * 4 * 6, 2 * 6 * (20 + 28 + 35));
  EXPECT_EQ(bmm({{6}, 5, 7, 4, true, false}, Pass::backward).inputs,
            (Shapes{{6, 4, 5}, {6, 4, 7}}));
}

TEST(LedgerOps, Activations) {
  expect_cost(relu({8, 10}), 80, 320);
  expect_cost(relu_backward({8, 10}), 80, 480);
  expect_cost(tanh({8, 10}), 80, 320);
  expect_cost(tanh_backward({8, 10}), 240, 480);
  expect_cost(gelu({8, 10}), 400, 320);
  expect_cost(gelu({8, 10}, kHalf, {.tanh_form = true}), 720, 320);
  expect_cost(gelu({8, 10}, kHalf, {.bias = true}), 480, 340);
  expect_cost(gelu_backward({8, 10}, kHalf, {.bias = true, .dbias = true}), 13 * 80, 520);
  expect_cost(gelu_backward({8, 10}, kHalf, {.tanh_form = true}), 18 * 80, 480);
}

TEST(LedgerOps, Arithmetic) {
  const Operand x = {{8, 10}, kHalf};
  const Operand scalar = {{1}, kFloat};
  expect_cost(add(Pass::forward, {x, x}, {x}), 80, 480);
  expect_cost(add(Pass::backward, {x, x}, {x}), 0, 480);
  expect_cost(rsub(Pass::forward, {x}, {x}), 80, 320);
  expect_cost(mul(Pass::forward, {x, scalar}, {x}), 80, 324);
  expect_cost(mul(Pass::backward, {x, x, x}, {x, x}), 160, 800);
  expect_cost(mul(Pass::update, {scalar, scalar}, {scalar}), 1, 12);
  expect_cost(div(Pass::forward, {x, scalar}, {x}), 80, 324);
  expect_cost(div(Pass::backward, {x, scalar}, {x}), 160, 324);
}

TEST(LedgerOps, Softmax) {
  expect_cost(softmax({8, 128}), 5 * 1024, 4096);
  expect_cost(softmax_backward({8, 128}), 4 * 1024, 6144);
  // 8 matrices of 8 x 8, of which 36 elements count each.
  expect_cost(softmax({2, 4, 8, 8}, kHalf, {.scale = true, .causal = true}), 6 * 8 * 36,
              2 * (8 * 36 + 512));
  expect_cost(softmax_backward({2, 4, 8, 8}, kHalf, {.causal = true}), 4 * 8 * 36,
              2 * (2 * 8 * 36 + 512));
}

TEST(LedgerOps, NormsAndDropout) {
  const Norm norm = {{8}, 10};
  expect_cost(layer_norm(norm), 8 * 80, 2 * (80 + 20 + 80) + 2 * 8 * 4);
  expect_cost(add_layer_norm(norm), 9 * 80, 2 * (160 + 20 + 160) + 64);
  expect_cost(layer_norm_backward(norm), 14 * 80, 2 * (160 + 10 + 80 + 20) + 64);
  expect_cost(layer_norm_backward(norm, {.dx = true, .parameters = true}), 14 * 80,
              2 * (160 + 10 + 80 + 20 + 80 + 20) + 64);
  EXPECT_EQ(layer_norm_backward(norm, {.dx = true}).inputs,
            (Shapes{{8, 10}, {8, 10}, {8}, {8}, {10}, {8, 10}}));
  expect_cost(dropout({8, 10}), 160, 400);
  expect_cost(dropout_backward({8, 10}), 160, 400);
}

TEST(LedgerOps, Reductions) {
  expect_cost(sum(Pass::backward, {{{4, 5}, kHalf}}, {{5}, kHalf}), 20, 50);
  expect_cost(norm(Pass::update, {{{4, 5}, kFloat}}, {{1}, kFloat}), 41, 84);
  expect_cost(multi_tensor_l2norm({{{10}, kHalf, 3}}, {{1}}), 61, 64);
}

TEST(LedgerOps, Lookups) {
  expect_cost(embedding({{4}, 100, 8, kFloat, kInt32}), 0, 16 + 2 * 32 * 4);
  expect_cost(embedding({{10}, 3, 4, kFloat, kInt64}), 0, 80 + 48 + 160);
  const LedgerOp both = embedding({{2, 3}, 100, 8, kHalf, kInt32, 3});
  expect_cost(both, 48, 24 + 2 * 48 * 2 + 24 * 2);
  EXPECT_EQ(both.inputs, (Shapes{{2, 3}, {100, 8}, {3, 8}}));
  // Of the table at most as many rows as there are lookups, and at most all.
  expect_cost(embedding_backward({{4}, 100, 8, kFloat, kInt32}), 32, 16 + 128 + 128);
  expect_cost(embedding_backward({{10}, 3, 4, kFloat, kInt64}), 40, 80 + 160 + 48);
  const Operand indices = {{3}, kInt32};
  expect_cost(index({{5, 7}}, indices, {{5, 3}}), 0, 12 + 2 * 60);
  expect_cost(index_backward({{5, 3}}, indices, {{5, 7}}), 15, 12 + 2 * 60);
}

TEST(LedgerOps, Movement) {
  expect_cost(cast(Pass::forward, {8, 10}, kFloat, kHalf), 0, 480);
  expect_cost(layout("permute", Pass::forward, {{2, 3, 4}, kHalf}, {{3, 2, 4}, kHalf}), 0, 96);
  expect_cost(copy(Pass::update, {{10}, kFloat}), 0, 80);
  const LedgerOp stack = cat(Pass::forward, {{{8, 4}, kFloat, 3}}, {{8, 12}});
  expect_cost(stack, 0, 2 * 384);
  EXPECT_EQ(stack.inputs, (Shapes{{8, 4}, {8, 4}, {8, 4}}));
  const LedgerOp zero = fill("zero", Pass::update, {{8, 10}, kHalf});
  expect_cost(zero, 0, 160);
  EXPECT_TRUE(zero.inputs.empty());
  EXPECT_EQ(zero.outputs, (Shapes{{8, 10}}));
}

TEST(LedgerOps, Losses) {
  expect_cost(bce_with_logits(8), 9 * 8 + 1, 2 * 32 + 4);
  expect_cost(bce_with_logits_backward(8), 5 * 8, 3 * 32 + 4);
  const CrossEntropy mean = {{4}, 10, kFloat, kInt64, true};
  expect_cost(cross_entropy(mean), 205, 196);
  expect_cost(cross_entropy_backward(mean), 120, 2 * 160 + 32 + 4);
  expect_cost(cross_entropy_fused({{4}, 10, kHalf, kInt32, false}), 324, 192);
}

TEST(LedgerOps, Updates) {
  const Operand w = {{10}, kFloat};
  expect_cost(sgd(10, {w, w}, {w}), 20, 120);
  expect_cost(adamw(10, {w, {{10}, kHalf}, w, w}, {w, w, w, {{10}, kHalf}}), 140, 280);
  expect_cost(lamb(10, {w, w, w, w}, {w, w, w}), 180, 280);
  expect_cost(unscale({{10}, kHalf}, w), 10, 60);
  const LedgerOp scale = multi_tensor_scale({{1}, kInt32}, {{{10}, kHalf, 2}}, {{{10}, kFloat, 2}});
  expect_cost(scale, 20, 4 + 40 + 80);
  EXPECT_EQ(scale.inputs, (Shapes{{1}, {10}, {10}}));
  expect_cost(clip_grad_norm(), 3, 8);
  expect_cost(all_reduce(Pass::backward, {w}, true), 20, 80);
  expect_cost(all_reduce(Pass::backward, {w}, false), 10, 80);
}

}  // namespace
}  // namespace ref::ledger
