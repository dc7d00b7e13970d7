// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where PyTorch states only shapes, the element type is the kernel's: exceptions among the
// arguments, and the effect on counts.
#include <gtest/gtest.h>

#include <string>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

Attribution attributed(std::string_view op, std::string_view kernel = "a_half_kernel") {
  fakes::FakeTrace trace;
  trace.push("layer:L");
  trace.push(op);
  trace.kernel(kernel);
  const auto cursor = attribute_work(trace);
  const AttributedRow* item = cursor->next();
  return item == nullptr ? Attribution{} : item->attribution;
}

double bytes(std::string_view op) { return attributed(op).cost.bytes.value_or(-1); }

TEST(ArgumentTypes, MasksAndConditionsAreBools) {
  EXPECT_EQ(bytes("aten::where, sizes = [[8, 16], [8, 16], [8, 16]]"), 128 + 3 * 256);
  EXPECT_EQ(bytes("aten::native_dropout_backward, sizes = [[8, 16], [8, 16], []]"), 128 + 2 * 256);
  EXPECT_EQ(bytes("aten::masked_fill_, sizes = [[8, 16], [8, 16], []]"), 128 + 2 * 256 + 2);
  EXPECT_EQ(bytes("aten::isnan, sizes = [[8, 16]]"), 256 + 128);
  EXPECT_EQ(bytes("aten::logical_and, sizes = [[8, 16], [8, 16]]"), 2 * 256 + 128);
}

TEST(ArgumentTypes, TargetsAreClassesOrValues) {
  EXPECT_EQ(bytes("aten::mse_loss, sizes = [[8, 16], [8, 16], []]"), 2 * 256 + 2);
  EXPECT_EQ(bytes("aten::binary_cross_entropy_with_logits, sizes = [[8, 16], [8, 16], [], [], []]"),
            2 * 256 + 2);
  EXPECT_EQ(bytes("aten::cross_entropy_loss, sizes = [[8, 16], [8], [], [], [], []]"),
            256 + 8 * 8 + 2);
  EXPECT_EQ(bytes("aten::cross_entropy_loss, sizes = [[8, 16], [8, 16], [], [], [], []]"),
            2 * 256 + 2)
      << "probabilities";
  EXPECT_EQ(bytes("aten::nll_loss_forward, sizes = [[8, 16], [8], [], [], []]"), 8 * 2 + 8 * 8 + 2);
  EXPECT_EQ(bytes("aten::multilabel_margin_loss, sizes = [[8, 16], [8, 16], []]"),
            256 + 128 * 8 + 2);
}

TEST(ArgumentTypes, OffsetsAreWholeNumbers) {
  EXPECT_EQ(bytes("aten::embedding_bag, sizes = [[32, 16], [32], [4], [], [], [], [], [], []]"),
            32 * 8 + 4 * 8 + 32 * 16 * 2 + 4 * 16 * 2);
}

TEST(ArgumentTypes, FillsWriteTheKernelsType) {
  constexpr std::string_view kFloats =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
      "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_"
      "T1_";
  constexpr std::string_view kLongs =
      "_ZN2at6native29vectorized_elementwise_kernelILi2ENS0_"
      "11FillFunctorIlEESt5arrayIPcLm1EEEEviT0_"
      "T1_";
  const Attribution floats = attributed("aten::fill_, sizes = [[512, 30528], []]", kFloats);
  EXPECT_EQ(floats.cost.bytes, 512.0 * 30528 * 4);
  EXPECT_EQ(floats.cost.read, 0);
  EXPECT_TRUE(floats.op->cost.types_from_kernel);
  EXPECT_EQ(attributed("aten::fill_, sizes = [[4, 128], []]", kLongs).cost.bytes, 512 * 8);
  EXPECT_EQ(
      attributed("aten::ones_like, sizes = [[4, 128], [], [], [], [], []]", kLongs).cost.bytes,
      512 * 8);
  // A copy may convert: the kernel's type is that of one side.
  EXPECT_FALSE(attributed("aten::copy_, sizes = [[8, 16], [8, 16], []]").cost.bytes);
}

// Autocast leaves the parameters in float32, which cuDNN requires; PyTorch's own kernels also take
// halves.
TEST(ArgumentTypes, ParametersOfABatchNormMayHaveAnotherType) {
  constexpr std::string_view kSizes = ", sizes = [[2, 8, 4, 4], [8], [8], [8], [8], [], [], []]";
  constexpr std::string_view kHalf =
      "void cudnn::batchnorm_fwtr_nhwc_semiPersist<__half, float, "
      "__half, 512, 16, 5, 4, 1, 1, false>(int)";
  const std::string cudnn = "aten::cudnn_batch_norm" + std::string(kSizes);
  const std::string native = "aten::native_batch_norm" + std::string(kSizes);
  EXPECT_EQ(attributed(cudnn, kHalf).cost.bytes, 2 * 2 * 256 + 4 * 4 * 8);
  EXPECT_EQ(attributed(native, "a_half_kernel").cost.bytes, std::nullopt);
  EXPECT_EQ(attributed(native, "a_kernel<float>").cost.bytes, 4 * (2 * 256 + 4 * 8));

  fakes::FakeTrace called;
  called.push("layer:L");
  called.push("aten::batch_norm, sizes = [[2, 8, 4, 4], [8], [8], [8], [8], [], [], [], []]");
  called.push(cudnn);
  called.kernel(kHalf);
  const auto cursor = attribute_work(called);
  EXPECT_EQ(cursor->next()->attribution.cost.bytes, 2 * 2 * 256 + 4 * 4 * 8)
      << "as the program calls it";
}

