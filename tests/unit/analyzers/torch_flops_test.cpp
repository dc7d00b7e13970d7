// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// FLOPs compared with PyTorch's own profiler, for the ops it counts. It omits the bias of addmm and
// baddbmm, counts complex products as real ones, and uses an elementwise op's first operand as its
// result; the models do not.
#include <gtest/gtest.h>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"
#include "tests/unit/analyzers/op_examples.hpp"

namespace prof::ops {
namespace {

struct Told {
  std::string_view text;
  double flops;
};

constexpr Told kTold[] = {
#include "tests/unit/analyzers/torch_flops.inc"
};

class TorchFlops : public ::testing::Test {
 protected:
  TorchFlops() {
    register_builtin(ops_);
    dialects::register_builtin(dialects_);
  }

  OpDesc op(std::string_view text) {
    OpExample example;
    example.text = text;
    const auto found = example_op(example, dialects_);
    EXPECT_TRUE(found) << text;
    return found.value_or(OpDesc{});
  }

  Registry ops_;
  dialects::Registry dialects_;
};

TEST_F(TorchFlops, AgreeButForBiasAndBroadcasting) {
  std::size_t broadcast_ops = 0;
  for (const Told& told : kTold) {
    const OpDesc desc = op(told.text);
    const auto got = evaluate(ops_.find(desc.op), desc);
    ASSERT_TRUE(got.cost.flops) << told.text;
    double expected = told.flops;
    if (input(desc, "bias") != nullptr) {
      ASSERT_TRUE(got.gemm) << told.text;
      expected += static_cast<double>(got.gemm->m * got.gemm->n * got.gemm->batch);
    } else if (!got.gemm && told.flops < *got.cost.flops) {
      // Torch took x, which is smaller than the result.
      EXPECT_DOUBLE_EQ(told.flops, elements(desc.tensors.front().shape)) << told.text;
      ++broadcast_ops;
      continue;
    }
    EXPECT_DOUBLE_EQ(*got.cost.flops, expected) << told.text;
  }
  EXPECT_LT(broadcast_ops, std::size(kTold) / 5);
}

TEST_F(TorchFlops, OfConvolutionsAgreeWhereTheResultIsKnown) {
  struct Convolution {
    std::string_view text;
    std::int64_t stride, padding, dilation, groups;
    double flops;
  };
  constexpr Convolution kConvolutions[] = {
      {"conv2d, sizes = [[2, 8, 16, 16], [16, 8, 3, 3], [16], [], [], [], []]", 2, 1, 1, 1, 294912},
      {"conv2d, sizes = [[2, 8, 16, 16], [8, 1, 3, 3], [], [], [], [], []]", 1, 1, 1, 8, 73728},
      {"conv2d, sizes = [[2, 8, 16, 16], [16, 8, 3, 3], [], [], [], [], []]", 1, 0, 2, 1, 663552},
  };
  for (const Convolution& told : kConvolutions) {
    OpDesc desc = op(told.text);
    desc.attrs = {{"stride", told.stride},
                  {"padding", told.padding},
                  {"dilation", told.dilation},
                  {"groups", told.groups}};
    const bool biased = input(desc, "bias") != nullptr;
    const auto got = evaluate(ops_.find(desc.op), desc);
    EXPECT_EQ(got.cost.flops, told.flops + (biased ? 2 * 16 * 8 * 8 : 0)) << told.text;
  }
}

}  // namespace
}  // namespace prof::ops
