// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types that only the names of PyTorch's kernels tell, as emit_nvtx states none.
#include <gtest/gtest.h>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

class KernelTypesOfTorch : public fakes::AttributedProgram {};

// Names and shapes of one step of BERT under fp16 autocast in PyTorch 2.11 (torch_bert.jsonl.gz),
// whose truth is 2 x 4 bytes read and 2 written for an element.
TEST_F(KernelTypesOfTorch, ASoftmaxsNameTellsTheTypesThatItReadsAndWrites) {
  const std::string mul =
      "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
      "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, "
      "at::native::BinaryFunctor<float, float, float, "
      "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>)";
  const std::string softmax =
      "void (anonymous namespace)::softmax_warp_backward<float, c10::Half, float, 7, false, "
      "false>(c10::Half*, float const*, float const*, int, int, int, bool const*)";
  trace_.push(
      "aten::_softmax_backward_data, op_id = 5, sizes = [[4, 16, 128, 128], [4, 16, 128, 128], "
      "[], []]");
  trace_.push("aten::mul, op_id = 6, sizes = [[4, 16, 128, 128], [4, 16, 128, 128]]");
  trace_.kernel(mul);
  trace_.pop();
  trace_.kernel(softmax);
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  const double elements = 4 * 16 * 128 * 128;
  EXPECT_EQ(rows[0].own.cost.bytes, 12 * elements) << "the product is an op of its own";
  EXPECT_EQ(rows[1].own.cost.read, 8 * elements);
  EXPECT_EQ(rows[1].own.cost.written, 2 * elements);
}

TEST_F(KernelTypesOfTorch, AKernelOfStridedTensorsThatConvertsProvesNoType) {
  const std::string functor =
      "at::native::BinaryFunctor<float, float, float, "
      "at::native::binary_internal::MulFunctor<float> "
      "> >(at::TensorIteratorBase&, int)::{lambda(int)#1}>(int, int)";
  for (const char* const how : {"gpu_kernel_impl<", "gpu_kernel_impl_nocast<"}) {
    trace_.push("aten::mul, sizes = [[4, 8, 64, 32], [1, 1, 64, 32]]");
    trace_.kernel("void at::native::elementwise_kernel<128, 4, at::native::" + std::string(how) +
                  functor);
    trace_.pop();
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].own.cost.bytes);
  EXPECT_EQ(rows[1].own.cost.read, 4 * (4 * 8 * 64 * 32 + 64 * 32));
}

// The outer op's input is a half, and so would be its result.
TEST_F(KernelTypesOfTorch, ASoftmaxsNameTellsTheTypeOfAResultThatAutocastConverts) {
  trace_.push("aten::softmax, op_id = 5, sizes = [[4, 16, 128, 128], [], []]");
  trace_.push("aten::_softmax, op_id = 6, sizes = [[4, 16, 128, 128], [], []]");
  trace_.kernel(
      "void (anonymous namespace)::softmax_warp_forward<c10::Half, float, float, 7, false, "
      "false>(float*, c10::Half const*, int, int, int, bool const*, int, bool)");
  trace_.pop();
  trace_.pop();
  const auto rows = attribute();
  const double elements = 4 * 16 * 128 * 128;
  EXPECT_EQ(rows[0].own.cost.read, 2 * elements);
  EXPECT_EQ(rows[0].own.cost.written, 4 * elements);
  EXPECT_TRUE(rows[0].op.cost.types_from_kernel);
}

TEST_F(KernelTypesOfTorch, AKernelThatConvertsProvesNoType) {
  const std::string add =
      "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
      "std::array<char*, 3ul>, 4, TrivialOffsetCalculator<2, unsigned int>, "
      "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<2>, "
      "at::native::memory::StoreWithCast<1> >(int)";
  trace_.push("aten::add, seq = 5, op_id = 5, sizes = [[4, 128, 1024], [4, 128, 1024], []]");
  trace_.kernel(add);
  trace_.pop();
  const auto rows = attribute();
  EXPECT_EQ(rows[0].own.cost.bytes, std::nullopt);
  EXPECT_EQ(rows[0].op.dtype, DType::kUnknown) << "one of the operands is a half";
  EXPECT_EQ(rows[0].own.cost.flops, 4 * 128 * 1024);
}

// Its name has the float32 of the statistics alone; the operands are 16-bit floats.
TEST_F(KernelTypesOfTorch, HelpersOfCudnnsAttentionProveNoType) {
  trace_.push("aten::_cudnn_attention_backward, op_id = 5, sizes = [[4, 2, 32, 64]]");
  trace_.kernel(
      "void cudnn::fusion::convert_dq_to_16bits<true>(void const*, void*, unsigned int, "
      "unsigned int, float const*, float const*, float*, void const*, void*, bool)");
  trace_.pop();
  const auto rows = attribute();
  EXPECT_EQ(rows[0].op.dtype, DType::kUnknown);
  EXPECT_EQ(rows[0].own.cost.bytes, std::nullopt);
}

}  // namespace
}  // namespace prof