// A functor holds the number; the kernel reads the other operand alone.
TEST(ArgumentTypes, NumbersOfTheProgramAreNotInMemory) {
  const auto kernel = [](const std::string& functor) {
    return "void at::native::vectorized_elementwise_kernel<4, at::native::" + functor +
           "<float, float, float, at::native::binary_internal::MulFunctor<float> >, "
           "std::array<char*, 2ul> >(int)";
  };
  constexpr std::string_view kDivision = "aten::div, sizes = [[512], []]";
  EXPECT_EQ(attributed(kDivision, kernel("BUnaryFunctor")).cost.bytes, 2 * 2048);
  EXPECT_EQ(attributed(kDivision, kernel("BinaryFunctor")).cost.bytes, 2 * 2048 + 4)
      << "a tensor on the GPU";
  EXPECT_EQ(attributed("aten::div, sizes = [[], []]", kernel("BUnaryFunctor")).cost.bytes, 2 * 4)
      << "whichever of them is the number";
  EXPECT_EQ(attributed("aten::add_, sizes = [[], [], []]",
                       "void at::native::vectorized_elementwise_kernel<2, "
                       "at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >(int)")
                .cost.bytes,
            2 * 8);
}

// An index op makes indices on its way.
TEST(ArgumentTypes, IntegersAreOfTheOpThatLaunchesTheKernel) {
  constexpr std::string_view kCounts = "void a_kernel<at::native::FillFunctor<long> >(int)";
  fakes::FakeTrace trace;
  trace.push("layer:L");
  trace.push("aten::index, op_id = 5, sizes = [[8, 16], [4]]");
  trace.push("aten::arange, op_id = 6, sizes = [[], [], []]");
  trace.kernel(kCounts);
  trace.pop();
  trace.push("aten::copy_, op_id = 7, sizes = [[4], [4], []]");
  trace.kernel(kCounts);
  trace.pop();
  trace.pop();
  trace.push("aten::arange, op_id = 8, sizes = [[], [], []]");
  trace.kernel(kCounts);
  const auto cursor = attribute_work(trace);
  EXPECT_EQ(cursor->next()->attribution.op->dtype, DType::kUnknown);
  EXPECT_EQ(cursor->next()->attribution.op->dtype, DType::kInt64) << "a copy of its operand";
  EXPECT_EQ(cursor->next()->attribution.op->dtype, DType::kInt64);
}

// The gradient of a table numbers its rows before it sorts them.
TEST(ArgumentTypes, WhatAnOpFillsForItsOwnUseHasATypeOfItsOwn) {
  fakes::FakeTrace trace;
  trace.push("layer:L");
  trace.push_op(
      R"({"op":"aten::embedding_dense_backward","args":[{"shape":[4,16],"dtype":"float32"},)"
      R"({"shape":[4],"dtype":"int64"},{"value":8},{"value":-1},{"value":false}]})");
  trace.push_op(R"({"op":"aten::arange","args":[{"value":0},{"value":4},{"value":1},)"
                R"({"shape":[0],"dtype":"int64","strides":[1]}]})");
  trace.kernel("k");
  trace.pop();
  trace.kernel("k");
  const auto cursor = attribute_work(trace);
  EXPECT_EQ(cursor->next()->attribution.op->dtype, DType::kInt64);
  EXPECT_EQ(cursor->next()->attribution.op->dtype, DType::kFloat32);
}

TEST(ArgumentTypes, ReadAndWrittenAddUp) {
  const Attribution got = attributed("aten::mm, sizes = [[64, 32], [32, 16]]");
  EXPECT_EQ(got.cost.read, 2 * (64 * 32 + 32 * 16));
  EXPECT_EQ(got.cost.written, 2 * 64 * 16);
  EXPECT_EQ(got.cost.bytes, *got.cost.read + *got.cost.written);
  EXPECT_EQ(got.op->cost.basis, Basis::kExact) << "the FLOPs need no element type";
  EXPECT_TRUE(got.op->cost.types_from_kernel);
}

TEST(ArgumentTypes, ComplexProductsCountFourfold) {
  const std::string_view mm = "aten::mm, sizes = [[64, 32], [32, 16]]";
  EXPECT_EQ(attributed(mm, "ampere_sgemm_64x64_nn").cost.flops, 2 * 64 * 32 * 16);
  const Attribution complex = attributed(mm, "ampere_cgemm_64x64_nn");
  EXPECT_EQ(complex.cost.flops, 8 * 64 * 32 * 16);
  EXPECT_EQ(complex.cost.bytes, 8 * (64 * 32 + 32 * 16 + 64 * 16));
  EXPECT_EQ(complex.op->cost.basis, Basis::kEstimated);
}

TEST(ArgumentTypes, FourBitFloatsArePairs) {
  const Attribution got =
      attributed("aten::_scaled_mm, sizes = [[64, 16], [16, 32], [], [], [], [], [], []]",
                 "nvjet_sm100_ootst_128x128_256x7_4x1_2cta_v_bz_Avec16UE4M3_Bvec16UE4M3_TNT");
  EXPECT_EQ(got.cost.flops, 2 * 64 * 32 * 32);
  EXPECT_EQ(got.op->params, "M=32,N=64,K=32");
}

}  // namespace
}  // namespace prof
