// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes are from emit_nvtx on real calls, with long lists shortened.
#include "analyzers/ops/aten_signatures.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// "x:(2,3) =y:(3)"; + is out, = is in and out.
std::string told(std::string_view op, const std::vector<Shape>& shapes) {
  const AtenTensors got = aten_tensors(op, shapes);
  std::string result = got.named ? "" : "?";
  for (const Tensor& tensor : got.tensors) {
    if (!result.empty()) result += ' ';
    if (tensor.role == Tensor::Role::kInOut) result += '=';
    if (tensor.role == Tensor::Role::kOut) result += '+';
    result += tensor.name + ":" + text(tensor.shape);
  }
  return result;
}

TEST(AtenSignatures, NameTensorsByPosition) {
  EXPECT_EQ(told("aten::addmm", {{1024}, {512, 1024}, {1024, 1024}, {}, {}}),
            "bias:(1024) a:(512,1024) b:(1024,1024)");
  EXPECT_EQ(told("aten::linear", {{4, 128, 1024}, {1024, 1024}, {}}),
            "x:(4,128,1024) weight:(1024,1024)");
  EXPECT_EQ(
      told("aten::native_layer_norm_backward", {{4, 8}, {4, 8}, {}, {4, 1}, {4, 1}, {8}, {8}, {}}),
      "dy:(4,8) x:(4,8) mean:(4,1) rstd:(4,1) weight:(8) bias:(8)");
  EXPECT_EQ(told("aten::embedding_dense_backward", {{4, 128, 16}, {4, 128}, {}, {}, {}}),
            "dout:(4,128,16) indices:(4,128)");
  EXPECT_EQ(told("aten::mul", {{4, 16}, {}}), "x:(4,16) other:()");
}

TEST(AtenSignatures, SplitListsOfTensors) {
  EXPECT_EQ(told("aten::cat", {{8, 128}, {8, 351}, {8, 1}, {}}), "x:(8,128) x:(8,351) x:(8,1)");
  EXPECT_EQ(told("aten::_index_put_impl_", {{8, 27, 27}, {351}, {351}, {8, 351}, {}, {}}),
            "=x:(8,27,27) indices:(351) indices:(351) values:(8,351)");
  EXPECT_EQ(told("aten::_foreach_addcdiv_", {{4, 2}, {3}, {4, 2}, {3}, {4, 2}, {3}, {}}),
            "=x:(4,2) =x:(3) tensor1:(4,2) tensor1:(3) tensor2:(4,2) tensor2:(3)");
  EXPECT_EQ(told("aten::_foreach_mul_", {{4, 2}, {3}, {}}), "=x:(4,2) =x:(3)");
  EXPECT_EQ(told("aten::_foreach_mul_", {{4, 2}, {3}, {4, 2}, {3}}),
            "=x:(4,2) =x:(3) other:(4,2) other:(3)");
  EXPECT_EQ(told("aten::lstm", {{5, 4, 16},
                                {2, 4, 8},
                                {2, 4, 8},
                                {32, 16},
                                {32, 8},
                                {32},
                                {32},
                                {},
                                {},
                                {},
                                {},
                                {},
                                {}}),
            "x:(5,4,16) hx:(2,4,8) cx:(2,4,8) w:(32,16) w:(32,8) w:(32) w:(32)");
}

TEST(AtenSignatures, TellFusedOptimizersApartByTheirLists) {
  const std::vector<Shape> parameters = {{4, 2}, {3}};
  std::vector<Shape> shapes;
  for (int list = 0; list < 4; ++list) {
    shapes.insert(shapes.end(), parameters.begin(), parameters.end());
  }
  shapes.insert(shapes.end(), 1 + 2 + 9, {});  // no maximum, two steps, nine numbers
  EXPECT_EQ(told("aten::_fused_adamw_", shapes),
            "=param:(4,2) =param:(3) grad:(4,2) grad:(3) =m:(4,2) =m:(3) =v:(4,2) =v:(3) "
            "step:() step:()");
}

