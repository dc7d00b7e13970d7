// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/op_catalog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace prof::ops {
namespace {

Tensor in(std::string name, Shape shape, DType dtype = DType::kUnknown) {
  Tensor made;
  made.name = std::move(name);
  made.role = Tensor::Role::kIn;
  made.shape = std::move(shape);
  made.dtype = dtype;
  return made;
}

SharedOp op(std::string word, std::vector<Tensor> tensors) {
  OpDesc made;
  made.module = "aten";
  made.op = std::move(word);
  made.tensors = std::move(tensors);
  return std::make_shared<const OpDesc>(std::move(made));
}

/// PyTorch's own, which launches the kernel itself.
OpContext framework(const SharedOp& inner, KernelTypes kernel = {}) {
  OpContext context;
  context.inner = inner;
  context.kernel = kernel;
  context.is_framework = context.is_direct = context.is_shown = true;
  return context;
}

class OpsInContext : public ::testing::Test {
 protected:
  SharedOp mm(DType dtype = DType::kUnknown) {
    return op("aten::mm", {in("x", {8, 4}, dtype), in("weight", {4, 2}, dtype)});
  }
  OpCatalog catalog_;
};

TEST_F(OpsInContext, AnOpThatSaysAllCostsWhatItSays) {
  const SharedOp product = mm(DType::kFloat16);
  const OpInContext made = catalog_.in_context(product, framework(product, DType::kFloat16));
  EXPECT_EQ(made.facts.cost.flops, 2 * 8 * 4 * 2);
  EXPECT_EQ(made.facts.cost.bytes, 2 * (8 * 4 + 4 * 2 + 8 * 2));
  EXPECT_EQ(made.facts.cost.basis, Basis::kExact);
  EXPECT_FALSE(made.facts.cost.types_from_kernel);
  EXPECT_EQ(made.facts.params, catalog_.called(product).params);
  EXPECT_TRUE(made.is_product);
  EXPECT_TRUE(made.facts.claims.adds_products);
  EXPECT_EQ(made.stated_gemm->k, 4);
}

TEST_F(OpsInContext, TheKernelsTypeGivesTheBytesOfAnOpWithoutTypes) {
  const SharedOp product = mm();
  EXPECT_FALSE(catalog_.in_context(product, framework(product)).facts.cost.bytes);
  const OpInContext made = catalog_.in_context(product, framework(product, DType::kFloat16));
  EXPECT_EQ(made.facts.cost.bytes, 2 * (8 * 4 + 4 * 2 + 8 * 2));
  EXPECT_TRUE(made.facts.cost.types_from_kernel);
  EXPECT_EQ(made.facts.claims.input_types, 0U) << "the op states none";
}

TEST_F(OpsInContext, OfABareNodeOnlyTheFlopsOfTheBackwardAreKnown) {
  const SharedOp forward = op("aten::relu", {in("x", {8, 4}, DType::kFloat32)});
  OpContext context = framework(nullptr);
  context.is_bare_node = true;
  const OpInContext made = catalog_.in_context(forward, context);
  EXPECT_EQ(made.facts.cost.flops, 8 * 4);
  EXPECT_EQ(made.facts.cost.basis, Basis::kEstimated);
  EXPECT_FALSE(made.facts.cost.bytes);
  EXPECT_FALSE(made.facts.gemm);
  EXPECT_EQ(made.facts.params, "");
  EXPECT_FALSE(made.gradients);
}

TEST_F(OpsInContext, ABareNodeOfAProductHasItsGradients) {
  const SharedOp forward = mm(DType::kFloat32);
  OpContext context = framework(nullptr);
  context.is_bare_node = true;
  context.product = forward;
  const OpInContext made = catalog_.in_context(forward, context);
  ASSERT_TRUE(made.gradients);
  for (const Part part : {Part::kData, Part::kWeight}) {
    const auto& gradient = made.gradients->facts[static_cast<std::size_t>(part)];
    ASSERT_TRUE(gradient);
    EXPECT_EQ(gradient->cost.flops, 2 * 8 * 4 * 2);
    EXPECT_TRUE(gradient->cost.bytes);
  }
}

TEST_F(OpsInContext, ASumInANodeReducesWhatTheForwardOpBroadcast) {
  const SharedOp sum = op("aten::sum", {in("x", {8, 2}, DType::kFloat32)});
  OpContext context = framework(sum);
  const auto alone = catalog_.in_context(sum, context).facts.cost.bytes;
  context.forward = op("aten::add", {in("x", {8, 2}), in("other", {2})});
  const auto in_node = catalog_.in_context(sum, context).facts.cost.bytes;
  ASSERT_TRUE(in_node);
  EXPECT_EQ(in_node, 4 * (8 * 2 + 2));
  EXPECT_NE(in_node, alone);
}

TEST_F(OpsInContext, ANumberInTheKernelIsNotInMemoryButShown) {
  const SharedOp add =
      op("aten::add", {in("x", {8}, DType::kFloat32), in("other", {}, DType::kFloat32)});
  KernelTypes kernel = DType::kFloat32;
  const double with = *catalog_.in_context(add, framework(add, kernel)).facts.cost.bytes;
  kernel.elements.has_number = true;
  const OpInContext made = catalog_.in_context(add, framework(add, kernel));
  EXPECT_EQ(made.facts.cost.bytes, with - 4);
  EXPECT_EQ(made.facts.params, catalog_.called(add).params);
}

TEST_F(OpsInContext, AnOpThatTheProgramStatesHasTheDirectionAroundIt) {
  const SharedOp stated =
      op("linear", {in("x", {8, 4}, DType::kFloat32), in("weight", {2, 4}, DType::kFloat32)});
  OpContext context;
  context.inner = stated;
  context.is_direct = context.is_shown = true;
  context.direction = Direction::kFprop;
  const auto forward = catalog_.in_context(stated, context).facts.cost.flops;
  context.direction = Direction::kBprop;
  EXPECT_NE(catalog_.in_context(stated, context).facts.cost.flops, forward);
}

TEST_F(OpsInContext, WhatAnOpStatesIsKeptUntilItIsForgotten) {
  const SharedOp product = mm(DType::kFloat16);
  const OpFacts* const known = &catalog_.called(product);
  EXPECT_TRUE(catalog_.can_count(product));
  EXPECT_EQ(&catalog_.called(product), known);
  const std::weak_ptr<const OpDesc> kept = product;
  EXPECT_GT(kept.use_count(), 1);
  catalog_.forget();
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace prof::ops
