// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Costs of ops that call other ops, and of nodes that compute several gradients, from the texts
// that PyTorch writes.
#include <gtest/gtest.h>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::Row;

class InnerCosts : public fakes::AttributedProgram {
 protected:
  void launch(const std::string& text, const std::string& kernel) {
    trace_.push(text);
    trace_.kernel(kernel);
    trace_.pop();
  }
};

constexpr const char* kNvjetGemm = "nvjet_sm90_tst_64x16_64x16_1x4_h_bz_TNN";
constexpr const char* kGemmOfWeight = "nvjet_sm90_tst_64x16_64x16_1x4_h_bz_NTN";
constexpr const char* kUnknownGemm = "gemmSN_TN_kernel";
constexpr const char* kElementwise = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi";
constexpr const char* kFloatReduce =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)";
constexpr const char* kSizes = "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16], [], [], [], [], []]";

TEST_F(InnerCosts, ProductsOfAttentionCostWhatTheyCompute) {
  trace_.push("layer:attention");
  trace_.push("aten::scaled_dot_product_attention, seq = 1, op_id = 1, sizes = " +
              std::string(kSizes));
  trace_.push("aten::_scaled_dot_product_attention_math, seq = 1, op_id = 2, sizes = " +
              std::string(kSizes));
  trace_.set_grid(kNvjetGemm, {64, 1, 1});
  launch("aten::bmm, seq = 2, op_id = 3, sizes = [[8, 8, 16], [8, 16, 8]]", kNvjetGemm);
  launch("aten::_softmax, seq = 3, op_id = 4, sizes = [[2, 4, 8, 8], [], []]", "softmax");
  launch("aten::bmm, seq = 4, op_id = 5, sizes = [[8, 8, 8], [8, 8, 16]]", kUnknownGemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  for (const Row& row : rows) {
    EXPECT_EQ(row.op.op, "scaled_dot_product_attention");
    EXPECT_EQ(row.op.params, "B=2,H=4,Q=8,K=8,D=16") << "the op's own";
    EXPECT_EQ(row.own.op_id, rows[0].own.op_id) << "one instance";
    EXPECT_EQ(row.own.basis, Basis::kExact);
  }
  EXPECT_EQ(rows[0].own.cost.flops, 2 * 8 * 8 * 8 * 16);
  EXPECT_EQ(rows[2].own.cost.flops, 2 * 8 * 8 * 8 * 16) << "regardless of their threads";
  ASSERT_TRUE(rows[0].op.gemm && rows[2].op.gemm);
  EXPECT_EQ(rows[0].op.gemm->k, 16);
  EXPECT_EQ(rows[2].op.gemm->k, 8);
  EXPECT_FALSE(rows[1].op.gemm);
  EXPECT_LT(rows[1].own.cost.flops, 8 * 8 * 8 * 16);
}

TEST_F(InnerCosts, FusedAttentionKeepsWhatTheOuterOpKnows) {
  const std::string causal =
      R"({"op":"aten::scaled_dot_product_attention","args":[{"shape":[2,4,8,16],"dtype":"float16"},)"
      R"({"shape":[2,4,8,16],"dtype":"float16"},{"shape":[2,4,8,16],"dtype":"float16"},null,)"
      R"({"value":0},{"value":true},null,{"value":false}]})";
  trace_.push_op(causal);
  trace_.push_op(
      R"({"op":"aten::_flash_attention_forward","args":[{"shape":[2,8,4,16],"dtype":"float16"},)"
      R"({"shape":[2,8,4,16],"dtype":"float16"},{"shape":[2,8,4,16],"dtype":"float16"}]})");
  trace_.kernel("flash_fwd_kernel");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  constexpr double kPairs = 2.0 * 4 * 8 * 9 / 2;
  EXPECT_EQ(rows[0].own.cost.flops, 4 * kPairs * 16 + 6 * kPairs);
}

TEST_F(InnerCosts, ALookUpReadsItsIndicesOnce) {
  // PyTorch expands them to the size of the result, without copying.
  trace_.push("aten::embedding, op_id = 1, sizes = [[30528, 1024], [4, 128], [], [], []]");
  trace_.push("aten::gather, op_id = 2, sizes = [[30528, 1024], [], [512, 1024], []]");
  trace_.kernel("void at::native::vectorized_gather_kernel<16, float, long>(char*, char*)");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_TRUE(rows[0].own.cost.bytes);
  EXPECT_LT(*rows[0].own.cost.bytes, 2.1 * 512 * 1024 * 4);
}

TEST_F(InnerCosts, AnOpsOwnKernelsCarryWhatTheOpsItCallsLeave) {
  // grad * y is an op of its own; the kernel sums up, multiplies and subtracts.
  trace_.push("aten::_softmax_backward_data, sizes = [[16, 32], [16, 32], [], []]");
  launch(
      "aten::mul, sizes = [[16, 32], [16, 32]]",
      "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
      "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)");
  trace_.kernel("softmax_backward");
  trace_.pop();
  launch("aten::relu, sizes = [[16, 32]]", kElementwise);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].own.cost.flops, 16 * 32);
  EXPECT_EQ(rows[0].own.basis, Basis::kExact);
  EXPECT_EQ(*rows[0].own.cost.flops + *rows[1].own.cost.flops, *rows[1].op.cost.flops);
  EXPECT_EQ(rows[1].own.basis, Basis::kEstimated);
}