TEST(AtenSignatures, KnowInPlaceAndOutForms) {
  EXPECT_EQ(told("aten::add_", {{4}, {4}, {}}), "=x:(4) other:(4)");
  EXPECT_EQ(told("aten::copy_", {{4, 5}, {5}, {}}), "+dst:(4,5) src:(5)");
  EXPECT_EQ(told("aten::zero_", {{4}}), "+x:(4)");
  EXPECT_EQ(told("aten::mm", {{4, 2}, {2, 3}, {4, 3}}), "a:(4,2) b:(2,3) +out:(4,3)");
  EXPECT_EQ(told("aten::arange", {{}, {}, {}, {}, {}}), "");
}

TEST(AtenSignatures, DoNotNameWhatDoesNotFit) {
  EXPECT_EQ(told("aten::frobnicate", {{4}, {}, {5}}), "? :(4) :(5)");
  EXPECT_EQ(told("aten::softmax", {{4}, {5}}), "? :(4) :(5)") << "a number has no shape";
  EXPECT_EQ(told("aten::_foreach_addcdiv_", {{4}, {5}, {6}, {7}}), "? :(4) :(5) :(6) :(7)");
  EXPECT_EQ(told("", {}), "?");
}

TEST(AtenSignatures, TakeAnyShapes) {
  std::mt19937 random(11);  // NOLINT: the same shapes at every run
  for (const std::string_view op : {"aten::lstm", "_cudnn_rnn", "_fused_adam_", "_foreach_lerp_",
                                    "index", "einsum", "_flash_attention_backward", "cat"}) {
    for (int round = 0; round < 500; ++round) {
      std::vector<Shape> shapes(random() % 30);
      for (Shape& shape : shapes) shape.resize(random() % 3, static_cast<std::int64_t>(2));
      EXPECT_LE(aten_tensors(op, shapes).tensors.size(), shapes.size());
    }
  }
}

TEST(AtenSignatures, GiveArgumentNames) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(aten_argument_names("aten::addmm"), (Names{"bias", "a", "b", "-", "-"}));
  EXPECT_EQ(aten_argument_names("add_"), (Names{"x", "other", "-"}));
  EXPECT_TRUE(aten_argument_names("frobnicate").empty());
}

TEST(AtenWords, KnowTheForwardOp) {
  EXPECT_EQ(forward_word("aten::gelu_backward"), "gelu");
  EXPECT_EQ(forward_word("aten::_softmax_backward_data"), "_softmax");
  EXPECT_EQ(forward_word("embedding_dense_backward"), "embedding");
  EXPECT_EQ(forward_word("aten::linear"), "");
  EXPECT_EQ(forward_word("_backward"), "");
}

TEST(AtenWords, SayWhatAPersonCallsIt) {
  EXPECT_EQ(display_word("aten::linear"), "linear");
  EXPECT_EQ(display_word("aten::native_layer_norm"), "layer_norm");
  EXPECT_EQ(display_word("aten::native_layer_norm_backward"), "layer_norm");
  EXPECT_EQ(display_word("aten::_softmax_backward_data"), "softmax");
  EXPECT_EQ(display_word("aten::cross_entropy_loss"), "cross_entropy");
  EXPECT_EQ(display_word("aten::_scaled_dot_product_flash_attention_backward"),
            "scaled_dot_product_attention");
  EXPECT_EQ(display_word("aten::_fused_adamw_"), "adamw");
  EXPECT_EQ(display_word("c10d::allreduce_"), "all_reduce");
  EXPECT_EQ(display_word("aten::relu_"), "relu");
  EXPECT_EQ(display_word("frobnicate"), "frobnicate");
}

TEST(AtenSignatures, HaveEachWordOnce) {
  // Of a word that is listed twice, the second row would be of no use.
  constexpr std::string_view kTables[] = {
#define PROF_ATEN(words, arguments) words,
#include "analyzers/ops/aten_signatures.inc"
#undef PROF_ATEN
  };
  std::set<std::string_view> seen;
  for (const std::string_view words : kTables) {
    for_each_word(words,
                  [&](std::string_view word) { EXPECT_TRUE(seen.insert(word).second) << word; });
  }
}

}  // namespace
}  // namespace prof::ops
