// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The expected blocks are those of cuda_occupancy.h (CUDA 13.0), with which the function agrees for
// every compute capability of the table, all registers per thread and blocks of all warps.
#include "analyzers/devices/occupancy.hpp"

#include <gtest/gtest.h>

namespace prof::devices {
namespace {

DeviceRow device(std::uint32_t major, std::uint32_t minor) {
  DeviceRow row;
  row.compute_major = major;
  row.compute_minor = minor;
  return row;
}

LaunchConfig launch(std::uint32_t threads, std::uint32_t registers, std::uint32_t shared = 0) {
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.registers_per_thread = registers;
  config.dynamic_shared_bytes = shared;
  return config;
}

struct Case {
  std::uint32_t major, minor;
  std::uint32_t threads, registers, shared;
  std::uint32_t blocks;
  double fraction;
  OccupancyLimit limit;
};

TEST(Occupancy, IsThatOfTheOccupancyCalculator) {
  using enum OccupancyLimit;
  constexpr Case kCases[] = {
      {7, 0, 1024, 32, 0, 2, 1, kWarps},
      {7, 0, 256, 128, 0, 2, 0.25, kRegisters},
      {7, 0, 128, 16, 48 * 1024, 2, 0.125, kSharedMemory},
      {7, 0, 128, 16, 96 * 1024, 1, 0.0625, kSharedMemory},
      {7, 5, 128, 64, 0, 8, 1, kWarps},
      {7, 5, 32, 32, 0, 16, 0.5, kBlocks},
      {8, 0, 256, 32, 0, 8, 1, kWarps},
      {8, 0, 256, 33, 0, 6, 0.75, kRegisters},
      {8, 0, 128, 32, 81 * 1024, 2, 0.125, kSharedMemory},
      {8, 0, 128, 32, 82 * 1024, 1, 0.0625, kSharedMemory},
      {8, 6, 1024, 32, 0, 1, 2.0 / 3, kWarps},
      {8, 6, 256, 40, 0, 6, 1, kWarps},
      {8, 9, 32, 32, 0, 24, 0.5, kBlocks},
      {9, 0, 384, 168, 0, 1, 0.1875, kRegisters},
      {9, 0, 128, 40, 100 * 1024, 2, 0.125, kSharedMemory},
      {9, 0, 128, 40, 227 * 1024, 1, 0.0625, kSharedMemory},
      {10, 0, 192, 128, 0, 2, 0.1875, kRegisters},
      {12, 0, 256, 32, 0, 6, 1, kWarps},
  };
  for (const Case& c : kCases) {
    const auto occupancy =
        theoretical_occupancy(device(c.major, c.minor), launch(c.threads, c.registers, c.shared));
    const auto what = ::testing::Message() << c.major << '.' << c.minor << ' ' << c.threads << ' '
                                           << c.registers << ' ' << c.shared;
    ASSERT_TRUE(occupancy) << what;
    EXPECT_EQ(occupancy->blocks_per_sm(), c.blocks) << what;
    EXPECT_DOUBLE_EQ(occupancy->fraction(), c.fraction) << what;
    EXPECT_EQ(name(occupancy->limit()), name(c.limit)) << what;
  }
}

TEST(Occupancy, CountsWholeWarpsAndAllOfABlock) {
  LaunchConfig config = launch(1, 32);
  config.block = {11, 3, 2};  // 66 threads: 3 warps
  config.static_shared_bytes = 40 * 1024;
  config.dynamic_shared_bytes = 41 * 1024;
  const auto occupancy = theoretical_occupancy(device(8, 0), config);
  ASSERT_TRUE(occupancy);
  EXPECT_EQ(occupancy->warps_per_block, 3);
  EXPECT_EQ(occupancy->blocks_per_sm(), 2);
  EXPECT_DOUBLE_EQ(occupancy->fraction(), 6.0 / 64);
}

TEST(Occupancy, IsAbsentWhereItIsNotKnown) {
  EXPECT_FALSE(theoretical_occupancy(device(0, 0), launch(128, 32)));
  EXPECT_FALSE(theoretical_occupancy(device(13, 7), launch(128, 32)));
  EXPECT_FALSE(theoretical_occupancy(device(9, 0), launch(128, 0))) << "not stated";
  EXPECT_FALSE(theoretical_occupancy(device(9, 0), launch(0, 32)));
}

TEST(Occupancy, IsAbsentForALaunchThatCannotRun) {
  EXPECT_FALSE(theoretical_occupancy(device(9, 0), launch(1025, 32)));
  EXPECT_FALSE(theoretical_occupancy(device(9, 0), launch(1024, 65))) << "too many registers";
  EXPECT_FALSE(theoretical_occupancy(device(9, 0), launch(128, 32, 228 * 1024)));
  LaunchConfig damaged = launch(128, 32);
  damaged.block = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  damaged.dynamic_shared_bytes = damaged.static_shared_bytes = UINT32_MAX;
  EXPECT_FALSE(theoretical_occupancy(device(9, 0), damaged));
}

}  // namespace
}  // namespace prof::devices
