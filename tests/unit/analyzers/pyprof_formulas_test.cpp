// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Each class of ops that PyProf has a formula for: what that formula gives for one call, and what
// the models give for the same marker. docs/truth.md explains where they differ, by the same words.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "tests/unit/analyzers/pyprof_marker.hpp"

namespace prof {
namespace {

using fakes::pyprof::kFunctional;
using fakes::pyprof::marker;
using fakes::pyprof::none;
using fakes::pyprof::tensor;
using fakes::pyprof::tuple;
using fakes::pyprof::value;
using fakes::pyprof::whole;

struct Numbers {
  double flops, bytes;
  bool operator==(const Numbers&) const = default;
};

struct FormulaRow {
  std::string text;
  Numbers pyprofs;
  Numbers ours;
  std::string_view differs;  ///< A word of docs/truth.md; empty: they do not.
};

/// The same numbers.
FormulaRow same(std::string text, Numbers numbers) {
  return {std::move(text), numbers, numbers, {}};
}

std::vector<FormulaRow> rows() {
  const auto x = tensor("4, 5"), y = tensor("4, 5", "float32");
  const auto a = tensor("8, 32, 128", "float32"), b = tensor("8, 128, 256", "float32");
  const double m = 32, k = 128, n = 256;
  std::vector<FormulaRow> made = {
      // Products.
      {marker(kFunctional, "linear", {tensor("32, 128"), tensor("256, 128"), none("bias")}),
       {2 * m * k * n, n * m + m * k + n * k * 2},
       {2 * m * k * n, 2 * (n * m + m * k + n * k)},
       "parenthesis"},
      {marker("torch", "addmm",
              {tensor("256,", "float32"), tensor("32, 128", "float32"),
               tensor("128, 256", "float32")}),
       {2 * m * k * n, 4 * (m * n + m * k + n * k)},
       {2 * m * k * n + m * n, 4 * (m * n + m * k + n * k) + 4 * n},
       "bias"},
      same(marker("torch", "mm", {tensor("32, 128"), tensor("128, 256")}),
           {2 * m * k * n, 2 * (m * n + m * k + n * k)}),
      same(marker("torch", "bmm", {a, b}), {16 * m * k * n, 32 * (m * n + m * k + n * k)}),
      same(marker("torch", "matmul", {tensor("32, 128"), tensor("128, 256")}),
           {2 * m * k * n, 2 * (m * n + m * k + n * k)}),
      {marker("Tensor", "__matmul__", {a, b}),
       {16 * m * k * n, 4 * (m * n + m * k + n * k)},
       {16 * m * k * n, 32 * (m * n + m * k + n * k)},
       "batch"},
      // Convolutions.
      same(marker(kFunctional, "conv2d",
                  {tensor("32, 3, 224, 224"), tensor("16, 3, 3, 3"), none(), tuple("2, 2"),
                   tuple("1, 1"), tuple("1, 1"), whole(1)}),
           {2.0 * 32 * 16 * 112 * 112 * 27,
            2.0 * (32 * 3 * 224 * 224 + 16 * 27 + 32 * 16 * 112 * 112)}),
      same(marker(kFunctional, "conv1d",
                  {tensor("2, 4, 16"), tensor("8, 4, 3"), none(), tuple("1,"), tuple("1,"),
                   tuple("1,"), whole(1)}),
           {2.0 * 2 * 8 * 16 * 12, 2.0 * (2 * 4 * 16 + 8 * 12 + 2 * 8 * 16)}),
      // Lookups and moves.
      same(marker(kFunctional, "embedding", {tensor("128, 16", "int64"), tensor("4096, 32")}),
           {0, 2048 * 8 + 2 * 2048 * 32 * 2.0}),
      {marker(kFunctional, "embedding", {tensor("128, 16", "int64"), tensor("1024, 32")}),
       {0, 2048 * 8 + 2 * 2048 * 32 * 2.0},
       {0, 2048 * 8 + (1024 + 2048) * 32 * 2.0},
       "embedding"},
      same(marker("torch", "cat", {x, tensor("4, 7"), whole(1, "dim")}), {0, 2 * 48 * 2}),
      same(marker("torch", "index_select", {y, whole(0), tensor("2,", "int64")}),
           {0, 2 * 10 * 4 + 8 * 2}),
      {marker("torch", "gather", {y, whole(1), tensor("4, 2", "int64")}),
       {0, 2 * 20 * 4},
       {0, 2 * 8 * 4 + 8 * 8},
       "gather"},
      same(marker("Tensor", "masked_scatter_",
                  {y, tensor("4, 5", "bool"), tensor("4, 5", "float32")}),
           {0, 2 * 20 * 4 + 20}),
      same(marker("Tensor", "copy_", {y, x}), {0, 20 * (4 + 2)}),
      same(marker("Tensor", "clone", {x}), {0, 2 * 20 * 2}),
      same(marker("Tensor", "fill_", {y, whole(1)}), {0, 20 * 4}),
      same(marker("Tensor", "zero_", {y}), {0, 20 * 4}),
      same(marker("torch", "ones_like", {x}), {0, 20 * 2}),
      same(marker("torch", "zeros_like", {x}), {0, 20 * 2}),
      // Softmax, norms, dropout.
      {marker(kFunctional, "softmax", {x, whole(1)}),
       {40 * 20, 3 * 20 * 2},
       {5 * 20, 2 * 20 * 2},
       "transcendental"},
      {marker(kFunctional, "log_softmax", {x, whole(1)}),
       {21 * 20, 3 * 20 * 2},
       {5 * 20, 2 * 20 * 2},
       "transcendental"},
      {marker(kFunctional, "batch_norm", {tensor("2, 8, 4, 4"), none(), none()}),
       {8 * 256, 4 * 256 * 2},
       {4 * 256, 2 * 256 * 2},
       "passes"},
      {marker(kFunctional, "dropout", {x, value("float", "0.1")}),
       {5 * 20, 2 * 20 * 2},
       {2 * 20, 2 * 20 * 2 + 20},
       "random"},
      // Reductions and losses.
      {marker("torch", "sum", {x}), {20, 20 * 2}, {20, 21 * 2}, "result"},
      same(marker("torch", "mean", {y}), {21, 21 * 4}),
      {marker("torch", "norm", {y}), {41, 20 * 4}, {41, 21 * 4}, "result"},
      {marker("Tensor", "any", {tensor("4, 5", "bool")}), {0, 20}, {0, 21}, "result"},
      {marker(kFunctional, "mse_loss", {y, y, value("str", "'mean'", "reduction")}),
       {81, 40 * 4},
       {61, 41 * 4},
       "loss"},
  };
  // Elementwise functions of one tensor: one FLOP each.
  for (const std::string_view name :
       {"abs", "neg", "reciprocal", "__abs__", "__neg__", "ceil", "floor", "frac", "round", "sign",
        "trunc", "neg_", "relu", "leaky_relu", "threshold"}) {
    made.push_back(same(marker("Tensor", name, {x}), {20, 2 * 20 * 2}));
  }
  for (const std::string_view name :
       {"exp", "log",  "log10", "log1p", "log2", "sqrt", "rsqrt", "acos",   "asin", "atan",
        "cos", "cosh", "sin",   "sinh",  "tan",  "erf",  "erfc",  "erfinv", "exp_", "tanh"}) {
    made.push_back(
        {marker("torch", name, {x}), {20 * 20, 2 * 20 * 2}, {20, 2 * 20 * 2}, "transcendental"});
  }
  // Of two, broadcast.
  const auto row = tensor("5,");
  for (const std::string_view name :
       {"add",          "sub",           "mul",      "div",      "remainder", "fmod",
        "add_",         "mul_",          "__add__",  "__sub__",  "__mul__",   "__floordiv__",
        "__truediv__",  "__mod__",       "__radd__", "__rsub__", "__rmul__",  "__rdiv__",
        "__rtruediv__", "__rfloordiv__", "__iadd__", "__isub__", "__imul__",  "__itruediv__"}) {
    made.push_back(same(marker("Tensor", name, {x, row}), {20, 2 * (20 + 5 + 20)}));
  }
  for (const std::string_view name : {"lt", "gt", "ge", "le", "eq", "ne", "__lt__", "__gt__",
                                      "__ge__", "__le__", "__eq__", "__ne__"}) {
    made.push_back(same(marker("Tensor", name, {x, x}), {20, 2 * 40 + 20}));
  }
  for (const std::string_view name : {"pow", "pow_", "__pow__", "__rpow__"}) {
    made.push_back(
        {marker("Tensor", name, {x, x}), {20 * 20, 3 * 40}, {20, 3 * 40}, "transcendental"});
  }
  for (const std::string_view name : {"addcmul", "addcdiv", "addcmul_", "addcdiv_"}) {
    made.push_back(same(marker("Tensor", name, {x, x, x}), {60, 4 * 40}));
  }
  // Other activations.
  for (const std::string_view name : {"hardtanh", "relu6", "elu", "selu", "softplus", "softsign"}) {
    made.push_back({marker(kFunctional, name, {x}), {20, 2 * 40}, {0, 2 * 40}, "activation"});
  }
  // Casts.
  for (const auto& [name, size] :
       std::initializer_list<std::pair<std::string_view, int>>{{"byte", 1},
                                                               {"char", 1},
                                                               {"double", 8},
                                                               {"half", 2},
                                                               {"int", 4},
                                                               {"long", 8},
                                                               {"short", 2},
                                                               {"float", 4}}) {
    made.push_back(same(marker("Tensor", name, {y}), {0, 20.0 * (4 + size)}));
  }
  return made;
}

TEST(PyProfFormulas, AgreeOrDifferAsExplained) {
  dialects::Registry dialects;
  dialects::register_builtin(dialects);
  const ops::OpCatalog ops;
  std::size_t equal = 0;
  for (const FormulaRow& row : rows()) {
    const auto meaning = dialects.parse({row.text, {}, true});
    ASSERT_NE(meaning.op(), nullptr) << row.text;
    const OpCost got = ops.facts_of(ops::as_called(*meaning.op())).cost;
    ASSERT_TRUE(got.flops && got.bytes) << row.text;
    const Numbers numbers{*got.flops, *got.bytes};
    if (row.differs == "activation") {  // counted by formula, in operations of ops.md
      EXPECT_GT(numbers.flops, row.pyprofs.flops) << row.text;
      EXPECT_EQ(numbers.bytes, row.pyprofs.bytes) << row.text;
      continue;
    }
    EXPECT_EQ(numbers.flops, row.ours.flops) << row.text;
    EXPECT_EQ(numbers.bytes, row.ours.bytes) << row.text;
    EXPECT_EQ(row.differs.empty(), row.pyprofs == row.ours) << row.text;
    if (row.differs.empty()) ++equal;
  }
  EXPECT_GE(equal, 75U);
}

}  // namespace
}  // namespace prof
