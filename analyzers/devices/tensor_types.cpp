// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See tensor_types.hpp.
#include "analyzers/devices/tensor_types.hpp"

#include <algorithm>
#include <iterator>

namespace prof::devices {
namespace {

struct Since {
  DType dtype;
  std::uint32_t capability;  // 10 x major + minor
};

// PTX ISA, mma, wmma and tcgen05.mma: from which target on each type is accepted.
constexpr Since kSince[] = {
    {DType::kFloat16, 70},    {DType::kInt8, 72},       {DType::kUint8, 72},
    {DType::kBFloat16, 80},   {DType::kTFloat32, 80},   {DType::kFloat64, 80},
    {DType::kFloat8E4M3, 89}, {DType::kFloat8E5M2, 89}, {DType::kFloat4E2M1, 100},
};

/// Those of data centers have 64-bit floats. The others accept the instruction for compatibility
/// (NVIDIA's white papers on GA102, AD102 and GB202).
constexpr std::uint32_t kWithFloat64[] = {80, 90, 100, 103};

}  // namespace

std::optional<DType> tensor_type(const DeviceRow& device, DType dtype) {
  const DType taken = dtype == DType::kFloat32 ? DType::kTFloat32 : dtype;
  const std::uint32_t capability = 10 * device.compute_major + device.compute_minor;
  const auto* row = std::ranges::find(kSince, taken, &Since::dtype);
  if (row == std::end(kSince) || device.compute_major == 0) return std::nullopt;
  const bool has = taken == DType::kFloat64 ? std::ranges::count(kWithFloat64, capability) != 0
                                            : capability >= row->capability;
  return has ? taken : DType::kUnknown;
}

}  // namespace prof::devices
