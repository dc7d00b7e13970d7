// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/devices/roofline.hpp"

#include <gtest/gtest.h>

namespace prof::devices {
namespace {

class Roofline : public ::testing::Test {
 protected:
  Roofline() { device_.name = "NVIDIA H200"; }  // 989.5 TFLOP/s of float16, 67 of float32, 4.8 TB/s

  RooflineTimes times() {
    attribution_.op = std::make_shared<const OpAttribution>(op_);
    attribution_.kernel = std::make_shared<const KernelFacts>(kernel_);
    return roofline_times(attribution_, device_peaks(device_));
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
  device_.name = "A device of 2040";
  attribution_.cost.flops = 1e9;
  attribution_.cost.bytes = 1e9;
  EXPECT_FALSE(times().compute_ns || times().memory_ns);
  attribution_.op = std::make_shared<const OpAttribution>(op_);
  attribution_.kernel = nullptr;  // a copy
  EXPECT_FALSE(roofline_times(attribution_, device_peaks(device_)).memory_ns);
}

TEST(BoundNames, AreWords) {
  EXPECT_EQ(name(Bound::kCompute), "compute");
  EXPECT_EQ(name(Bound::kMemory), "memory");
  EXPECT_EQ(name(Bound::kLatency), "latency");
  EXPECT_EQ(name(Bound::kUnknown), "");
}

}  // namespace
}  // namespace prof::devices
