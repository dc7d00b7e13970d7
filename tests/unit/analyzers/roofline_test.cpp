// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/devices/roofline.hpp"

#include <gtest/gtest.h>

namespace prof::devices {
namespace {

class Roofline : public ::testing::Test {
 protected:
  // 989.5 TFLOP/s of float16, 67 of float32, 4.8 TB/s, an L2 of 60 MiB at 9.582 TB/s.
  Roofline() {
    device_.name = "NVIDIA H200";
    device_.compute_major = 9;
    device_.sm_count = 132;
    device_.core_clock_khz = 1'980'000;
  }

  RooflineTimes times(std::int64_t duration_ns = 0) {
    attribution_.op = std::make_shared<const OpAttribution>(op_);
    attribution_.kernel = std::make_shared<const KernelFacts>(kernel_);
    return roofline_times(attribution_, duration_ns, device_peaks(device_), DeviceLimits(device_));
  }

  DeviceRow device_;
  OpAttribution op_;
  KernelFacts kernel_;
  Attribution attribution_;
};

TEST_F(Roofline, OfATensorCoreProduct) {
  op_.dtype = DType::kFloat16;
  kernel_.tensor_core = TensorCore::kYes;
  attribution_.cost.flops = 989.5e9;  // 1 ms
  attribution_.cost.bytes = 480e6;    // 0.1 ms
  EXPECT_NEAR(times().compute_ns.value(), 1e6, 1);
  EXPECT_NEAR(times().memory_ns.value(), 1e5, 1);
  EXPECT_NEAR(times().model_ns().value(), 1e6, 1);
  EXPECT_EQ(bound(times(), 1'250'000), Bound::kCompute);
  EXPECT_EQ(bound(times(), 10'000'001), Bound::kLatency) << "below a tenth of both peaks";
  EXPECT_EQ(bound(times(), 9'999'000), Bound::kCompute);
  EXPECT_EQ(bound(times(), 2'999), Bound::kLatency) << "too short to tell";
  EXPECT_EQ(bound(times(), 0), Bound::kUnknown);
  op_.dtype = DType::kFloat32;  // the name says what the tensor cores take
  kernel_.operand_dtype = DType::kTFloat32;
  EXPECT_NEAR(times().compute_ns.value(), 2e6, 1e4);
}

TEST_F(Roofline, OfAnElementwiseKernel) {
  op_.dtype = DType::kFloat16;
  kernel_.tensor_core = TensorCore::kNo;
  attribution_.cost.flops = 1e6;
  attribution_.cost.bytes = 48e6;  // 10 us
  EXPECT_EQ(bound(times(), 12'000), Bound::kMemory);
  EXPECT_NEAR(times().compute_ns.value(), 1e6 / 67e12 * 1e9, 1e-6) << "in 32 bits";
  op_.dtype = DType::kInt64;
  EXPECT_FALSE(times().model_ns()) << "no peak for integers";
  attribution_.cost.flops = 0;  // a copy of integers needs none
  EXPECT_NEAR(times().model_ns().value(), 10'000, 1);
}

TEST_F(Roofline, ProductsWhoseNameDoesNotTell) {
  op_.dtype = DType::kBFloat16;
  attribution_.cost.flops = 1e12;
  attribution_.cost.bytes = 1;
  const double plain = times().compute_ns.value();
  op_.gemm = GemmShape{1, 1, 1, 1};
  EXPECT_NEAR(times().compute_ns.value() * 989.5 / 67, plain, plain / 1e6);
  op_.dtype = DType::kFloat32;
  EXPECT_NEAR(times().compute_ns.value(), plain, plain / 1e6) << "TF32 is never assumed";
}

TEST_F(Roofline, UnknownStaysUnknown) {
  op_.dtype = DType::kFloat16;
  EXPECT_FALSE(times().compute_ns || times().memory_ns);
  attribution_.cost.bytes = 100;
  EXPECT_FALSE(times().model_ns()) << "FLOPs are not known";
  EXPECT_EQ(bound(times(), 5000), Bound::kUnknown);
  attribution_.cost.flops = 0;
  attribution_.cost.bytes = 0;  // a helper
  EXPECT_EQ(bound(times(), 5000), Bound::kUnknown);
  device_ = {};
  device_.name = "A device of 2040";
  attribution_.cost.flops = 1e9;
  attribution_.cost.bytes = 1e9;
  EXPECT_FALSE(times().compute_ns || times().memory_ns);
  attribution_.op = std::make_shared<const OpAttribution>(op_);
  attribution_.kernel = nullptr;  // a copy
  EXPECT_FALSE(times_at_peaks(attribution_, device_peaks(device_)).memory_ns);
}

TEST_F(Roofline, OfBytesThatTheL2Serves) {
  op_.dtype = DType::kFloat32;
  attribution_.cost.flops = 0;
  attribution_.cost.bytes = 48e6;  // 10 us of the memory, 5.009 of the L2
  attribution_.l2_bytes = 12e6;
  EXPECT_NEAR(times(12'000).model_ns().value(), 7'500, 1e-6)
      << "the rest passes through the memory";
  EXPECT_EQ(bound(times(12'000), 12'000), Bound::kMemory);
  attribution_.l2_bytes = 36e6;
  EXPECT_NEAR(times(12'000).model_ns().value(), 48e6 / 9582, 1e-6);
  EXPECT_NEAR(times(12'000).bytes_per_s.value(), 9582e9, 1);
  EXPECT_EQ(bound(times(12'000), 12'000), Bound::kL2);
}

TEST_F(Roofline, KernelsFasterThanTheMemoryAreServedByTheL2) {
  op_.dtype = DType::kFloat32;
  attribution_.cost.flops = 0;
  attribution_.cost.bytes = 48e6;
  EXPECT_EQ(bound(times(10'100), 10'100), Bound::kMemory);
  EXPECT_EQ(times(9'980).model_ns().value(), 9'980) << "within a tick of the timer";
  EXPECT_EQ(bound(times(9'900), 9'900), Bound::kL2);
  EXPECT_NEAR(times(9'900).model_ns().value(), 48e6 / 9582, 1e-6);
  EXPECT_GT(times(4'000).model_ns().value(), 4'032) << "not even the L2: Contradiction::kBytes";
  // 400 MB, of which at most twice 60 MiB need not pass through the memory.
  attribution_.cost.bytes = 400e6;
  EXPECT_NEAR(times(70'000).model_ns().value(), (400e6 - 120 * 1048576) / 4800, 1e-6);
  EXPECT_EQ(bound(times(70'000), 70'000), Bound::kMemory);
  device_.name = "NVIDIA H100 NVL";  // the size of its L2 is not known
  EXPECT_FALSE(times(70'000).model_ns());
  EXPECT_TRUE(times(200'000).model_ns());
}

TEST_F(Roofline, KernelsFasterThanThePeakRanAtAHigherClock) {
  op_.dtype = DType::kFloat16;
  kernel_.tensor_core = TensorCore::kYes;
  kernel_.operand_dtype = DType::kFloat16;
  attribution_.cost.flops = 989.5e9;  // 1 ms as rated, 924.4 us at 1,980 MHz
  attribution_.cost.bytes = 1;
  EXPECT_NEAR(times(1'100'000).model_ns().value(), 1e6, 1);
  EXPECT_NEAR(times(950'000).model_ns().value(), 989.5e9 / (4096 * 132 * 1.98), 1);
  EXPECT_GT(times(900'000).model_ns().value(), 900'032) << "no clock: Contradiction::kFlops";
}

TEST(BoundNames, AreWords) {
  EXPECT_EQ(name(Bound::kCompute), "compute");
  EXPECT_EQ(name(Bound::kMemory), "memory");
  EXPECT_EQ(name(Bound::kL2), "L2");
  EXPECT_EQ(name(Bound::kLatency), "latency");
  EXPECT_EQ(name(Bound::kUnknown), "");
}

}  // namespace
}  // namespace prof::devices