TEST_F(InnerCosts, TheGradientsOfAConvolutionCostAsMuchEach) {
  trace_.push("ConvolutionBackward0, seq = 5, sizes = [[4, 8, 16, 16]]");
  trace_.push(
      R"({"op":"aten::convolution_backward","args":[{"shape":[4,8,16,16],"dtype":"float16"},)"
      R"({"shape":[4,2,16,16],"dtype":"float16"},{"shape":[8,2,3,3],"dtype":"float16"},)"
      R"({"value":[8]},{"value":[1,1]},{"value":[1,1]},{"value":[1,1]},{"value":false},)"
      R"({"value":[0,0]},{"value":1},{"value":[true,true,true]}]})");
  trace_.pop();
  trace_.push_op(
      R"({"op":"aten::convolution_backward","args":[{"shape":[4,8,16,16],"dtype":"float16"},)"
      R"({"shape":[4,2,16,16],"dtype":"float16"},{"shape":[8,2,3,3],"dtype":"float16"},)"
      R"({"value":[8]},{"value":[1,1]},{"value":[1,1]},{"value":[1,1]},{"value":false},)"
      R"({"value":[0,0]},{"value":1},{"value":[true,true,true]}]})");
  trace_.set_grid(kNvjetGemm, {512, 1, 1});
  trace_.kernel("void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half, float>(int)");
  trace_.kernel(kNvjetGemm);
  trace_.kernel("sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_kernel");
  trace_.push_op(
      R"({"op":"aten::sum","args":[{"shape":[4,8,16,16],"dtype":"float16"},{"value":[0,2,3]},)"
      R"({"value":false},null]})");
  trace_.kernel(kFloatReduce);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  constexpr double kFlops = 2.0 * 4 * 8 * 16 * 16 * 2 * 9;
  EXPECT_EQ(rows[0].own.cost.flops, 0) << "a change of layout";
  EXPECT_EQ(rows[1].op.part, Part::kData);
  EXPECT_EQ(rows[1].own.cost.flops, kFlops);
  EXPECT_EQ(rows[1].own.cost.bytes, 2.0 * (8192 + 144 + 2048));
  EXPECT_EQ(rows[2].op.part, Part::kWeight);
  EXPECT_EQ(rows[2].own.cost.flops, kFlops);
  EXPECT_EQ(rows[2].own.basis, Basis::kExact);
  EXPECT_EQ(rows[3].own.cost.flops, 8192) << "the bias, by the op that sums it up";
}

TEST_F(InnerCosts, ANetworksFirstConvolutionHasNoGradientOfItsData) {
  trace_.push(
      "aten::convolution_backward, sizes = [[4, 8, 16, 16], [4, 2, 16, 16], [8, 2, 3, 3], "
      "[], [], [], [], [], [], [], []]");
  trace_.kernel("sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_kernel");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.part, Part::kWeight);
  EXPECT_EQ(rows[0].own.cost.flops, 2.0 * 4 * 8 * 16 * 16 * 2 * 9);
}

/// What emit_nvtx writes without shapes, and what PyProf's markers lead to.
class NodesWithoutShapes : public InnerCosts {
 protected:
  void forward(const std::string& text) {
    trace_.push("layer:fc");
    launch(text, kNvjetGemm);
    trace_.pop();
  }
};

