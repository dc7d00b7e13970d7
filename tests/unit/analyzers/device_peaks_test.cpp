// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/devices/device_peaks.hpp"

#include <gtest/gtest.h>

namespace prof::devices {
namespace {

DeviceRow device(std::string_view name) {
  DeviceRow row;
  row.name = name;
  return row;
}

double tflops(const DevicePeaks& peaks, DType dtype, bool tensor_cores) {
  const auto peak = peaks.flops(dtype, tensor_cores);
  return peak ? peak->per_s / 1e12 : 0;
}

TEST(DevicePeaks, OfNamedDevicesAreStated) {
  const DevicePeaks h200 = device_peaks(device("NVIDIA H200"));
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kFloat16, true), 989.5);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kBFloat16, true), 989.5);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kFloat8E4M3, true), 1979);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kTFloat32, true), 494.5);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kFloat32, false), 67);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kFloat64, true), 67);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kFloat64, false), 34);
  EXPECT_DOUBLE_EQ(tflops(h200, DType::kFloat16, false), 67) << "16-bit work in 32 bits";
  EXPECT_FALSE(h200.flops(DType::kFloat4E2M1, true));
  EXPECT_FALSE(h200.flops(DType::kInt64, false));
  EXPECT_EQ(h200.flops(DType::kFloat16, true)->basis, Basis::kExact);
  ASSERT_TRUE(h200.bytes());
  EXPECT_DOUBLE_EQ(h200.bytes()->per_s, 4.8e12);
}

TEST(DevicePeaks, TellVariantsApart) {
  const auto half = [](std::string_view name) {
    return tflops(device_peaks(device(name)), DType::kFloat16, true);
  };
  EXPECT_DOUBLE_EQ(half("Tesla V100-SXM2-32GB"), 125);
  EXPECT_DOUBLE_EQ(half("Tesla V100-PCIE-16GB"), 112);
  EXPECT_DOUBLE_EQ(half("Tesla T4"), 65);
  EXPECT_DOUBLE_EQ(half("NVIDIA H100 80GB HBM3"), 989.4);
  EXPECT_DOUBLE_EQ(half("NVIDIA H100 PCIe"), 756);
  EXPECT_DOUBLE_EQ(half("NVIDIA L40"), 181);
  EXPECT_DOUBLE_EQ(half("NVIDIA L40S"), 362);
  EXPECT_DOUBLE_EQ(half("NVIDIA B200"), 2250);
  EXPECT_DOUBLE_EQ(half("NVIDIA GeForce RTX 4090"), 165.2);
  // Others than those in the sheets, and nothing to derive them from.
  EXPECT_DOUBLE_EQ(half("NVIDIA GeForce RTX 4090 Laptop GPU"), 0);
  EXPECT_DOUBLE_EQ(half("NVIDIA H100 80GB HBM3 MIG 1g.10gb"), 0);
  EXPECT_DOUBLE_EQ(half(""), 0);
}

TEST(DevicePeaks, OfPartitionsAreTheirPart) {
  DeviceRow row = device("AMD Instinct MI300X VF");
  row.sm_count = 304;
  const DevicePeaks whole = device_peaks(row);
  EXPECT_DOUBLE_EQ(tflops(whole, DType::kFloat8E4M3Fnuz, true), 2614.9);
  EXPECT_EQ(whole.flops(DType::kFloat16, true)->basis, Basis::kExact);
  row.sm_count = 38;
  const DevicePeaks part = device_peaks(row);
  EXPECT_DOUBLE_EQ(tflops(part, DType::kBFloat16, true), 1307.4 / 8);
  EXPECT_DOUBLE_EQ(part.bytes()->per_s, 5.3e12 / 8);
  EXPECT_EQ(part.flops(DType::kBFloat16, true)->basis, Basis::kEstimated);
  EXPECT_FALSE(device_peaks(device("AMD Radeon Graphics")).flops(DType::kFloat16, true));
}

TEST(DevicePeaks, OfVariantsAreThoseOfTheNearestDevice) {
  const DevicePeaks variant = device_peaks(device("NVIDIA A100-PG509-200"));
  EXPECT_EQ(variant.nearest(), "A100-SXM4-40GB");
  EXPECT_DOUBLE_EQ(tflops(variant, DType::kBFloat16, true), 312);
  EXPECT_EQ(variant.flops(DType::kBFloat16, true)->basis, Basis::kEstimated);
  EXPECT_EQ(variant.bytes()->basis, Basis::kEstimated);
  EXPECT_EQ(device_peaks(device("Tesla V100-DGXS-16GB")).nearest(), "V100-SXM2-16GB");
  EXPECT_EQ(device_peaks(device("NVIDIA H200")).nearest(), "");
}

