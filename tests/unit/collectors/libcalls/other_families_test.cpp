// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parameters of the wrappers of cuFFT, cuSOLVER and cuSPARSE, and the numbers that they go by,
// are those of the headers.
#define DISABLE_CUSPARSE_DEPRECATED  // They are called all the same.
#include <cufftXt.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <gtest/gtest.h>

#include "collectors/libcalls/cufft/plan.hpp"
#include "collectors/libcalls/cusolver/by_argument.hpp"
#include "collectors/libcalls/cusolver/by_type.hpp"
#include "collectors/libcalls/cusparse/generic.hpp"
#include "same_call.hpp"

namespace prof::collectors {
namespace {

#define PROF_WRAPPED(library, symbol, Of, ...) \
  EXPECT_TRUE((SameCall<typename Of::Function, decltype(symbol)>::value)) << #symbol;

TEST(Families, OfCufftAreThoseOfItsHeader){
#include "collectors/libcalls/cufft/functions.inc"
}

TEST(Families, OfCusolverAreThoseOfItsHeader){
#include "collectors/libcalls/cusolver/functions.inc"
}

TEST(Families, OfCusparseAreThoseOfItsHeader){
#include "collectors/libcalls/cusparse/functions.inc"
}

#undef PROF_WRAPPED

TEST(Families, TypesOfTransformsAreThoseOfTheHeader) {
  const auto is = [](int type, DataType input, DataType output) {
    const FftTypes types = types_of_transform(type);
    return types.input == input && types.output == output;
  };
  EXPECT_TRUE(is(CUFFT_C2C, DataType::kC32F, DataType::kC32F));
  EXPECT_TRUE(is(CUFFT_R2C, DataType::kR32F, DataType::kC32F));
  EXPECT_TRUE(is(CUFFT_C2R, DataType::kC32F, DataType::kR32F));
  EXPECT_TRUE(is(CUFFT_Z2Z, DataType::kC64F, DataType::kC64F));
  EXPECT_TRUE(is(CUFFT_D2Z, DataType::kR64F, DataType::kC64F));
  EXPECT_TRUE(is(CUFFT_Z2D, DataType::kC64F, DataType::kR64F));
}

}  // namespace
}  // namespace prof::collectors
