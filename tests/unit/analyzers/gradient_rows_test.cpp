// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/gradient_rows.hpp"

#include <gtest/gtest.h>

#include "analyzers/kernels/kernel_facts.hpp"

namespace prof {
namespace {

constexpr const char* kData =
    "sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x32x64_stage5_"
    "warpsize2x2x1_g1_tensor16x8x16_kernel";
constexpr const char* kWeight =
    "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816wgrad_optimized_f16_128x64_64x3_"
    "nhwc_align8>(cutlass_tensorop_f16_s16816wgrad_optimized_f16_128x64_64x3_nhwc_align8::Params)";
constexpr const char* kProduct = "nvjet_sm90_hsh_64x8_64x16_1x2_h_bz_NNT";
constexpr const char* kTransposed = "nvjet_sm90_hsh_64x32_64x16_1x2_h_bz_NTT";
constexpr const char* kGrouped =
    "void cudnn::cnn::some_direct_kernel<false, false, int, float, __half>(int)";
constexpr const char* kSumOfGradient =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::Half>>(int)";
constexpr const char* kCopyOfGradient =
    "void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>(int)";

class ARowsGradient : public ::testing::Test {
 protected:
  void compute(std::initializer_list<Part> parts) {
    for (const Part part : parts) {
      gradients_.of[static_cast<std::size_t>(part)] = std::make_shared<const OpAttribution>();
    }
    gradients_.is_stated = true;
  }
  void row(const char* kernel) {
    const KernelFacts facts = kernels::facts(kernel);
    const WorkRole role = facts.is_helper    ? WorkRole::kHelper
                          : facts.is_product ? WorkRole::kProduct
                                             : WorkRole::kMain;
    payer_ = std::min(payer_, role);
    rows_.add(role, 1, &facts, gradients_);
  }
  [[nodiscard]] std::vector<Part> parts() const { return rows_.resolve(gradients_, payer_); }

  GradientAttributions gradients_;
  GradientRows rows_;
  WorkRole payer_ = WorkRole::kCopy;
};

using Parts = std::vector<Part>;

TEST_F(ARowsGradient, IsInTheKernelsName) {
  compute({Part::kData, Part::kWeight});
  row(kWeight);
  row(kData);
  EXPECT_EQ(parts(), (Parts{Part::kWeight, Part::kData}));
}

TEST_F(ARowsGradient, IsTheOneThatNoOtherKernelNames) {
  compute({Part::kData, Part::kWeight});
  row(kProduct);
  row(kWeight);
  EXPECT_EQ(parts(), (Parts{Part::kData, Part::kWeight}));
}

TEST_F(ARowsGradient, FollowsFromTheOrderOfTwoProducts) {
  compute({Part::kData, Part::kWeight});
  row(kProduct);
  row(kTransposed);
  EXPECT_EQ(parts(), (Parts{Part::kData, Part::kWeight}));
  gradients_.weight_first = true;
  EXPECT_EQ(parts(), (Parts{Part::kWeight, Part::kData}));
}

TEST_F(ARowsGradient, OfANormDoesNotFollowFromTheOrder) {
  compute({Part::kData, Part::kWeight});
  gradients_.in_order = false;
  row(kProduct);
  row(kTransposed);
  EXPECT_EQ(parts(), Parts{});
}

TEST_F(ARowsGradient, OfABiasIsASumOfCudnnToo) {
  compute({Part::kData, Part::kWeight, Part::kBias});
  row(kData);
  row(kWeight);
  row("void calc_bias_diff<2, __half, float, 128, 0>(int)");
  EXPECT_EQ(parts(), (Parts{Part::kData, Part::kWeight, Part::kBias}));
}

TEST_F(ARowsGradient, FollowsFromTheLayoutOfALinearLayersProduct) {
  gradients_.has_weight_layout = true;
  compute({Part::kData, Part::kWeight});
  row(kTransposed);
  row(kProduct);
  EXPECT_EQ(parts(), (Parts{Part::kWeight, Part::kData}));
}

TEST_F(ARowsGradient, IsNotKnownIfOneKernelMayBeEither) {
  compute({Part::kData, Part::kWeight});
  gradients_.is_stated = false;
  row(kProduct);
  EXPECT_EQ(parts(), Parts{});
}

TEST_F(ARowsGradient, IsTheOnlyOneThatIsComputed) {
  compute({Part::kWeight});
  row(kProduct);
  row(kProduct);
  EXPECT_EQ(parts(), (Parts{Part::kWeight, Part::kWeight}));
}

TEST_F(ARowsGradient, IsTheBiasesForASumAndNoneForACopy) {
  compute({Part::kData, Part::kWeight, Part::kBias});
  row(kCopyOfGradient);
  row(kData);
  row(kWeight);
  row(kSumOfGradient);
  EXPECT_EQ(parts(), (Parts{Part::kNone, Part::kData, Part::kWeight, Part::kBias}));
}

TEST_F(ARowsGradient, IsTheMissingOneForALibrarysKernelOfUnknownPurpose) {
  compute({Part::kData, Part::kWeight});
  row(kGrouped);
  row(kWeight);
  EXPECT_EQ(parts(), (Parts{Part::kData, Part::kWeight}));
}

TEST_F(ARowsGradient, IsNotKnownInAnOpOfHundredsOfKernels) {
  compute({Part::kData, Part::kWeight});
  for (int i = 0; i < 1000; ++i) row(kData);
  EXPECT_EQ(parts(), Parts{});
}

}  // namespace
}  // namespace prof
