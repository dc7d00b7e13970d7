// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// FLOPs and bytes that follow from the name of a PyTorch kernel or from the forward op, where the
// op's own text leaves something out. Names are those of PyTorch 2.11 on an H200.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using Whole = std::optional<std::uint64_t>;

class ProvedCosts : public ::testing::Test {
 protected:
  void launch(const std::string& text, const std::string& kernel) {
    if (text.starts_with('{')) {
      trace_.push_op(text);
    } else {
      trace_.push(text);
    }
    trace_.kernel(kernel);
    trace_.pop();
  }

  /// Of the work so far; call it once.
  std::vector<Attribution> attribute() {
    const auto cursor = attribute_work(trace_);
    std::vector<Attribution> rows;
    while (const AttributedRow* item = cursor->next()) rows.push_back(item->attribution);
    return rows;
  }

  fakes::FakeTrace trace_;
};

std::string vectorized(const std::string& function) {
  return "void at::native::vectorized_elementwise_kernel<4, " + function +
         ", std::array<char*, 2ul> >(int, " + function + ", std::array<char*, 2ul>)";
}

std::string converting(const std::string& function) {
  return "void at::native::unrolled_elementwise_kernel<" + function +
         ", std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, "
         "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, "
         "at::native::memory::StoreWithCast<1> >(int)";
}

std::string strided(const std::string& how, const std::string& function) {
  return "void at::native::elementwise_kernel<128, 2, at::native::" + how + function +
         ">(at::TensorIteratorBase&, " + function + " const&)::{lambda(int)#1}>(int)";
}

std::string direct_copy(const std::string& type) {
  return "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
         "const::{lambda()#7}::operator()() const::{lambda(" +
         type + ")#1}";
}

const std::string kToHalf =
    "at::native::float16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}";
const std::string kToBFloat =
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}";
const std::string kToFloat8 =
    "at::native::float8_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#1}::operator()() "
    "const::{lambda(c10::BFloat16)#1}";
const std::string kHalfSumInFloat =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::Half, "
    "at::native::func_wrapper_t<c10::Half, at::native::sum_functor<c10::Half, float, "
    "c10::Half>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
    "c10::Half, 4, 8> >(int)";
const std::string kAddMul = "at::native::binary_internal::MulFunctor<float> >";

TEST_F(ProvedCosts, ACopysNameTellsWhatItReadsAndWrites) {
  launch("aten::copy_, sizes = [[128, 8], [128, 8], []]", vectorized(kToHalf));
  launch("aten::copy_, sizes = [[128, 8], [128, 8], []]", vectorized(kToBFloat));
  launch("aten::copy_, sizes = [[128, 8], [128, 8], []]", vectorized(kToFloat8));
  launch("aten::copy_, sizes = [[128, 8], [128, 8], []]",
         strided("gpu_kernel_impl_nocast<", direct_copy("c10::BFloat16")));
  launch("aten::copy_, sizes = [[128, 8], [128, 8], []]", vectorized(direct_copy("double")));
  launch("aten::_to_copy, sizes = [[128, 8], [], [], [], [], [], []]", vectorized(kToHalf));
  launch("aten::clone, sizes = [[128, 8], []]",
         strided("gpu_kernel_impl_nocast<", direct_copy("long")));
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  const std::uint64_t sizes[][2] = {{4, 2}, {4, 2}, {2, 1}, {2, 2}, {8, 8}, {4, 2}, {8, 8}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].cost.read, 1024 * sizes[i][0]) << i;
    EXPECT_EQ(rows[i].cost.written, 1024 * sizes[i][1]) << i;
    EXPECT_TRUE(rows[i].op->cost.types_from_kernel) << i;
  }
}

TEST_F(ProvedCosts, TheTypeOfACopyIsWhatItsElementFunctionTakes) {
  launch("aten::copy_, sizes = [[8], [8], []]", vectorized(direct_copy("c10::complex<float>")));
  launch("aten::copy_, sizes = [[8], [8], []]", vectorized(direct_copy("short")));
  launch("aten::copy_, sizes = [[8], [8], []]", vectorized(kToBFloat));
  launch("aten::copy_, sizes = [[8], [8], []]", converting(direct_copy("short")));
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op->dtype, DType::kComplex64);
  EXPECT_EQ(rows[1].op->dtype, DType::kInt16);
  EXPECT_EQ(rows[2].op->dtype, DType::kFloat32);
  EXPECT_EQ(rows[3].op->dtype, DType::kUnknown);
}

