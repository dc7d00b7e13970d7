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

TEST(AtenSignatures, TellVersionsOfALibraryApartByDimensions) {
  // Transformer Engine 2, 1.13 and 1.3, the last two with copies of the weight in 8 bits or
  // without.
  const Shape weight{384, 128}, x{64, 128}, bias{384};
  const std::string told_linear = "weight:(384,128) x:(64,128) bias:(384)";
  EXPECT_EQ(told("_Linear", {weight, x, bias, {}, {}, {}}), told_linear);
  EXPECT_EQ(told("_Linear", {weight, {}, x, bias, {}, {}}), told_linear);
  EXPECT_EQ(told("_Linear", {weight, weight, x, bias, {}, {}}), told_linear);
  EXPECT_EQ(told("_Linear", {weight, {}, {}, x, bias, {}}), told_linear);
  EXPECT_EQ(told("_Linear", {weight, weight, {128, 384}, x, bias, {}}), told_linear);
  EXPECT_EQ(told("_Linear", {weight, x, {}, {}, {}}), "weight:(384,128) x:(64,128)");
  EXPECT_EQ(told("_Linear", {x, bias}), "? :(64,128) :(384)");

  const Shape q{64, 2, 8, 32}, starts{3};
  const std::string told_attention =
      "cum_q:(3) cum_k:(3) q:(64,2,8,32) k:(64,2,8,32) v:(64,2,8,32)";
  EXPECT_EQ(told("FusedAttnFunc", {{}, {}, {}, starts, starts, {}, {}, {}, {}, q, q, q, {}, {}}),
            told_attention);
  EXPECT_EQ(told("FusedAttnFunc", {{}, {}, {}, starts, starts, starts, starts, q, q, q, {}, {}}),
            told_attention);
  EXPECT_EQ(told("FusedAttnFunc", {{}, {}, {}, starts, starts, q, q, q, {}, {}}), told_attention);
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

/// "stride=2,2 groups=1"
std::string values_told(std::string_view op, const std::vector<Shape>& shapes,
                        const std::vector<AtenValue>& values) {
  std::string result;
  for (const auto& [name, value] : aten_tensors(op, shapes, {}, values).values) {
    if (!result.empty()) result += ' ';
    result += name + "=";
    if (const auto* text = std::get_if<std::string>(&value)) result += *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) result += std::to_string(*number);
    if (const auto* flag = std::get_if<bool>(&value)) result += *flag ? "true" : "false";
  }
  return result;
}

TEST(AtenSignatures, NameValuesByPosition) {
  const auto n = [](std::int64_t number) { return AtenValue(number); };
  const auto list = [](const char* numbers) { return AtenValue(std::string(numbers)); };
  const AtenValue none;
  EXPECT_EQ(values_told("aten::conv2d", {{2, 3, 8, 8}, {4, 3, 3, 3}, {4}, {}, {}, {}, {}},
                        {none, none, none, list("2,2"), list("1,1"), list("1,1"), n(1)}),
            "dilation=1,1 groups=1 padding=1,1 stride=2,2");
  // Numbers with a meaning.
  EXPECT_EQ(values_told("aten::mse_loss", {{4}, {4}, {}}, {none, none, n(2)}), "reduction=sum");
  EXPECT_EQ(values_told("aten::mse_loss", {{4}, {4}, {}}, {none, none, n(3)}), "");
  EXPECT_EQ(values_told("aten::sum", {{4}, {}, {}, {}}, {none, list("0"), AtenValue(true), n(15)}),
            "dim=0 dtype=bfloat16 keepdim=true");
  // Another overload has a type there, and no dimensions.
  EXPECT_EQ(values_told("aten::sum", {{4}, {}}, {none, n(6)}), "dim= dtype=float32");
  EXPECT_EQ(values_told("aten::max", {{4}}, {none}), "dim=");
  EXPECT_EQ(values_told("aten::max", {{4}, {}, {}}, {none, n(0), AtenValue(false)}),
            "dim=0 keepdim=false");
  EXPECT_EQ(values_told("aten::max", {{4}, {4}}, {none, none}), "");
  // A version with other arguments, and a source that states no values.
  EXPECT_EQ(values_told("aten::sum", {{4}, {}, {}}, {none, n(0), n(1)}), "");
  EXPECT_EQ(values_told("aten::max", {{4}}, {}), "");
  // After a list of tensors, and before an output.
  EXPECT_EQ(values_told("aten::index_put_", {{4}, {2}, {2}, {}}, {none, none, none, true}),
            "accumulate=true");
  EXPECT_EQ(values_told("aten::avg_pool1d", {{2, 8, 4}, {}, {}, {}, {}, {}, {2, 8, 2}},
                        {none, list("2"), list(""), list("0"), false, true, none}),
            "ceil_mode=false kernel_size=2 padding=0 stride=");
}

TEST(AtenSignatures, GiveArguments) {
  const auto told = [](std::string_view op) {
    std::string result;
    for (const AtenArgument& argument : aten_arguments(op)) {
      if (!result.empty()) result += ' ';
      if (!argument.tensor) result += '-';
      if (argument.role == Tensor::Role::kOut) result += '+';
      result += argument.name;
      if (argument.list) result += '*';
    }
    return result;
  };
  EXPECT_EQ(told("aten::addmm"), "bias a b - -");
  EXPECT_EQ(told("add_"), "x other -");
  EXPECT_EQ(told("sum"), "x -dim -keepdim -dtype");
  EXPECT_EQ(told("aten::copy_"), "+dst src -");
  EXPECT_EQ(told("cat"), "x* -");
  EXPECT_EQ(told("frobnicate"), "");
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
