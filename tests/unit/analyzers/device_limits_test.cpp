// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/devices/device_limits.hpp"

#include <gtest/gtest.h>

#include "analyzers/kernels/kernel_facts.hpp"

namespace prof::devices {
namespace {

DeviceRow device(std::string_view name, std::uint32_t major, std::uint32_t minor,
                 std::uint32_t sm_count, std::uint32_t clock_khz) {
  DeviceRow row;
  row.name = name;
  row.compute_major = major;
  row.compute_minor = minor;
  row.sm_count = sm_count;
  row.core_clock_khz = clock_khz;
  return row;
}

const DeviceRow kH200 = device("NVIDIA H200", 9, 0, 132, 1'980'000);

/// TFLOP/s that a kernel of that name can reach; 0: not known.
double reach(const DeviceRow& row, std::string_view kernel, DType op_dtype) {
  OpAttribution op;
  op.dtype = op_dtype;
  const auto ns = DeviceLimits(row).compute_ns(1e12, op, kernels::facts(kernel));
  return ns ? 1e9 / *ns : 0;
}

TEST(DeviceLimits, AreThoseOfTheHighestClock) {
  EXPECT_NEAR(
      reach(kH200, "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn", DType::kFloat16),
      1070.5, 0.1);
  EXPECT_NEAR(reach(kH200, "ampere_sgemm_128x64_nn", DType::kFloat32), 66.9, 0.1);
  // What an import does not state.
  EXPECT_NEAR(reach(device("NVIDIA H200", 9, 0, 132, 0), "ampere_sgemm_128x64_nn", DType::kFloat32),
              66.9, 0.1);
  EXPECT_EQ(reach(device("NVIDIA H20", 9, 0, 78, 0), "ampere_sgemm_128x64_nn", DType::kFloat32), 0);
  EXPECT_EQ(reach(DeviceRow{}, "ampere_sgemm_128x64_nn", DType::kFloat32), 0);
  EXPECT_EQ(reach(device("NVIDIA GeForce RTX 4090", 8, 9, 128, 2'520'000), "ampere_sgemm_128x64_nn",
                  DType::kFloat32),
            0)
      << "boosts beyond the clock that CUDA states";
}

TEST(DeviceLimits, AreThoseOfTheUnitsThatTheNameAllows) {
  const char* const kAdd =
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>, "
      "std::array<char*, 3> >(int)";
  EXPECT_NEAR(reach(kH200, kAdd, DType::kFloat16), 133.8, 0.1) << "two halves at once";
  EXPECT_NEAR(reach(device("NVIDIA A100-SXM4-80GB", 8, 0, 108, 1'410'000), kAdd, DType::kFloat16),
              78, 0.1)
      << "four times the rate of float32";
  // Neither the units nor the type are in the name: the fastest of all, 8-bit ones.
  EXPECT_NEAR(reach(kH200, "my_kernel", DType::kFloat32), 2141, 1);
  EXPECT_EQ(reach(kH200, "my_kernel", DType::kInt64), 0);
}

TEST(DeviceLimits, OfMemoryNeedTheCaches) {
  DeviceRow row = kH200;
  row.memory_bandwidth_bytes_per_s = 4'814'304'000'000;
  row.l2_bytes = 60U << 20;
  const DeviceLimits limits(row);
  const double l2 = 60 << 20;
  ASSERT_TRUE(limits.memory_ns(2 * l2)) << "may all be in the cache";
  EXPECT_NEAR(*limits.memory_ns(2 * l2), 2 * l2 / 9582, 1e-6);
  EXPECT_NEAR(*limits.memory_ns(3.9 * l2), 3.9 * l2 / 9582, 1e-6);
  EXPECT_NEAR(*limits.memory_ns(8 * l2), 6 * l2 / 4814.304, 1e-6) << "all but twice the cache";
  // Both are in the tables.
  EXPECT_NEAR(DeviceLimits(kH200).memory_ns(8 * l2).value_or(0), 6 * l2 / 4800, 1e-6);
  EXPECT_FALSE(DeviceLimits(device("NVIDIA H100 NVL", 9, 0, 132, 0)).memory_ns(1e12))
      << "neither the trace nor a table has the size of its cache";
}

TEST(DeviceLimits, TheCacheIsMeasuredOrEstimated) {
  const L2Cache h200 = DeviceLimits(kH200).l2();
  EXPECT_EQ(h200.bytes, 60 << 20);
  EXPECT_EQ(h200.bytes_per_s, 9582e9);
  EXPECT_EQ(h200.basis, Basis::kExact);
  // 64 bytes for each of 114 multiprocessors, 1.755e9 times a second.
  DeviceRow pcie = device("NVIDIA H100 PCIe", 9, 0, 114, 1'755'000);
  pcie.l2_bytes = 50U << 20;
  const L2Cache estimated = DeviceLimits(pcie).l2();
  EXPECT_EQ(estimated.bytes, 50 << 20);
  EXPECT_NEAR(estimated.bytes_per_s, 64 * 114 * 1.755e9, 1);
  EXPECT_EQ(estimated.basis, Basis::kEstimated);
  EXPECT_EQ(DeviceLimits(DeviceRow{}).l2().basis, Basis::kUnknown);
}

}  // namespace
}  // namespace prof::devices
