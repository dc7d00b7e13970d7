// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/model/tensor.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(DTypeTest, EveryNameParsesBackToItself) {
  for (int i = 1; i <= static_cast<int>(DType::kFloat4E2M1); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_FALSE(name(dtype).empty()) << i;
    EXPECT_EQ(parse_dtype(name(dtype)), dtype) << name(dtype);
    EXPECT_TRUE(size_bytes(dtype).has_value()) << name(dtype);
  }
}

TEST(DTypeTest, KnowsSizes) {
  EXPECT_EQ(size_bytes(DType::kBool), 1u);
  EXPECT_EQ(size_bytes(DType::kFloat16), 2u);
  EXPECT_EQ(size_bytes(DType::kBFloat16), 2u);
  EXPECT_EQ(size_bytes(DType::kTFloat32), 4u);
  EXPECT_EQ(size_bytes(DType::kInt64), 8u);
  EXPECT_EQ(size_bytes(DType::kComplex128), 16u);
  EXPECT_EQ(size_bytes(DType::kUnknown), std::nullopt);
}

TEST(DTypeTest, TakesTorchSpellings) {
  EXPECT_EQ(parse_dtype("torch.float16"), DType::kFloat16);
  EXPECT_EQ(parse_dtype("half"), DType::kFloat16);
  EXPECT_EQ(parse_dtype("long"), DType::kInt64);
  EXPECT_EQ(parse_dtype("float8_e5m2"), DType::kFloat8E5M2);
  EXPECT_EQ(parse_dtype("float17"), DType::kUnknown);
  EXPECT_EQ(parse_dtype(""), DType::kUnknown);
  EXPECT_EQ(parse_dtype("torch."), DType::kUnknown);
}

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({32768, 13}), 425984u);
  EXPECT_EQ(element_count({5, 0, 7}), 0u);
}

TEST(ShapeTest, DoesNotWrapAround) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(element_count({big, big}), UINT64_MAX);
  EXPECT_EQ(element_count({big, big, 0}), 0u);
}

TEST(NameTest, DirectionsAndParts) {
  EXPECT_EQ(name(Direction::kNone), "");
  EXPECT_EQ(name(Direction::kFprop), "fprop");
  EXPECT_EQ(name(Direction::kBprop), "bprop");
  EXPECT_EQ(name(Direction::kUpdate), "update");
  EXPECT_EQ(name(Part::kNone), "");
  EXPECT_EQ(name(Part::kData), "data");
  EXPECT_EQ(name(Part::kWeight), "weight");
  EXPECT_EQ(name(Part::kBias), "bias");
}

}  // namespace
}  // namespace prof
