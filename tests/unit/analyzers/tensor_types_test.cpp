// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/devices/tensor_types.hpp"

#include <gtest/gtest.h>

namespace prof::devices {
namespace {

std::optional<DType> type_on(std::uint32_t major, std::uint32_t minor, DType dtype) {
  DeviceRow device;
  device.compute_major = major;
  device.compute_minor = minor;
  return tensor_type(device, dtype);
}

TEST(TensorTypes, GrowWithComputeCapability) {
  EXPECT_EQ(type_on(6, 1, DType::kFloat16), DType::kUnknown);
  EXPECT_EQ(type_on(7, 0, DType::kFloat16), DType::kFloat16);
  EXPECT_EQ(type_on(7, 5, DType::kBFloat16), DType::kUnknown);
  EXPECT_EQ(type_on(8, 0, DType::kBFloat16), DType::kBFloat16);
  EXPECT_EQ(type_on(7, 0, DType::kInt8), DType::kUnknown);
  EXPECT_EQ(type_on(7, 5, DType::kInt8), DType::kInt8);
  EXPECT_EQ(type_on(8, 6, DType::kFloat8E4M3), DType::kUnknown);
  EXPECT_EQ(type_on(8, 9, DType::kFloat8E4M3), DType::kFloat8E4M3);
  EXPECT_EQ(type_on(9, 0, DType::kFloat4E2M1), DType::kUnknown);
  EXPECT_EQ(type_on(12, 0, DType::kFloat4E2M1), DType::kFloat4E2M1);
}

TEST(TensorTypes, Take32BitFloatsAsTf32) {
  EXPECT_EQ(type_on(7, 5, DType::kFloat32), DType::kUnknown);
  EXPECT_EQ(type_on(9, 0, DType::kFloat32), DType::kTFloat32);
}

TEST(TensorTypes, Have64BitFloatsInDataCenters) {
  EXPECT_EQ(type_on(7, 0, DType::kFloat64), DType::kUnknown);
  EXPECT_EQ(type_on(8, 0, DType::kFloat64), DType::kFloat64);
  EXPECT_EQ(type_on(8, 6, DType::kFloat64), DType::kUnknown);
  EXPECT_EQ(type_on(9, 0, DType::kFloat64), DType::kFloat64);
  EXPECT_EQ(type_on(12, 0, DType::kFloat64), DType::kUnknown);
}

TEST(TensorTypes, AreNotKnownOfAnUnknownDevice) {
  EXPECT_EQ(type_on(0, 0, DType::kFloat16), std::nullopt);
  EXPECT_EQ(type_on(9, 0, DType::kUnknown), std::nullopt);
  EXPECT_EQ(type_on(9, 0, DType::kInt64), std::nullopt);
}

}  // namespace
}  // namespace prof::devices