TEST_F(ProvedCosts, ACopyThatConvertsAsItLoadsProvesOnlyItsResult) {
  launch("aten::copy_, sizes = [[128], [128], []]", converting(direct_copy("float")));
  launch("aten::copy_, sizes = [[128], [128], []]",
         strided("gpu_kernel_impl<", direct_copy("float")));
  launch("aten::copy_, sizes = [[128], [128], []]",
         "void at::native::vectorized_templated_elementwise_kernel<8, " + direct_copy("float") +
             ", std::array<char*, 2ul> >(int)");
  for (const Attribution& row : attribute()) {
    EXPECT_EQ(row.cost.written, 4 * 128);
    EXPECT_EQ(row.cost.read, Whole{});
    EXPECT_EQ(row.cost.bytes, Whole{});
  }
}

TEST_F(ProvedCosts, ElementsOfKnownSizeMoveKnownBytes) {
  const std::string kCat =
      "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
      "namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(at::native::(anonymous "
      "namespace)::OpaqueType<2u>*, int)";
  const std::string kGather =
      "void at::native::_scatter_gather_elementwise_kernel<128, 8, "
      "at::native::_cuda_scatter_gather_internal_kernel<false, at::native::OpaqueType<8>, "
      "long>::operator()<at::native::TensorAssign>(at::TensorIterator&, long, long, long, "
      "at::native::TensorAssign const&)::{lambda(int)#1}>(int)";
  const std::string kAttention =
      "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_"
      "cga1x1x1_kernel0_0";
  const std::string kAttentionBackward =
      "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1_"
      "cga1x1x1_kernel0_0";
  const std::string kSort =
      "void at_cuda_detail::cub::detail::radix_sort::DeviceRadixSortSingleTileKernel<"
      "at_cuda_detail::cub::detail::radix::policy_hub<short, at::cuda::cub::detail::OpaqueType<8>, "
      "unsigned long long>::Policy1000>(int)";
  launch("aten::cat, sizes = [[4, 16], [4, 16], []]", kCat);
  launch("aten::gather, sizes = [[1, 64], [], [1, 32], []]", kGather);
  launch(
      "aten::_cudnn_attention_forward, sizes = [[4, 2, 32, 64], [4, 2, 32, 64], [4, 2, 32, 64], "
      "[], [], [], [], [], [], [], [], [], []]",
      kAttention);
  launch(
      "aten::_cudnn_attention_backward, sizes = [[4, 2, 32, 64], [4, 2, 32, 64], [4, 2, 32, "
      "64], [4, 2, 32, 64], [4, 2, 32, 64], [4, 2, 32, 1], [], [], [], [], [], [], [], [], [], "
      "[]]",
      kAttentionBackward);
  launch("aten::sort, sizes = [[64], [], []]", kSort);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].cost.bytes, 2 * 2 * 128);
  EXPECT_EQ(rows[1].cost.bytes, 8 * 32 + 2 * 8 * 32);
  const std::uint64_t one = 4 * 2 * 32 * 64;
  EXPECT_EQ(rows[2].cost.bytes, 4 * 2 * one);
  EXPECT_EQ(rows[3].cost.bytes, 8 * 2 * one + 4 * 256) << "and float32 for what softmax saved";
  EXPECT_EQ(rows[4].cost.bytes, Whole{}) << "that size is not of the keys";
  EXPECT_EQ(rows[2].op->dtype, DType::kUnknown) << "one of two types";
}

TEST_F(ProvedCosts, AnAccumulatingKernelAdds) {
  const std::string kText =
      "aten::_index_put_impl_, sizes = [[512, 9, 9], [36], [36], [512, 36], [], []]";
  launch(kText,
         "void (anonymous namespace)::indexing_backward_kernel_stride_1<float>(long const*, "
         "long const*, float const*, float*, long, long, long, long, bool)");
  launch(kText,
         "void at::native::index_elementwise_kernel<128, 4, "
         "at::native::gpu_index_kernel<at::native::index_put_kernel_impl<at::native::"
         "OpaqueType<4> >(int)>>(int)");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].cost.flops, 512 * 36);
  EXPECT_EQ(rows[0].basis, Basis::kEstimated);
  EXPECT_EQ(rows[1].cost.flops, 0);
}