TEST_F(NodesWithoutShapes, ComputeTheGradientsOfALinearLayer) {
  forward("aten::linear, seq = 12, op_id = 1, sizes = [[8, 4], [3, 4], [3]]");
  trace_.push("AddmmBackward0, seq = 12");
  launch("aten::mm", kUnknownGemm);
  launch("aten::mm", kUnknownGemm);
  launch("aten::sum", kFloatReduce);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  const Part parts[] = {Part::kNone, Part::kData, Part::kWeight, Part::kBias};
  const std::int64_t sizes[][3] = {{}, {4, 8, 3}, {4, 3, 8}};
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(rows[i].op.part, parts[i]) << i;
    EXPECT_EQ(rows[i].op.op, "linear");
    EXPECT_EQ(rows[i].op.shapes_from, Provenance::kInherited);
    if (i == 3) continue;
    EXPECT_EQ(rows[i].own.cost.flops, 2 * 8 * 4 * 3);
    ASSERT_TRUE(rows[i].op.gemm);
    EXPECT_EQ(rows[i].op.gemm->m, sizes[i][0]);
    EXPECT_EQ(rows[i].op.gemm->n, sizes[i][1]);
    EXPECT_EQ(rows[i].op.gemm->k, sizes[i][2]);
  }
  EXPECT_EQ(rows[3].own.cost.flops, 8 * 3);
}

TEST_F(NodesWithoutShapes, WithoutABiasComputeTheWeightsFirst) {
  forward("aten::linear, seq = 12, op_id = 1, sizes = [[8, 4], [3, 4], []]");
  trace_.push("MmBackward0, seq = 12");
  trace_.kernel(kUnknownGemm);
  trace_.kernel(kUnknownGemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].op.part, Part::kWeight);
  EXPECT_EQ(rows[2].op.part, Part::kData);
}

TEST_F(NodesWithoutShapes, ThatComputeOneGradientAreToldByItsLayout) {
  forward("aten::linear, seq = 12, op_id = 1, sizes = [[8, 4], [3, 4], [3]]");
  trace_.push("AddmmBackward0, seq = 12");
  trace_.kernel(kGemmOfWeight);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.part, Part::kWeight);
  EXPECT_EQ(rows[1].own.cost.flops, 2 * 8 * 4 * 3);
}

TEST_F(NodesWithoutShapes, DoNotTellWhichOneGradientTheyCompute) {
  forward("aten::linear, seq = 12, op_id = 1, sizes = [[8, 4], [3, 4], [3]]");
  trace_.push("AddmmBackward0, seq = 12");
  trace_.kernel(kUnknownGemm);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.part, Part::kNone);
  EXPECT_FALSE(rows[1].op.gemm);
  EXPECT_FALSE(rows[1].own.cost.flops);
}

TEST_F(NodesWithoutShapes, OfOtherOpsHaveEstimatedFlops) {
  forward("aten::gelu, seq = 12, op_id = 1, sizes = [[8, 4], []]");
  trace_.push("GeluBackward0, seq = 12");
  trace_.kernel(kElementwise);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NE(rows[1].own.basis, Basis::kExact);
  EXPECT_FALSE(rows[1].own.cost.bytes) << "what the forward op saved is not known";
}

TEST_F(NodesWithoutShapes, CallOpsThatStateNone) {
  forward("aten::dropout, seq = 12, op_id = 1, sizes = [[8, 4], [], []]");
  trace_.push("FusedDropoutBackward, seq = 12");
  trace_.push("_masked_scale, seq = 0");
  launch("zeros, seq = 0", kElementwise);
  trace_.kernel(kElementwise);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].own.cost.flops, 0) << "a fill";
  EXPECT_EQ(rows[2].own.cost.flops, 2 * 8 * 4);
  EXPECT_EQ(rows[2].own.basis, Basis::kEstimated);
}

TEST_F(NodesWithoutShapes, OfACompositeOpComputeAnUnknownPart) {
  forward("aten::cross_entropy_loss, seq = 12, op_id = 1, sizes = [[8, 4], [8]]");
  trace_.push("LogSoftmaxBackward0, seq = 12");
  launch("aten::_log_softmax_backward_data", kElementwise);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.op, "cross_entropy");
  EXPECT_FALSE(rows[1].own.cost.flops);
}

}  // namespace
}  // namespace prof
