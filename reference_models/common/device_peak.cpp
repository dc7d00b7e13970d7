// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See device_peak.hpp.
#include "common/device_peak.hpp"

#include "common/gpu_check.hpp"

namespace ref {
namespace {

// From NVIDIA's architecture whitepapers: tensor cores per multiprocessor times fused multiply-adds
// of each per clock, times two.
struct Rate {
  int major;
  int minor;  // -1: any
  int flops;
};
constexpr Rate kRates[] = {
    {7, 0, 8 * 64 * 2},     // Volta
    {7, 5, 8 * 64 * 2},     // Turing
    {8, 0, 4 * 256 * 2},    // Ampere, GA100
    {8, 6, 4 * 128 * 2},    // Ampere, GA10x
    {8, 9, 4 * 128 * 2},    // Ada
    {9, 0, 4 * 512 * 2},    // Hopper
    {10, -1, 4 * 1024 * 2}  // Blackwell, for data centers
};

int attribute(cudaDeviceAttr what, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, what, device));
  return value;
}

}  // namespace

std::optional<int> tensor_flops_per_clock(int major, int minor) {
  for (const Rate& rate : kRates) {
    if (rate.major == major && (rate.minor == minor || rate.minor == -1)) return rate.flops;
  }
  return std::nullopt;
}

std::optional<double> tensor_peak_flops() {
  int device = 0;
  check(cudaGetDevice(&device));
  const std::optional<int> rate =
      tensor_flops_per_clock(attribute(cudaDevAttrComputeCapabilityMajor, device),
                             attribute(cudaDevAttrComputeCapabilityMinor, device));
  const int clock_khz = attribute(cudaDevAttrClockRate, device);
  if (!rate || clock_khz <= 0) return std::nullopt;
  return 1e3 * clock_khz * *rate * attribute(cudaDevAttrMultiProcessorCount, device);
}

}  // namespace ref