TEST_F(ProvedCosts, IntegersDoNoFlops) {
  const std::string kLongs = "at::native::CUDAFunctor_add<long>";
  launch("aten::add, sizes = [[36], [36], []]", vectorized(kLongs));
  launch("aten::add, sizes = [[36], [36], []]", vectorized("at::native::CUDAFunctor_add<float>"));
  launch("aten::add, sizes = [[36], [36], []]", converting(kLongs));
  launch("aten::sum, sizes = [[36], []]",
         "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, "
         "at::native::func_wrapper_t<long, at::native::sum_functor<long, long, "
         "long>::operator()(at::TensorIterator&)::{lambda(long, long)#1}>, unsigned int, long, 4, "
         "4> >(int)");
  launch(R"({"op":"aten::remainder","args":[{"shape":[36],"dtype":"int64"},{"value":9}]})", "k");
  launch(R"({"op":"aten::div","args":[{"shape":[36],"dtype":"int64"},)"
         R"({"shape":[36],"dtype":"int64"}]})",
         "k");
  launch(R"({"op":"aten::lt","args":[{"shape":[36],"dtype":"int64"},)"
         R"({"shape":[36],"dtype":"int32"}]})",
         "k");
  launch(R"({"op":"aten::_int_mm","args":[{"shape":[8,4],"dtype":"int8"},)"
         R"({"shape":[4,2],"dtype":"int8"}]})",
         "k");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0].cost.flops, 0);
  EXPECT_EQ(rows[1].cost.flops, 36);
  EXPECT_EQ(rows[2].cost.flops, 0) << "whatever it loads, it adds integers";
  EXPECT_EQ(rows[2].cost.bytes, Whole{});
  EXPECT_EQ(rows[3].cost.flops, 0);
  EXPECT_EQ(rows[4].cost.flops, 0);
  EXPECT_EQ(rows[5].cost.flops, 36) << "a quotient is a float";
  EXPECT_EQ(rows[6].cost.flops, 0);
  EXPECT_EQ(rows[7].cost.flops, 2 * 8 * 4 * 2) << "products count whatever they multiply";
}

TEST_F(ProvedCosts, WithoutATypeFlopsAreAnEstimate) {
  launch("aten::add, sizes = [[36], [36], []]", "a_kernel");
  launch("aten::add, sizes = [[36], [36], []]", vectorized("at::native::CUDAFunctor_add<float>"));
  launch("aten::_softmax, sizes = [[4, 9], [], []]", "a_kernel");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].cost.flops, 36);
  EXPECT_EQ(rows[0].basis, Basis::kEstimated) << "maybe of integers";
  EXPECT_EQ(rows[1].basis, Basis::kExact);
  EXPECT_EQ(rows[2].basis, Basis::kExact) << "never of integers";
}

TEST_F(ProvedCosts, ANumberIsNotInMemory) {
  const std::string kScale =
      vectorized("at::native::AUnaryFunctor<c10::Half, c10::Half, c10::Half, " + kAddMul);
  launch("aten::mul, sizes = [[4, 32], []]", kScale);
  launch(R"({"op":"aten::mul","args":[{"shape":[4,32],"dtype":"float16"},)"
         R"({"shape":[],"dtype":"float64"}]})",
         kScale);
  launch(R"({"op":"aten::mul","args":[{"shape":[4,32],"dtype":"float16"},{"value":3.0}]})", "k");
  launch(R"({"op":"aten::add_","args":[{"shape":[],"dtype":"int64"},{"shape":[],"dtype":"int64"},)"
         R"({"value":1}]})",
         vectorized("at::native::CUDAFunctorOnSelf_add<long>"));
  launch(R"({"op":"aten::mul","args":[{"shape":[],"dtype":"float32"},)"
         R"({"shape":[],"dtype":"float64"}]})",
         vectorized("at::native::AUnaryFunctor<float, float, float, " + kAddMul));
  launch("aten::mul, sizes = [[4, 32], []]",
         vectorized("at::native::BinaryFunctor<c10::Half, c10::Half, c10::Half, " + kAddMul));
  launch(R"({"op":"aten::masked_fill_","args":[{"shape":[8],"dtype":"float32"},)"
         R"({"shape":[8],"dtype":"bool"},{"value":-1.5}]})",
         "k");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0].cost.bytes, 2 * 2 * 128);
  EXPECT_EQ(rows[1].cost.bytes, 2 * 2 * 128);
  EXPECT_EQ(rows[2].cost.bytes, 2 * 2 * 128);
  EXPECT_EQ(rows[3].cost.bytes, 2 * 8);
  EXPECT_EQ(rows[4].cost.bytes, 2 * 4) << "Python's number is the float64";
  EXPECT_EQ(rows[5].cost.bytes, 2 * 2 * 128 + 2) << "a tensor of one element";
  EXPECT_EQ(rows[6].cost.bytes, 2 * 32 + 8);
  EXPECT_EQ(rows[0].op->params, "T=[(4,32),()]") << "as it was called";
}

