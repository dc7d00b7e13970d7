// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parameters of cuBLAS's wrappers, and the numbers that they go by, are those of the headers.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <gtest/gtest.h>

#include "collectors/libcalls/cublas/elements.hpp"
#include "collectors/libcalls/cublas/factors.hpp"
#include "collectors/libcalls/cublas/grouped.hpp"
#include "collectors/libcalls/cublas/lt_matmul.hpp"
#include "collectors/libcalls/cublas/triangles.hpp"
#include "collectors/libcalls/cublas/vectors.hpp"
#include "same_call.hpp"

namespace prof::collectors {
namespace {

using enum DataType;

static_assert(SameCall<int(void*, long), cublasStatus_t(const float*, std::int64_t)>::value);
static_assert(!SameCall<int(void*, int), cublasStatus_t(const float*, std::int64_t)>::value);
static_assert(!SameCall<int(void*), cublasStatus_t(const float*, int)>::value);
static_assert(!SameCall<int(void*), cublasStatus_t(int)>::value);
static_assert(!SameCall<int(int), cublasStatus_t(float)>::value);
static_assert(!SameCall<int(float), cublasStatus_t(double)>::value);
static_assert(SameCall<int(float), cublasStatus_t(float)>::value);

TEST(CublasFamilies, AreThoseOfTheHeaders) {
// Of what the headers overload, the form for 64-bit sizes stands for both: families have one
// definition.
#define PROF_CUBLAS_OVERLOADED(symbol, Family, ...) \
  PROF_WRAPPED(cublas, symbol##_64, Family<std::int64_t>, __VA_ARGS__)
#define PROF_WRAPPED(library, symbol, Of, ...)                                        \
  EXPECT_TRUE((SameCall<typename Of::Function, decltype(symbol)>::value)) << #symbol; \
  static_cast<void>(Types(__VA_ARGS__));
#include "collectors/libcalls/cublas/functions.inc"
#undef PROF_WRAPPED
}

TEST(CublasFamilies, NumbersAreThoseOfTheHeaders) {
  EXPECT_EQ(static_cast<int>(kR16BF), CUDA_R_16BF);
  EXPECT_EQ(static_cast<int>(kC32F), CUDA_C_32F);
  EXPECT_EQ(static_cast<int>(kC64F), CUDA_C_64F);
  EXPECT_EQ(static_cast<int>(kR4F), CUDA_R_4F_E2M1);
  EXPECT_EQ(compute_type(CUBLAS_COMPUTE_32F_FAST_TF32)->word, "32f_fast_tf32");
  EXPECT_EQ(compute_type(CUBLAS_COMPUTE_64F)->scale, ScaleType::kR64F);
  EXPECT_EQ(compute_type(1), nullptr);
  EXPECT_STREQ(operation_word(CUBLAS_OP_C), "c");
}

TEST(CublasFamilies, BetaIsReadByItsType) {
  const float floats[] = {0, 1};
  EXPECT_EQ(beta_at(floats, ScaleType::kR32F), Beta::kZero);
  EXPECT_EQ(beta_at(floats, ScaleType::kC32F), Beta::kNotZero);
  const double negative = -0.0;
  EXPECT_EQ(beta_at(&negative, ScaleType::kR64F), Beta::kZero);
  const std::uint16_t halves[] = {0x8000, 0x3c00};
  EXPECT_EQ(beta_at(&halves[0], ScaleType::kR16F), Beta::kZero);
  EXPECT_EQ(beta_at(&halves[1], ScaleType::kR16F), Beta::kNotZero);
  EXPECT_EQ(beta_at(floats, ScaleType::kUnknown), Beta::kUnknown);
  EXPECT_EQ(beta_at(nullptr, ScaleType::kR32F), Beta::kUnknown);
}

}  // namespace
}  // namespace prof::collectors
