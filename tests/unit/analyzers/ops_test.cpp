// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs every op model's worked examples, and checks that each model is complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"
#include "tests/unit/analyzers/op_examples.hpp"

namespace prof::ops {
namespace {

using fakes::op_text;

class OpModels : public ::testing::Test {
 protected:
  OpModels() {
    register_builtin(ops_);
    dialects::register_builtin(dialects_);
  }

  std::optional<OpDesc> parse(std::string_view text) {
    const dialects::RangeMeaning meaning = dialects_.parse({text, {}, true});
    return meaning.op() == nullptr ? std::nullopt : std::optional(*meaning.op());
  }

  OpFacts facts(std::string_view text) {
    const auto op = parse(text);
    EXPECT_TRUE(op) << text;
    return !op ? OpFacts{} : evaluate(ops_.find(op->op), *op);
  }

  Registry ops_;
  dialects::Registry dialects_;
};

std::vector<std::string_view> words_of(const OpModel& model) {
  std::vector<std::string_view> words;
  for (const OpFormula& formula : model.formulas) {
    for_each_word(formula.words, [&](std::string_view word) { words.push_back(word); });
  }
  return words;
}

void expect_equal(const std::optional<double>& got, const std::optional<double>& want) {
  ASSERT_EQ(got.has_value(), want.has_value());
  if (want) {
    EXPECT_DOUBLE_EQ(*got, *want);
  }
}

/// Bytes are the sum of read and written, unless one of them is unknown.
void expect_sum(const OpCost& cost) {
  if (!cost.bytes) {
    EXPECT_FALSE(cost.read && cost.written);
  } else if (cost.read || cost.written) {
    ASSERT_TRUE(cost.read && cost.written);
    EXPECT_DOUBLE_EQ(*cost.bytes, *cost.read + *cost.written);
  }
}

TEST_F(OpModels, GiveTheirWorkedExamples) {
  std::size_t examples = 0;
  for (const OpModel& model : ops_.models()) {
    ASSERT_FALSE(model.examples.empty()) << model.name << " has no worked example";
    for (const OpExample& example : model.examples) {
      SCOPED_TRACE(std::string(model.name) + ": " + std::string(example.text));
      const auto op = example_op(example, dialects_);
      ASSERT_TRUE(op) << "neither the native dialect nor an op with its sizes";
      ASSERT_EQ(ops_.find(op->op), &model) << "the example is of another model's op";
      const OpFacts got = evaluate(&model, *op);
      EXPECT_EQ(got.params, example.params);
      ASSERT_EQ(got.gemm.has_value(), example.gemm.has_value());
      if (got.gemm) {
        EXPECT_EQ(got.gemm->m, example.gemm->m);
        EXPECT_EQ(got.gemm->n, example.gemm->n);
        EXPECT_EQ(got.gemm->k, example.gemm->k);
        EXPECT_EQ(got.gemm->batch, example.gemm->batch);
      }
      expect_equal(got.cost.flops, example.flops);
      expect_equal(got.cost.bytes, example.bytes);
      EXPECT_EQ(got.cost.basis, example.basis);
      expect_sum(got.cost);
      ++examples;
    }
  }
  EXPECT_GE(examples, 150U);
}

TEST_F(OpModels, HaveAFormulaForEveryWord) {
  for (const OpModel& model : ops_.models()) {
    ASSERT_FALSE(model.formulas.empty()) << model.name;
    for (const OpFormula& formula : model.formulas) {
      EXPECT_FALSE(formula.words.empty() || formula.forward.empty() || formula.backward.empty() ||
                   formula.bytes.empty() || formula.basis.empty())
          << model.name;
    }
  }
}

TEST_F(OpModels, HaveNoWordTwice) { EXPECT_TRUE(ops_.clashes().empty()); }

/// Ops in a live run that have no model.
constexpr std::string_view kWithoutModel[] = {"aten::_linalg_check_errors"};

TEST_F(OpModels, KnowWhatPyTorchLaunches) {
  constexpr std::string_view kSeen[] = {
#include "tests/unit/analyzers/aten_ops_seen.inc"
  };
  std::size_t counted = 0;
  std::string without_flops;
  for (const std::string_view text : kSeen) {
    OpExample example;
    example.text = text;
    example.dtype = DType::kFloat16;
    const auto op = example_op(example, dialects_);
    EXPECT_TRUE(op) << text << ": its arguments have no names";
    if (!op) continue;
    const bool expected = std::find(std::begin(kWithoutModel), std::end(kWithoutModel), op->op) ==
                          std::end(kWithoutModel);
    const OpModel* model = ops_.find(op->op);
    EXPECT_EQ(model != nullptr, expected) << text;
    if (evaluate(model, *op).cost.flops) {
      ++counted;
    } else {
      without_flops += op->op + "\n";
    }
  }
  // Ops whose cost depends on non-tensor flags or sizes: forward convolutions, pooling, and others.
  EXPECT_GE(counted, std::size(kSeen) - 45) << without_flops;
}

TEST_F(OpModels, AreFoundInPlaceAndWithPrefix) {
  EXPECT_EQ(ops_.find("relu_"), ops_.find("relu"));
  EXPECT_EQ(ops_.find("aten::add_"), ops_.find("add"));
  EXPECT_NE(ops_.find("relu"), nullptr);
  EXPECT_EQ(ops_.find("frobnicate"), nullptr);
  EXPECT_EQ(ops_.find(""), nullptr);
  EXPECT_EQ(ops_.find("_"), nullptr);
}

TEST_F(OpModels, AreFoundByTheForwardOpAndByThePersonsWord) {
  EXPECT_EQ(ops_.find("aten::gelu_backward"), ops_.find("gelu"));
  EXPECT_EQ(ops_.find("aten::_softmax_backward_data"), ops_.find("softmax"));
  EXPECT_EQ(ops_.find("aten::native_layer_norm"), ops_.find("layer_norm"));
  // The order in which the two are tried must not matter.
  constexpr std::string_view kBackward[] = {
#define PROF_ATEN_BACKWARD(words, forward) words,
#define PROF_ATEN_DISPLAY(words, display)
#include "analyzers/ops/aten_words.inc"
#undef PROF_ATEN_BACKWARD
#undef PROF_ATEN_DISPLAY
  };
  for (const std::string_view words : kBackward) {
    for_each_word(words, [&](std::string_view word) {
      const OpModel* forward = ops_.find(forward_word(word));
      const OpModel* display = ops_.find(display_word(word));
      EXPECT_TRUE(forward == nullptr || display == nullptr || forward == display) << word;
    });
  }
}

TEST_F(OpModels, UnknownOpHasShapesButNoCost) {
  const OpFacts got = facts(op_text("frobnicate", "fprop", "x:in:3x4:float16 y:out:3:float16"));
  EXPECT_EQ(got.params, "T=(3,4)");
  EXPECT_EQ(got.dtype, DType::kFloat16);
  EXPECT_FALSE(got.cost.flops);
  EXPECT_FALSE(got.cost.bytes);
  EXPECT_EQ(got.cost.basis, Basis::kUnknown);
}

TEST_F(OpModels, UnknownDTypeLeavesBytesOut) {
  const OpFacts got =
      facts(op_text("linear", "fprop", "x:in:8x4:int3 weight:in:2x4:int3 y:out:8x2:int3"));
  EXPECT_EQ(got.params, "M=2,N=8,K=4");
  EXPECT_EQ(got.cost.flops, 128);
  EXPECT_FALSE(got.cost.bytes);
}

TEST_F(OpModels, BackwardOfUnsaidPartIsUnknown) {
  const OpFacts got = facts(op_text("linear", "bprop", "dy:in:8x2:float16 weight:in:2x4:float16"));
  EXPECT_FALSE(got.gemm);
  EXPECT_FALSE(got.cost.flops);
}

TEST_F(OpModels, DTypeIsTheFirstFloatingInputs) {
  EXPECT_EQ(
      facts(op_text("index", "fprop", "indices:in:4:int64 x:in:9:bfloat16 y:out:4:bfloat16")).dtype,
      DType::kBFloat16);
  EXPECT_EQ(facts(op_text("add", "fprop", "a:in:4:int64 b:in:4:int64 y:out:4:int64")).dtype,
            DType::kInt64);
}

TEST_F(OpModels, SizesTooLargeToCountAreNotNumbers) {
  std::string shape = "9223372036854775807";
  for (int i = 0; i < 60; ++i) shape += "x9223372036854775807";
  for (const OpModel& model : ops_.models()) {
    for (const std::string_view word : words_of(model)) {
      for (const std::string_view direction : {"fprop", "bprop"}) {
        const std::string args =
            "x:in:" + shape + ":float32 y:in:" + shape + ":float32 z:out:" + shape + ":float32";
        const OpFacts got = facts(op_text(word, direction, args, "data"));
        EXPECT_FALSE(got.gemm) << word;
        EXPECT_FALSE(got.cost.bytes) << word;
        if (got.cost.flops) {
          EXPECT_EQ(*got.cost.flops, 0) << word;
        }
      }
    }
  }
}

TEST_F(OpModels, TakeAnyTensorsAndAttributes) {
  std::mt19937 random(7);  // NOLINT: the same tensors at every run
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::string_view kNames[] = {"x",       "weight", "dy",   "a",       "b",
                                         "indices", "dout",   "bias", "dweight", ""};
  constexpr const char* kKeys[] = {
      "stride",      "padding",      "dilation",     "output_padding", "groups",      "transposed",
      "kernel_size", "ceil_mode",    "output_size",  "data_grad",      "weight_grad", "bias_grad",
      "size",        "scale_factor", "weight_decay", "momentum",       "ranks",       "causal"};
  const AttrValue values[] = {true,
                              false,
                              std::int64_t{0},
                              std::int64_t{1},
                              std::int64_t{2},
                              std::int64_t{-3},
                              std::int64_t{INT64_MAX},
                              std::int64_t{INT64_MIN},
                              1.5,
                              1e300,
                              -1e300,
                              std::string("2,1"),
                              std::string("-2,9223372036854775807"),
                              std::string("same"),
                              std::string("1,1,1,1,1,1,1"),
                              std::string()};
  for (const OpModel& model : ops_.models()) {
    for (const std::string_view word : words_of(model)) {
      for (int round = 0; round < 200; ++round) {
        OpDesc op;
        op.op = word;
        op.direction = static_cast<Direction>(below(4));
        op.part = static_cast<Part>(below(4));
        for (std::uint32_t i = below(5); i > 0; --i) {
          Tensor tensor;
          tensor.name = kNames[below(std::size(kNames))];
          tensor.role = static_cast<Tensor::Role>(below(3));
          tensor.dtype = static_cast<DType>(below(16));
          for (std::uint32_t d = below(5); d > 0; --d) tensor.shape.push_back(below(4));
          op.tensors.push_back(std::move(tensor));
        }
        for (std::uint32_t i = below(7); i > 0; --i) {
          op.attrs[kKeys[below(std::size(kKeys))]] = values[below(std::size(values))];
        }
        const OpFacts got = evaluate(&model, op);
        if (got.cost.flops) {
          EXPECT_GE(*got.cost.flops, 0) << word;
        }
        if (got.cost.bytes) {
          EXPECT_GE(*got.cost.bytes, 0) << word;
        }
        if (!got.cost.flops && !got.cost.bytes) {
          EXPECT_EQ(got.cost.basis, Basis::kUnknown) << word;
        }
        if (!op.tensors.empty()) {
          EXPECT_FALSE(got.params.empty()) << word;
        }
      }
    }
  }
}

TEST(OpMath, PrintsShapesAsTheTablesDo) {
  Tensor a;
  a.shape = {32768, 128};
  Tensor b;
  b.shape = {};
  EXPECT_EQ(shape_params({&a}), "T=(32768,128)");
  EXPECT_EQ(shape_params({&a, &b}), "T=[(32768,128),()]");
  EXPECT_EQ(shape_params({}), "");
  EXPECT_EQ(gemm_params({128, 128, 64, 64}, true), "B=64,M=128,N=128,K=64");
  EXPECT_EQ(gemm_params({512, 32768, std::nullopt, 1}, false), "M=512,N=32768");
}

TEST(OpMath, ProductsThatDoNotFitAreNone) {
  EXPECT_EQ(product({3, 4, 5}, 0, 2), 12);
  EXPECT_EQ(product({INT64_MAX, 2}, 0, 2), std::nullopt);
  EXPECT_EQ(rows({}), std::nullopt);
  EXPECT_EQ(rows({7}), 1);
}

TEST(OpCatalog, ALibraryCallConfirmsTheProductAroundIt) {
  const auto product = [](const char* name, const char* out, Shape a, Shape b, Shape d) {
    OpDesc op;
    op.op = name;
    op.tensors = {{"a", Tensor::Role::kIn, DType::kFloat16, std::move(a)},
                  {"b", Tensor::Role::kIn, DType::kFloat16, std::move(b)},
                  {out, Tensor::Role::kOut, DType::kFloat16, std::move(d)}};
    return std::make_shared<const OpDesc>(std::move(op));
  };
  const OpCatalog ops;
  // Row-major (8, 4) times (4, 16) is column-major (16, 4) times (4, 8).
  const SharedOp outer = product("aten::mm", "out", {8, 4}, {4, 16}, {8, 16});
  const SharedOp same = product("cublas::gemm", "d", {16, 4}, {4, 8}, {16, 8});
  const SharedOp other = product("cublas::gemm", "d", {16, 2}, {2, 8}, {16, 8});
  EXPECT_FALSE(ops.counts_apart(same, outer));
  EXPECT_TRUE(ops.counts_apart(other, outer));
}

TEST(OpCatalog, ALibraryCallConfirmsTheConvolutionAroundIt) {
  const auto described = [](const char* name, std::vector<Tensor> tensors, Part part) {
    OpDesc op;
    op.op = name;
    op.part = part;
    op.tensors = std::move(tensors);
    return std::make_shared<const OpDesc>(std::move(op));
  };
  const Tensor x{"x", Tensor::Role::kIn, DType::kFloat16, {2, 8, 8, 8}};
  const Tensor weight{"weight", Tensor::Role::kIn, DType::kFloat16, {16, 8, 1, 1}};
  const Tensor y{"y", Tensor::Role::kOut, DType::kFloat16, {2, 16, 8, 8}};
  Tensor dy = y, dx = x;
  dy.name = "dy";
  dy.role = Tensor::Role::kIn;
  dx.name = "dx";
  dx.role = Tensor::Role::kOut;
  const OpCatalog ops;
  const SharedOp outer = described("aten::cudnn_convolution", {x, weight, y}, Part::kNone);
  const SharedOp call = described("cudnn::conv_fprop", {x, weight, y}, Part::kNone);
  EXPECT_FALSE(ops.counts_apart(call, outer));
  // One of the two gradients that the op around it computes.
  const SharedOp both = described("aten::convolution_backward", {dy, x, weight}, Part::kNone);
  const SharedOp data = described("cudnn::conv_dgrad", {weight, dy, dx}, Part::kData);
  EXPECT_TRUE(ops.counts_apart(data, both));
}

}  // namespace
}  // namespace prof::ops