TEST_F(ProvedCosts, ForwardOpsTellWhatGradientsSum) {
  launch("aten::linear, seq = 1, op_id = 1, sizes = [[8, 4], [3, 4], [3]]", "gemm");
  launch("aten::add, seq = 2, op_id = 2, sizes = [[4, 32, 8], [1, 32, 8], []]", "add");
  launch("aten::add, seq = 3, op_id = 3, sizes = [[4, 1], [1, 8], []]", "add");
  const auto backward = [&](const std::string& node, const std::string& op,
                            const std::string& kernel) {
    trace_.push(node);
    launch(op, kernel);
    trace_.pop();
  };
  backward("AddmmBackward0, seq = 1", "aten::sum, sizes = [[8, 3], [], [], []]", kHalfSumInFloat);
  backward("AddBackward0, seq = 2", "aten::sum, sizes = [[4, 32, 8], [], [], []]", kHalfSumInFloat);
  backward("AddBackward0, seq = 3", "aten::sum, sizes = [[4, 8], [], [], []]", kHalfSumInFloat);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[3].cost.read, 2 * 24);
  EXPECT_EQ(rows[3].cost.written, 2 * 3);
  EXPECT_EQ(rows[4].cost.written, 2 * 32 * 8);
  EXPECT_EQ(rows[5].cost.written, Whole{}) << "either operand's gradient";
}

TEST_F(ProvedCosts, ForwardOpsTellTheRowsOfAnEmbedding) {
  launch("aten::embedding, seq = 1, op_id = 1, sizes = [[100, 16], [4], [], [], []]", "gather");
  trace_.push("EmbeddingBackward0, seq = 1");
  trace_.push("aten::embedding_backward, sizes = [[4, 16], [4], [], [], [], []]");
  launch("aten::embedding_dense_backward, sizes = [[4, 16], [4], [], [], []]",
         "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float, float, "
         "long>(long const*, float const*, float*, int, long, int)");
  trace_.pop();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].cost.bytes, 4 * 64 + 8 * 4 + 4 * 64);
  EXPECT_EQ(rows[1].op->params, "I=(4),E=(100,16)");
}

TEST_F(ProvedCosts, OptimizersListsMayBeEmptyOrOfScalars) {
  launch(R"({"op":"aten::_fused_adamw_","args":[{"list":[{"shape":[8,4]},{"shape":[6]}]},)"
         R"({"list":[{"shape":[8,4]},{"shape":[6]}]},{"list":[{"shape":[8,4]},{"shape":[6]}]},)"
         R"({"list":[{"shape":[8,4]},{"shape":[6]}]},{"list":[]},{"list":[{"shape":[]},)"
         R"({"shape":[]}]},{"value":0.1},{"value":0.9},{"value":0.9},{"value":0.01},)"
         R"({"value":1e-8},{"value":false},{"value":false},null,null]})",
         "a_float_kernel<float>");
  launch(R"({"op":"aten::_foreach_add_","args":[{"list":[{"shape":[]},{"shape":[]},{"shape":[]}]},)"
         R"({"value":1}]})",
         "a_float_kernel<float>");
  launch(R"({"op":"aten::_foreach_add_","args":[{"list":[]},{"value":1}]})", "a<float>");
  launch(R"({"op":"aten::_amp_foreach_non_finite_check_and_unscale_","args":[{"list":[]},)"
         R"({"shape":[],"dtype":"float32"},{"shape":[],"dtype":"float32"}]})",
         "a<float>");
  launch(R"({"op":"aten::_index_put_impl_","args":[{"shape":[8,9],"dtype":"float32"},null,)"
         R"({"shape":[8,4],"dtype":"float32"},{"value":true},{"value":true}]})",
         "a<float>");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[3].cost.flops, Whole{});
  EXPECT_EQ(rows[3].cost.bytes, Whole{});
  EXPECT_EQ(rows[4].cost.flops, 32);
  EXPECT_EQ(rows[4].cost.bytes, Whole{}) << "how many indices is not known";
  EXPECT_EQ(rows[0].cost.flops, 14 * 38) << "with weight decay";
  EXPECT_EQ(rows[0].cost.bytes, 4 * (4 * 38 + 2 + 3 * 38));
  EXPECT_EQ(rows[1].cost.flops, 3);
  EXPECT_EQ(rows[1].cost.bytes, 2 * 3 * 4);
  EXPECT_EQ(rows[2].cost.flops, Whole{}) << "too long a list for the source";
}

