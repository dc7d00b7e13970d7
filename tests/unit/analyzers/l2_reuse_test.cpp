// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/l2_reuse.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

constexpr double kMb = 1e6;

/// An H200: an L2 of 62.9 MB, 4.8 TB/s.
class L2ReuseTest : public ::testing::Test {
 protected:
  static devices::DeviceLimits h200() {
    DeviceRow device;
    device.name = "NVIDIA H200";
    return devices::DeviceLimits(device);
  }

  /// A kernel with such operands, alone in its op unless `op_id` is that of the one before.
  double kernel(std::vector<Operand> operands, std::uint32_t stream = 7, std::uint64_t op_id = 0,
                double share = 1) {
    OpAttribution op;
    double bytes = 0;
    for (const Operand& operand : operands) {
      bytes += operand.bytes * (operand.is_read && operand.is_written ? 2 : 1);
    }
    op.operands = std::move(operands);
    Attribution made;
    made.op = std::make_shared<const OpAttribution>(std::move(op));
    made.op_id = op_id != 0 ? op_id : ++ops_;
    made.share = share;
    made.cost.bytes = bytes * share;
    return reuse_.take(made, stream, 10'000);
  }
  static Operand in(double mb) { return {mb * kMb, true, false}; }
  static Operand out(double mb) { return {mb * kMb, false, true}; }
  static Operand inout(double mb) { return {mb * kMb, true, true}; }

  L2Reuse reuse_{h200()};
  std::uint64_t ops_ = 100;
};

TEST_F(L2ReuseTest, WhatAKernelWroteIsThere) {
  EXPECT_EQ(kernel({in(7), out(7)}), 0) << "nobody wrote it";
  EXPECT_EQ(kernel({in(7), out(7)}), 7 * kMb);
  EXPECT_EQ(kernel({inout(7)}), 14 * kMb) << "read and written where it is";
  EXPECT_EQ(kernel({in(8)}), 0) << "of another size";
  EXPECT_EQ(kernel({in(7)}, 8), 0) << "on another stream";
}

TEST_F(L2ReuseTest, UntilOthersTakeItsPlace) {
  kernel({out(7)});
  kernel({in(50)});
  EXPECT_EQ(kernel({in(7)}), 7 * kMb) << "57 MB of 62.9";
  kernel({in(50)});
  EXPECT_EQ(kernel({in(7)}), 7 * kMb) << "it has been used since";
  kernel({in(56)});
  EXPECT_EQ(kernel({in(7)}), 0) << "63 MB";
  kernel({out(70)});
  EXPECT_EQ(kernel({in(70)}), 0) << "larger than the cache";
}

TEST_F(L2ReuseTest, EachOperandIsFoundOnce) {
  kernel({out(7)});
  EXPECT_EQ(kernel({in(7), in(7), out(7)}), 7 * kMb) << "only one of them was written";
  EXPECT_EQ(kernel({in(7), in(7)}), 14 * kMb);
}

TEST_F(L2ReuseTest, WorkOfUnknownBytesCountsByItsTime) {
  kernel({out(10)});
  Attribution unknown;
  unknown.op = std::make_shared<const OpAttribution>();
  reuse_.take(unknown, 7, 10'000);  // 48 MB at most
  EXPECT_EQ(kernel({in(10)}), 10 * kMb);
  reuse_.take(unknown, 7, 12'000);
  EXPECT_EQ(kernel({in(10)}), 0);
}

TEST_F(L2ReuseTest, KernelsOfOneOpShareItsOperands) {
  kernel({out(8)});
  EXPECT_EQ(kernel({in(8), out(8)}, 7, 1, 0.25), 2 * kMb);
  EXPECT_EQ(kernel({in(8), out(8)}, 7, 1, 0.75), 6 * kMb);
  EXPECT_EQ(kernel({in(8), in(8), in(8)}), 16 * kMb) << "two were written, not three";
}

}  // namespace
}  // namespace prof
