// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What ops cost whose arguments PyProf's markers state: arguments by position and by keyword, in
// PyProf's wording. Numbers are by hand.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "tests/unit/analyzers/pyprof_marker.hpp"

namespace prof {
namespace {

using fakes::pyprof::kFunctional;
using fakes::pyprof::marker;
using fakes::pyprof::no;
using fakes::pyprof::none;
using fakes::pyprof::tensor;
using fakes::pyprof::tuple;
using fakes::pyprof::value;
using fakes::pyprof::whole;
using fakes::pyprof::yes;

class PyProfCosts : public ::testing::Test {
 protected:
  PyProfCosts() { dialects::register_builtin(dialects_); }

  OpDesc op(std::string_view module, std::string_view function,
            const std::vector<std::string>& arguments) {
    const std::string text = marker(module, function, arguments);
    const auto meaning = dialects_.parse({text, {}, true});
    EXPECT_TRUE(meaning.problem.empty()) << text;
    return meaning.op() == nullptr ? OpDesc{} : *meaning.op();
  }

  OpCost cost(std::string_view module, std::string_view function,
              const std::vector<std::string>& arguments) {
    return ops_.facts_of(ops::as_called(op(module, function, arguments))).cost;
  }

  dialects::Registry dialects_;
  ops::OpCatalog ops_;
};

TEST_F(PyProfCosts, ConvolutionsUseWhatIsPassedByPosition) {
  // The first layer of a ResNet: 28.6 GFLOP without its stride and padding.
  const auto x = tensor("32, 3, 224, 224"), w = tensor("64, 3, 7, 7");
  const double flops = 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7;
  const double bytes = 2.0 * (32 * 3 * 224 * 224 + 64 * 3 * 49 + 32 * 64 * 112 * 112);
  for (const std::string_view module : {kFunctional, std::string_view("torch")}) {
    const OpCost got = cost(module, "conv2d",
                            {x, w, none(), tuple("2, 2"), tuple("3, 3"), tuple("1, 1"), whole(1)});
    EXPECT_EQ(got.flops, flops);
    EXPECT_EQ(got.bytes, bytes);
    EXPECT_EQ(got.basis, Basis::kExact);
  }
  EXPECT_EQ(cost(kFunctional, "conv2d", {x, w, none(), whole(2), whole(3)}).flops, flops);
  EXPECT_EQ(cost(kFunctional, "conv2d",
                 {x, w, whole(2, "stride"), tuple("3, 3", "padding"), none("bias")})
                .flops,
            flops);
  EXPECT_EQ(
      cost(kFunctional, "conv2d",
           {x, tensor("64, 3, 7, 7", "float16", "weight"), whole(2, "stride"), whole(3, "padding")})
          .flops,
      flops);
  // Its defaults are those of PyTorch.
  EXPECT_EQ(cost(kFunctional, "conv2d", {x, w}).flops, 2.0 * 32 * 64 * 218 * 218 * 147);
  // Grouped and dilated, with a bias; `same` keeps the size.
  EXPECT_EQ(cost(kFunctional, "conv1d",
                 {tensor("2, 8, 16"), tensor("8, 1, 3"), tensor("8,"), tuple("1,"), tuple("0,"),
                  tuple("2,"), whole(8)})
                .flops,
            2.0 * 8 * 12 * (2 * 3 + 1));
  EXPECT_EQ(cost(kFunctional, "conv1d",
                 {tensor("2, 4, 16"), tensor("8, 4, 3"), none(), whole(1), value("str", "'same'"),
                  whole(2)})
                .flops,
            2.0 * 2 * 8 * 16 * 4 * 3);
  // The transposed convolution has its groups before its dilation.
  const OpCost transposed = cost(kFunctional, "conv_transpose2d",
                                 {tensor("2, 8, 8, 8"), tensor("8, 4, 3, 3"), none(), whole(2),
                                  whole(1), whole(1), whole(1), whole(1)});
  EXPECT_EQ(transposed.flops, 2.0 * 2 * 8 * 64 * 4 * 9);
  EXPECT_EQ(transposed.bytes, 2.0 * (2 * 8 * 64 + 8 * 4 * 9 + 2 * 4 * 16 * 16));
}

TEST_F(PyProfCosts, WhatCannotBeReadHasNoCost) {
  const auto x = tensor("2, 4, 16, 16"), w = tensor("8, 4, 3, 3");
  EXPECT_FALSE(cost(kFunctional, "conv2d", {x, w, none(), value("list", "['a']")}).flops);
  // No signature of the function takes these.
  EXPECT_FALSE(cost(kFunctional, "conv2d", {x}).flops);
  EXPECT_FALSE(cost(kFunctional, "conv2d", {x, w, w, x}).flops);
  EXPECT_FALSE(cost(kFunctional, "conv2d", {x, w, whole(2, "step")}).flops);
  EXPECT_FALSE(cost("torch", "where", {tensor("8,", "bool")}).bytes) << "nonzero";
}

TEST_F(PyProfCosts, PoolingUsesWhatIsPassedByPosition) {
  const auto x = tensor("2, 8, 16, 16");
  const OpCost most =
      cost(kFunctional, "max_pool2d", {x, whole(3), whole(2), whole(1), whole(1), no(), no()});
  EXPECT_EQ(most.flops, 16.0 * 64 * 9);
  EXPECT_EQ(most.bytes, 2.0 * 16 * 256 + (2 + 8) * 16.0 * 64) << "with its indices";
  EXPECT_EQ(cost(kFunctional, "max_pool2d", {x, whole(2)}).flops, 16.0 * 64 * 4)
      << "the stride is the window";
  EXPECT_EQ(cost(kFunctional, "max_pool2d", {x, whole(2), none()}).flops, 16.0 * 64 * 4);
  const OpCost mean =
      cost(kFunctional, "avg_pool2d", {x, tuple("2, 2"), none(), whole(0), no(), yes()});
  EXPECT_EQ(mean.flops, 16.0 * 64 * 5);
  EXPECT_EQ(mean.bytes, 2.0 * 16 * (256 + 64));
  EXPECT_EQ(cost(kFunctional, "adaptive_avg_pool2d", {x, tuple("1, 1")}).bytes,
            2.0 * 16 * (256 + 1));
}

TEST_F(PyProfCosts, AttentionUsesWhatIsPassedByPosition) {
  const auto q = tensor("2, 4, 64, 32");
  const double all = 8.0 * 64 * 64;
  const OpCost causal = cost(kFunctional, "scaled_dot_product_attention",
                             {q, q, q, none(), value("float", "0.0"), yes()});
  EXPECT_EQ(causal.flops, 8.0 * 2080 * (128 + 6));
  EXPECT_EQ(causal.basis, Basis::kExact);
  const OpCost dropped =
      cost(kFunctional, "scaled_dot_product_attention", {q, q, q, none(), value("float", "0.1")});
  EXPECT_EQ(dropped.flops, all * (128 + 8));
  const OpCost masked = cost(kFunctional, "scaled_dot_product_attention",
                             {q, q, q, tensor("64, 64", "bool"), value("float", "0.0"), no()});
  EXPECT_EQ(masked.flops, all * (128 + 6));
  EXPECT_EQ(masked.bytes, 2.0 * 4 * 16384 + 4096);
  EXPECT_EQ(masked.basis, Basis::kEstimated) << "a mask may leave pairs out";
  EXPECT_EQ(
      cost(kFunctional, "scaled_dot_product_attention",
           {tensor("2, 4, 64, 32", "float16", "query"), tensor("2, 4, 64, 32", "float16", "key"),
            tensor("2, 4, 64, 32", "float16", "value"), yes("is_causal")})
          .flops,
      8.0 * 2080 * (128 + 6));
}

TEST_F(PyProfCosts, AnEmbeddingTakesItsIndicesFirst) {
  const auto indices = tensor("4, 128", "int64"), table = tensor("30528, 1024");
  const double bytes = 512.0 * 8 + 2 * 512 * 1024 * 2.0;
  EXPECT_EQ(cost(kFunctional, "embedding", {indices, table}).bytes, bytes);
  EXPECT_EQ(cost(kFunctional, "embedding",
                 {indices, table, whole(0), none(), value("float", "2.0"), no(), no()})
                .bytes,
            bytes);
  EXPECT_EQ(cost("torch", "embedding", {table, indices}).bytes, bytes);
  const OpCost bag =
      cost(kFunctional, "embedding_bag",
           {tensor("32,", "int64"), tensor("1000, 16", "float32"), tensor("4,", "int64")});
  EXPECT_EQ(bag.flops, 32 * 16 + 4 * 16) << "the mean is the default";
  EXPECT_EQ(bag.bytes, 32 * 8 + 4 * 8 + 32 * 16 * 4 + 4 * 16 * 4);
}

TEST_F(PyProfCosts, InPlaceOpsCountOnce) {
  const auto x = tensor("8, 16", "float32");
  EXPECT_EQ(cost("Tensor", "copy_", {x, tensor("8, 16")}).bytes, 128 * (4 + 2));
  const OpCost scattered =
      cost("Tensor", "masked_scatter_", {x, tensor("8, 16", "bool"), tensor("62,", "float32")});
  EXPECT_EQ(scattered.read, 128 + 62 * 4);
  EXPECT_EQ(scattered.written, 62 * 4);
  EXPECT_EQ(cost("Tensor", "add_", {x, x}).bytes, 3 * 512);
  EXPECT_EQ(cost("Tensor", "fill_", {x, value("float", "1.0")}).bytes, 512);
  EXPECT_EQ(cost("Tensor", "zero_", {x}).bytes, 512);
  EXPECT_EQ(cost("Tensor", "normal_", {x, whole(0), whole(1)}).bytes, 512);
  EXPECT_EQ(
      cost("Tensor", "index_add_", {x, whole(0), tensor("4,", "int64"), tensor("4, 16", "float32")})
          .bytes,
      32 + 3 * 256);
  EXPECT_EQ(cost("Tensor", "index_put_",
                 {x, tensor("4,", "int64"), tensor("4,", "int64"), tensor("4,", "float32")})
                .bytes,
            64 + 16 + 16);
}

TEST_F(PyProfCosts, OperatorsAreTheirFunctions) {
  const auto x = tensor("8, 16", "float32"), y = tensor("16,", "float32");
  struct Operator {
    std::string_view method, shown;
    double result;  ///< Bytes of an element of the result.
  };
  constexpr Operator kOperators[] = {
      {"__add__", "add", 4},
      {"__radd__", "add", 4},
      {"__iadd__", "add", 4},
      {"__sub__", "sub", 4},
      {"__rsub__", "rsub", 4},
      {"__isub__", "sub", 4},
      {"__mul__", "mul", 4},
      {"__rmul__", "mul", 4},
      {"__imul__", "mul", 4},
      {"__truediv__", "div", 4},
      {"__rtruediv__", "div", 4},
      {"__itruediv__", "div", 4},
      {"__div__", "div", 4},
      {"__rdiv__", "div", 4},
      {"__idiv__", "div", 4},
      {"__floordiv__", "floor_divide", 4},
      {"__rfloordiv__", "floor_divide", 4},
      {"__mod__", "remainder", 4},
      {"__rmod__", "remainder", 4},
      {"__imod__", "remainder", 4},
      {"__pow__", "pow", 4},
      {"__rpow__", "pow", 4},
      {"__ipow__", "pow", 4},
      {"__eq__", "eq", 1},
      {"__ne__", "ne", 1},
      {"__lt__", "lt", 1},
      {"__le__", "le", 1},
      {"__gt__", "gt", 1},
      {"__ge__", "ge", 1},
      {"__and__", "bitwise_and", 4},
      {"__rand__", "bitwise_and", 4},
      {"__iand__", "bitwise_and", 4},
      {"__or__", "bitwise_or", 4},
      {"__ror__", "bitwise_or", 4},
      {"__xor__", "bitwise_xor", 4},
      {"__rxor__", "bitwise_xor", 4},
      {"__lshift__", "bitwise_left_shift", 4},
      {"__rshift__", "bitwise_right_shift", 4},
  };
  for (const Operator& known : kOperators) {
    EXPECT_EQ(ops::word_for_people(op("Tensor", known.method, {x, y})), known.shown);
    const OpCost got = cost("Tensor", known.method, {x, y});
    EXPECT_EQ(got.flops, 128) << known.method;
    EXPECT_EQ(got.bytes, 512 + 64 + 128 * known.result) << known.method;
    EXPECT_EQ(cost("Tensor", known.method, {x, value("float", "2.0")}).bytes,
              512 + 128 * known.result)
        << known.method;
  }
  for (const std::string_view method : {"__neg__", "__abs__", "__invert__"}) {
    EXPECT_EQ(cost("Tensor", method, {x}).flops, 128) << method;
    EXPECT_EQ(cost("Tensor", method, {x}).bytes, 1024) << method;
  }
  EXPECT_FALSE(cost("Tensor", "__truediv__", {tensor("8,", "int64"), whole(2)}).bytes)
      << "the result's type is the program's default";
  const auto wholes = tensor("8,", "int64"), bools = tensor("8,", "bool");
  EXPECT_EQ(cost("Tensor", "__mul__", {wholes, whole(2)}).bytes, 128);
  EXPECT_FALSE(cost("Tensor", "__mul__", {wholes, value("float", "2.0")}).bytes) << "a float";
  EXPECT_FALSE(cost("Tensor", "__mul__", {bools, whole(2)}).bytes) << "an integer";
  const OpCost sum = cost("Tensor", "__add__", {wholes, tensor("8,", "int32")});
  EXPECT_EQ(sum.bytes, 64 + 32 + 64) << "the wider type";
  EXPECT_EQ(sum.flops, 0) << "of integers";
  EXPECT_EQ(cost("Tensor", "__gt__", {wholes, value("float", "0.5")}).bytes, 64 + 8);
  EXPECT_EQ(cost("torch", "where", {bools, wholes, wholes}).bytes, 8 + 3 * 64);
}

TEST_F(PyProfCosts, ProductsKnowTheirSides) {
  const auto a = tensor("8, 32, 128", "float32"), b = tensor("8, 128, 256", "float32");
  const double flops = 2.0 * 8 * 32 * 128 * 256;
  const double bytes = 4.0 * 8 * (32 * 128 + 128 * 256 + 32 * 256);
  for (const std::string_view method : {"matmul", "__matmul__", "bmm"}) {
    EXPECT_EQ(cost("Tensor", method, {a, b}).flops, flops) << method;
    EXPECT_EQ(cost("Tensor", method, {a, b}).bytes, bytes) << method;
  }
  EXPECT_EQ(cost("Tensor", "__rmatmul__", {b, a}).flops, flops);
  EXPECT_EQ(cost("torch", "matmul", {a, tensor("8, 128, 256", "float32", "other")}).flops, flops);
  const auto bias = tensor("16,"), x = tensor("64, 32"), w = tensor("32, 16");
  EXPECT_EQ(cost("torch", "addmm", {bias, x, w}).flops, 2.0 * 64 * 32 * 16 + 64 * 16);
  EXPECT_EQ(cost("torch", "addmm", {whole(1), bias, whole(1), x, w}).flops,
            2.0 * 64 * 32 * 16 + 64 * 16)
      << "before torch 1.5";
  EXPECT_EQ(cost("torch", "einsum", {value("str", "'bij,bjk->bik'"), a, b}).flops, flops);
}

TEST_F(PyProfCosts, CastsStateTheirType) {
  const auto x = tensor("8, 16", "float32");
  struct Cast {
    std::string_view method;
    double bytes;
  };
  constexpr Cast kCasts[] = {{"half", 2}, {"bfloat16", 2}, {"double", 8}, {"long", 8},
                             {"int", 4},  {"short", 2},    {"char", 1},   {"byte", 1},
                             {"bool", 1}, {"float", 4}};
  for (const Cast& cast : kCasts) {
    const OpCost got = cost("Tensor", cast.method, {x});
    EXPECT_EQ(got.flops, 0) << cast.method;
    EXPECT_EQ(got.bytes, 128 * (4 + cast.bytes)) << cast.method;
  }
  EXPECT_EQ(cost("Tensor", "type", {x, value("str", "'torch.cuda.HalfTensor'")}).bytes, 128 * 6);
  EXPECT_EQ(cost("Tensor", "type_as", {x, tensor("4, 4")}).bytes, 128 * 6);
  EXPECT_EQ(cost("Tensor", "to", {x, tensor("4, 4")}).bytes, 128 * 6);
  // PyProf leaves element types out.
  const OpCost unknown = cost("Tensor", "to", {x, value("str", "'cuda'")});
  EXPECT_EQ(unknown.flops, 0);
  EXPECT_FALSE(unknown.bytes);
}

TEST_F(PyProfCosts, ReductionsUseTheirDimensions) {
  const auto x = tensor("4, 5, 6", "float32");
  EXPECT_EQ(cost("torch", "sum", {x}).bytes, 480 + 4);
  EXPECT_EQ(cost("Tensor", "sum", {x, whole(1)}).bytes, 480 + 24 * 4);
  EXPECT_EQ(cost("Tensor", "sum", {x, tuple("0, -1"), yes()}).bytes, 480 + 5 * 4);
  EXPECT_EQ(cost("torch", "mean", {x, whole(-2, "dim")}).flops, 120 + 24);
  EXPECT_EQ(cost("torch", "mean", {x, whole(-2, "axis")}).flops, 120 + 24);
  EXPECT_EQ(cost("torch", "max", {x, whole(1)}).bytes, 480 + 24 * (4 + 8));
  EXPECT_EQ(cost("torch", "max", {x}).bytes, 480 + 4);
  EXPECT_EQ(cost("torch", "max", {x, x}).bytes, 3 * 480);
  EXPECT_EQ(cost("torch", "argmax", {x, whole(2)}).bytes, 480 + 20 * 8);
  EXPECT_EQ(cost("torch", "topk", {x, whole(2)}).bytes, 480 + 40 * (4 + 8));
}

TEST_F(PyProfCosts, TypesThatMarkersLeaveOutMakeBytesEstimates) {
  const auto x = tensor("4, 5");
  for (const std::string_view function : {"sum", "softmax", "cumsum"}) {
    const OpCost got = cost("torch", function, {x, whole(1)});
    EXPECT_EQ(got.basis, Basis::kEstimated) << function;
    EXPECT_TRUE(got.bytes) << function;
  }
  EXPECT_EQ(cost("torch", "zeros_like", {x}).basis, Basis::kEstimated);
  EXPECT_EQ(cost("torch", "amax", {x, whole(1)}).basis, Basis::kExact);
}

TEST_F(PyProfCosts, CellsHaveWeightsOfTheirShapes) {
  const auto x = tensor("32, 64"), h = tensor("32, 128");
  const double products = 2.0 * 32 * 4 * 128 * (64 + 128);
  const OpCost lstm = cost("LSTMCell", "forward", {x, h, h});
  EXPECT_EQ(lstm.flops, products + 30.0 * 32 * 128);
  EXPECT_EQ(lstm.bytes, 2.0 * (32 * 64 + 4 * 32 * 128 + 4 * 128 * (64 + 128)));
  EXPECT_EQ(lstm.basis, Basis::kEstimated);
  EXPECT_EQ(cost("GRUCell", "forward", {x, h}).flops, products * 3 / 4 + 22.0 * 32 * 128);
  EXPECT_FALSE(cost("LSTMCell", "forward", {x, none()}).flops) << "its size is not known";
  EXPECT_FALSE(cost("LSTM", "forward", {tensor("5, 32, 64"), h, h}).flops);
}

TEST_F(PyProfCosts, LossesAndTheRest) {
  const auto x = tensor("8,", "float32");
  // Torch's function of the same name takes PyTorch's number of the reduction.
  EXPECT_EQ(
      cost("torch", "binary_cross_entropy_with_logits", {x, x, none(), none(), whole(0)}).bytes,
      96);
  EXPECT_EQ(cost(kFunctional, "mse_loss", {x, x}).flops, 25);
  EXPECT_EQ(cost(kFunctional, "mse_loss", {x, x, value("str", "'none'", "reduction")}).bytes, 96);
  EXPECT_EQ(cost(kFunctional, "mse_loss", {x, x, no()}).flops, 24) << "size_average";
  EXPECT_EQ(cost(kFunctional, "mse_loss", {x, x, none(), no()}).flops, 16) << "reduce";
  EXPECT_EQ(
      cost(kFunctional, "nll_loss", {tensor("4, 10", "float32"), tensor("4,", "int64")}).bytes,
      16 + 32 + 4);
  EXPECT_EQ(cost(kFunctional, "batch_norm",
                 {tensor("2, 8, 4, 4", "float32"), tensor("8,", "float32"), tensor("8,", "float32"),
                  tensor("8,", "float32"), tensor("8,", "float32"), no()})
                .flops,
            1024);
  EXPECT_EQ(cost(kFunctional, "gelu", {x, value("str", "'tanh'", "approximate")}).flops, 72);
  EXPECT_EQ(cost(kFunctional, "interpolate",
                 {tensor("2, 8, 8, 8"), none(), whole(2), value("str", "'bilinear'")})
                .flops,
            7.0 * 16 * 256);
  EXPECT_EQ(cost("torch", "cat", {tensor("8, 128"), tensor("8, 351"), whole(1)}).bytes,
            2.0 * 2 * 8 * 479);
  EXPECT_EQ(cost("Tensor", "new_zeros", {x, whole(3), whole(4)}).bytes, 12 * 4);
  EXPECT_EQ(cost("Tensor", "new_zeros", {x, tuple("3, 4")}).bytes, 12 * 4);
  EXPECT_EQ(cost("Tensor", "repeat", {tensor("4, 2", "float32"), whole(3), whole(1)}).bytes,
            4.0 * (8 + 24));
  EXPECT_EQ(cost("torch", "index_select",
                 {tensor("100, 16", "float32"), whole(0), tensor("12,", "int64")})
                .bytes,
            96 + 2 * 4 * 192);
  EXPECT_EQ(cost("Tensor", "where", {x, tensor("8,", "bool"), x}).bytes, 8 + 3 * 32);
}

struct PythonRow {
  std::string_view module, functions, parameters;
};
constexpr PythonRow kRows[] = {
#define PROF_PYTHON(module, functions, parameters) {module, functions, parameters},
#include "analyzers/dialects/python_signatures.inc"
#undef PROF_PYTHON
};

TEST_F(PyProfCosts, EveryFunctionHasOneRowAndAModel) {
  std::set<std::string> seen;
  for (const PythonRow& row : kRows) {
    for_each_word(row.functions, [&](std::string_view function) {
      EXPECT_TRUE(seen.insert(std::string(row.module) + ' ' + std::string(function)).second)
          << function;
      OpDesc op;
      op.op = function;
      EXPECT_NE(ops_.model_of(op), nullptr) << function;
    });
  }
}

TEST_F(PyProfCosts, AnyArgumentsAreTakenOrLeft) {
  std::mt19937 random(7);
  const std::vector<std::string> some = {
      tensor("4, 8"),
      tensor("2, 4, 16, 16"),
      tensor("8,", "int64"),
      tensor(""),
      tensor("0,"),
      none(),
      whole(-1),
      whole(2),
      tuple("2, 2"),
      tuple(""),
      yes(),
      value("str", "'same'"),
      whole(1, "dim"),
      tuple("1, 2", "stride"),
      tensor("4, 8", "float16", "out"),
      value("float", "1e300"),
  };
  for (const PythonRow& row : kRows) {
    for_each_word(row.functions, [&](std::string_view function) {
      for (int i = 0; i < 100; ++i) {
        std::vector<std::string> arguments;
        for (std::size_t count = random() % 9; count > 0; --count) {
          arguments.push_back(some[random() % some.size()]);
        }
        const std::string_view module = i % 3 == 0 ? "Tensor" : i % 3 == 1 ? "torch" : kFunctional;
        const OpCost got = cost(module, function, arguments);
        EXPECT_GE(got.flops.value_or(0), 0) << marker(module, function, arguments);
        EXPECT_GE(got.bytes.value_or(0), 0) << marker(module, function, arguments);
      }
    });
  }
}

}  // namespace
}  // namespace prof