TEST_F(ProvedCosts, ResultsHaveThePromotedType) {
  const auto add = [&](const std::string& x, const std::string& other) {
    launch(R"({"op":"aten::add","args":[{"shape":)" + x + R"("},{"shape":)" + other +
               R"("},{"value":1}]})",
           "k");
  };
  add(R"([8],"dtype":"float16)", R"([8],"dtype":"float32)");
  add(R"([8],"dtype":"float16)", R"([8],"dtype":"bfloat16)");
  add(R"([8],"dtype":"float16)", R"([],"dtype":"float32)");
  add(R"([8],"dtype":"int64)", R"([8],"dtype":"float16)");
  add(R"([8],"dtype":"uint8)", R"([8],"dtype":"int8)");
  add(R"([8],"dtype":"complex64)", R"([8],"dtype":"float64)");
  add(R"([8],"dtype":"int32)", R"([],"dtype":"float64)");
  launch(R"({"op":"aten::exp","args":[{"shape":[8],"dtype":"int32"}]})", "k");
  launch(R"({"op":"aten::abs","args":[{"shape":[8],"dtype":"complex64"}]})", "k");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 9U);
  const std::uint64_t of_result[] = {4, 4, 2, 2, 2, 16};
  for (std::size_t i = 0; i < std::size(of_result); ++i) {
    EXPECT_EQ(rows[i].cost.written, 8 * of_result[i]) << i;
  }
  EXPECT_EQ(rows[6].cost.written, Whole{}) << "a tensor makes a float64, a number a float32";
  EXPECT_EQ(rows[7].cost.written, Whole{}) << "the program's default";
  EXPECT_EQ(rows[8].cost.written, 8 * 4);
}

TEST_F(ProvedCosts, CastsOfOpFactsStateTheirType) {
  launch(R"({"op":"aten::to","args":[{"shape":[8],"dtype":"float16"},{"value":6},{"value":false},)"
         R"({"value":false},null]})",
         converting(direct_copy("float")));
  launch(R"({"op":"aten::_to_copy","args":[{"shape":[8],"dtype":"float32"},{"value":15},null,null,)"
         R"(null,{"value":false},null]})",
         vectorized(kToBFloat));
  launch(R"({"op":"aten::to","args":[{"shape":[8],"dtype":"float16"},)"
         R"({"shape":[2],"dtype":"float64"},{"value":false},{"value":false},null]})",
         "k");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].cost.bytes, 8 * (2 + 4));
  EXPECT_EQ(rows[0].basis, Basis::kExact);
  EXPECT_FALSE(rows[0].op->cost.types_from_kernel);
  EXPECT_EQ(rows[1].cost.bytes, 8 * (4 + 2));
  EXPECT_EQ(rows[2].cost.bytes, 8 * (2 + 8));
}

TEST_F(ProvedCosts, FactoriesDoNoFlops) {
  launch(R"({"op":"aten::arange","args":[{"value":64},null,null,null,{"value":false}]})", "k");
  launch("aten::arange, sizes = [[], [], [], [], []]", "k");
  const auto rows = attribute();
  for (const Attribution& row : rows) EXPECT_EQ(row.cost.flops, 0);
  EXPECT_EQ(rows[0].cost.bytes, 64 * 8);
  EXPECT_EQ(rows[1].cost.bytes, Whole{}) << "of how many numbers is not known";
}

TEST_F(ProvedCosts, PoolingIsAReductionLikeAMean) {
  launch(R"({"op":"aten::adaptive_avg_pool2d","args":[{"shape":[4,8,7,7],"dtype":"float16"},)"
         R"({"value":[1,1]}]})",
         "k");
  launch(R"({"op":"aten::mean","args":[{"shape":[4,8,7,7],"dtype":"float16"},{"value":[-1,-2]},)"
         R"({"value":true},null]})",
         "k");
  const auto rows = attribute();
  EXPECT_EQ(rows[0].cost.flops, 32 * 49 + 32);
  EXPECT_EQ(rows[0].cost.flops, rows[1].cost.flops);
}

}  // namespace
}  // namespace prof