TEST(DevicePeaks, AreDerivedForOthers) {
  DeviceRow row = device("NVIDIA GeForce RTX 4070");
  row.compute_major = 8;
  row.compute_minor = 9;
  row.sm_count = 46;
  row.core_clock_khz = 2475000;
  row.memory_clock_khz = 10501000;
  row.memory_bus_bits = 192;
  const DevicePeaks peaks = device_peaks(row);
  EXPECT_NEAR(tflops(peaks, DType::kFloat32, false), 29.1, 0.1);  // the product's page says 29
  EXPECT_NEAR(tflops(peaks, DType::kFloat16, true), 58.3, 0.1);
  EXPECT_EQ(peaks.flops(DType::kFloat16, true)->basis, Basis::kEstimated);
  ASSERT_TRUE(peaks.bytes());
  EXPECT_NEAR(peaks.bytes()->per_s, 504e9, 1e9);
  EXPECT_EQ(peaks.bytes()->basis, Basis::kEstimated);
  EXPECT_EQ(peaks.source(), "derived");

  row.name = "NVIDIA RTX 4000";  // no GeForce: full rate
  EXPECT_NEAR(tflops(device_peaks(row), DType::kFloat16, true), 116.6, 0.1);
  row.compute_major = 99;
  EXPECT_FALSE(device_peaks(row).flops(DType::kFloat16, true));
  EXPECT_TRUE(device_peaks(row).bytes());
  EXPECT_FALSE(device_peaks(DeviceRow{}).bytes());
}

TEST(DevicePeaks, RatesAgreeWithTheSheets) {
  struct Sheet {
    const char* name;
    std::uint32_t major, minor, sms, boost_mhz;
  };
  // Multiprocessors and boost clocks of the same sheets.
  constexpr Sheet kSheets[] = {{"Tesla V100-SXM2-16GB", 7, 0, 80, 1530},
                               {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410},
                               {"NVIDIA RTX A6000", 8, 6, 84, 1800},
                               {"NVIDIA GeForce RTX 3090", 8, 6, 82, 1695},
                               {"NVIDIA GeForce RTX 4090", 8, 9, 128, 2520},
                               {"NVIDIA RTX 6000 Ada Generation", 8, 9, 142, 2505},
                               {"NVIDIA H100 80GB HBM3", 9, 0, 132, 1830},
                               {"NVIDIA GeForce RTX 5090", 12, 0, 170, 2407},
                               {"NVIDIA GeForce RTX 2080 Ti", 7, 5, 68, 1545}};
  for (const Sheet& sheet : kSheets) {
    DeviceRow row = device(sheet.name);
    const double stated = tflops(device_peaks(row), DType::kFloat16, true);
    row.name = row.name.find("GeForce") != std::string::npos ? "GeForce X" : "X";
    row.compute_major = sheet.major;
    row.compute_minor = sheet.minor;
    row.sm_count = sheet.sms;
    row.core_clock_khz = sheet.boost_mhz * 1000;
    const double derived = tflops(device_peaks(row), DType::kFloat16, true);
    EXPECT_NEAR(derived / stated, 1, 0.01) << sheet.name;
  }
}

/// An H200 as CUDA describes it.
DeviceRow h200() {
  DeviceRow row = device("NVIDIA H200");
  row.compute_major = 9;
  row.sm_count = 132;
  row.core_clock_khz = 1980000;
  row.memory_clock_khz = 3201000;
  return row;
}

TEST(DevicePeaks, FollowTheClocks) {
  // The sheet rates the tensor cores at 1830 MHz and the other units at 1980 MHz.
  const DevicePeaks rated = device_peaks(h200(), {.sm_mhz = 1830, .memory_mhz = 3201});
  EXPECT_NEAR(tflops(rated, DType::kBFloat16, true), 989.5, 0.5);
  EXPECT_NEAR(tflops(rated, DType::kFloat32, false), 67 * 1830 / 1980., 0.1);
  EXPECT_DOUBLE_EQ(rated.bytes()->per_s, 4.8e12);
  EXPECT_EQ(rated.bytes()->basis, Basis::kExact);
  const DevicePeaks highest = device_peaks(h200(), {.sm_mhz = 1980, .memory_mhz = {}});
  EXPECT_NEAR(tflops(highest, DType::kBFloat16, true), 1070.5, 0.5);
  EXPECT_NEAR(tflops(highest, DType::kFloat32, false), 67, 0.1);
  const DevicePeaks half = device_peaks(h200(), {.sm_mhz = 915, .memory_mhz = 1600.5});
  EXPECT_NEAR(tflops(half, DType::kBFloat16, true), 494.75, 0.5);
  EXPECT_DOUBLE_EQ(half.bytes()->per_s, 2.4e12);
  EXPECT_EQ(half.flops(DType::kBFloat16, true)->basis, Basis::kEstimated);
  EXPECT_FALSE(half.flops(DType::kInt64, false));
}

TEST(DevicePeaks, OfACutDownDeviceFollowItsHighestClock) {
  DeviceRow row = h200();
  row.name = "NVIDIA H20";  // 148 TFLOP/s, a quarter of what its multiprocessors could do
  row.sm_count = 78;
  const DevicePeaks half = device_peaks(row, {.sm_mhz = 990, .memory_mhz = {}});
  EXPECT_DOUBLE_EQ(tflops(half, DType::kBFloat16, true), 74);
}

TEST(DevicePeaks, WithoutTheDevicesClocksStayAsStated) {
  const DevicePeaks peaks =
      device_peaks(device("NVIDIA H200"), {.sm_mhz = 990, .memory_mhz = 1000});
  EXPECT_DOUBLE_EQ(tflops(peaks, DType::kBFloat16, true), 989.5);
  EXPECT_DOUBLE_EQ(peaks.bytes()->per_s, 4.8e12);
  const DevicePeaks unknown = device_peaks(h200(), {});
  EXPECT_DOUBLE_EQ(tflops(unknown, DType::kBFloat16, true), 989.5);
  EXPECT_EQ(unknown.flops(DType::kBFloat16, true)->basis, Basis::kExact);
}

}  // namespace
}  // namespace prof::devices
