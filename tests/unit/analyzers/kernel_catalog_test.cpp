// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernel_catalog.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kSgemm;

constexpr const char* kCopy = "void at::native::direct_copy_kernel_cuda(int)";
constexpr const char* kReduction = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)";

class KernelsOfATrace : public ::testing::Test {
 protected:
  const KernelEntry& of(std::size_t row) { return catalog_.of(trace_.row(row)); }
  WorkRole role(const char* kernel, const OpAttribution& op) {
    return of(trace_.kernel(kernel)).role_in(op);
  }

  FakeTrace trace_;
  KernelCatalog catalog_{trace_, 8};
};

TEST_F(KernelsOfATrace, AKernelIsKnownByItsNameAndItsLaunch) {
  const std::size_t row = trace_.kernel(kSgemm);
  trace_.set_grid(kSgemm, {4, 5, 6});
  const KernelEntry& kernel = of(row);
  EXPECT_EQ(kernel.facts->family, "cublas/gemm");
  EXPECT_EQ(kernel.types.operand, DType::kFloat32);
  EXPECT_EQ(kernel.claims.work, KernelClaims::Work::kProduct);
  EXPECT_EQ(kernel.blocks, 4 * 5 * 6);
  EXPECT_EQ(kernel.threads % kernel.blocks, 0);
}

TEST_F(KernelsOfATrace, EqualKernelsShareTheirFacts) {
  const auto facts = of(trace_.kernel(kSgemm)).facts;
  EXPECT_EQ(of(trace_.kernel(kSgemm)).facts, facts);
  EXPECT_NE(of(trace_.kernel(kCopy)).facts, facts);
}

TEST_F(KernelsOfATrace, CopiesAndSetsAreNoKernels) {
  for (const std::size_t row : {trace_.memcpy(64), trace_.memset(64)}) {
    EXPECT_EQ(of(row).facts, nullptr);
    EXPECT_EQ(of(row).role_in({}), WorkRole::kCopy);
  }
}

TEST_F(KernelsOfATrace, SizesOfADamagedTraceAreBounded) {
  const std::size_t row = trace_.kernel(kSgemm);
  trace_.set_grid(kSgemm, {UINT32_MAX, UINT32_MAX, UINT32_MAX});
  EXPECT_EQ(of(row).threads, 1'000'000'000'000'000);
}

TEST_F(KernelsOfATrace, TheRoleFollowsFromTheKernelAndItsOp) {
  OpAttribution product;
  product.is_product = product.claims.adds_products = true;
  const OpAttribution other;
  EXPECT_EQ(role(kSgemm, product), WorkRole::kProduct);
  EXPECT_EQ(role(kSgemm, other), WorkRole::kMain);
  EXPECT_EQ(role(kReduction, product), WorkRole::kHelper);
  EXPECT_EQ(role("some_kernel", product), WorkRole::kMain);
}

TEST_F(KernelsOfATrace, ASplitProductIsTheSameKernelOtherwise) {
  const auto whole = of(trace_.kernel(kSgemm)).facts;
  const auto split = catalog_.split(whole);
  EXPECT_EQ(split->split_k, true);
  EXPECT_EQ(split->short_name, whole->short_name);
  EXPECT_EQ(catalog_.split(whole), split);
}

TEST_F(KernelsOfATrace, WhatIsForgottenIsReadAgain) {
  const auto before = of(trace_.kernel("kernel0")).facts;
  for (int i = 1; i < 20; ++i) of(trace_.kernel("kernel" + std::to_string(i)));
  catalog_.trim();
  const auto after = of(trace_.kernel("kernel0")).facts;
  EXPECT_NE(after, before);
  EXPECT_EQ(after->short_name, "kernel0");
}

}  // namespace
}  // namespace prof
