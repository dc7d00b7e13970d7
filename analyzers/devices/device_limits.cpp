// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See device_limits.hpp.
#include "analyzers/devices/device_limits.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace prof::devices {
namespace {

constexpr double NA = -1;  // NOLINT(readability-identifier-naming): as the table writes it

struct Limit {
  std::string_view name;
  std::uint32_t sm_mhz;
  double l2_mib, l2_gb_per_s;
};

constexpr Limit kLimits[] = {
#define PROF_LIMIT(name, sm_mhz, l2_mib, l2_gb_per_s, source) {name, sm_mhz, l2_mib, l2_gb_per_s},
#include "analyzers/devices/limits.inc"
#undef PROF_LIMIT
};

const Limit* find_limit(std::string_view name) {
  constexpr std::string_view kBrand = "NVIDIA ";
  if (name.starts_with(kBrand)) name.remove_prefix(kBrand.size());
  const auto* found = std::ranges::find(kLimits, name, &Limit::name);
  return found == std::end(kLimits) ? nullptr : found;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// CUDA states the rated clock of these, which they exceed.
bool exceeds_stated_clock(std::string_view name) {
  constexpr std::string_view kBrands[] = {"GeForce", "RTX", "TITAN", "Quadro"};
  return std::ranges::any_of(kBrands, [&](std::string_view brand) { return has(name, brand); });
}

/// Convolutions by transforms take fewer products than their op counts, sparse operands skip some.
/// A plain matrix product in an op that is none may serve a transform.
bool may_compute_less(const OpAttribution& op, const KernelFacts& kernel) {
  constexpr std::string_view kWords[] = {"winograd", "Winograd", "fft", "sparse", "spgemm"};
  const auto is_in_name = [&](std::string_view word) { return has(kernel.demangled, word); };
  if (std::ranges::any_of(kWords, is_in_name)) return true;
  const bool is_gemm = kernel.family.ends_with("/gemm") || kernel.family.ends_with("/fft");
  return is_gemm && !(op.gemm && op.gemm->k);
}

constexpr DType kTensorTypes[] = {DType::kFloat64,   DType::kTFloat32,   DType::kFloat16,
                                  DType::kBFloat16,  DType::kFloat8E4M3, DType::kInt8,
                                  DType::kFloat4E2M1};

}  // namespace

DeviceLimits::DeviceLimits(const DeviceRow& device) {
  const Limit* known = find_limit(device.name);
  const bool is_stated = device.core_clock_khz > 0 && !exceeds_stated_clock(device.name);
  std::uint32_t clock_khz = is_stated ? device.core_clock_khz : 0;
  if (known != nullptr) clock_khz = std::max(clock_khz, known->sm_mhz * 1000);
  peaks_ = peaks_at_clock(device, clock_khz);
  if (device.compute_major == 8 && device.compute_minor == 0) halves_per_float_ = 4;

  DeviceRow by_clock = device;
  by_clock.name.clear();
  for (const DeviceRow* row : {&device, &std::as_const(by_clock)}) {
    const std::optional<Peak> memory = device_peaks(*row).bytes();
    if (memory) memory_bytes_per_s_ = std::max(memory_bytes_per_s_, memory->per_s);
  }
  l2_bytes_ = device.l2_bytes;
  if (known == nullptr) return;
  if (device.l2_bytes == 0) l2_bytes_ = known->l2_mib * 1024 * 1024;
  l2_bytes_per_s_ = std::max(known->l2_gb_per_s, 0.0) * 1e9;
}

std::optional<double> DeviceLimits::tensor_rate(DType operand) const {
  const auto rate = [&](DType dtype) {
    const std::optional<Peak> peak = peaks_.flops(dtype, true);
    return peak ? peak->per_s : 0;
  };
  double highest = 0;
  if (operand != DType::kUnknown) {
    highest = rate(operand);
  } else {
    for (const DType dtype : kTensorTypes) highest = std::max(highest, rate(dtype));
  }
  return highest > 0 ? std::optional(highest) : std::nullopt;
}

std::optional<double> DeviceLimits::core_rate(DType dtype) const {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
    case DType::kFloat32:
    case DType::kTFloat32:
    case DType::kComplex64: {
      const bool is_double = dtype == DType::kFloat64 || dtype == DType::kComplex128;
      const auto peak = peaks_.flops(is_double ? DType::kFloat64 : DType::kFloat32, false);
      return peak ? std::optional(peak->per_s) : std::nullopt;
    }
    case DType::kFloat16:
    case DType::kBFloat16: {
      const auto peak = peaks_.flops(DType::kFloat32, false);
      return peak ? std::optional(peak->per_s * halves_per_float_) : std::nullopt;
    }
    default:  // integers, and floats that are packed in them
      return std::nullopt;
  }
}

std::optional<double> DeviceLimits::compute_ns(double flops, const OpAttribution& op,
                                               const KernelFacts& kernel) const {
  if (may_compute_less(op, kernel)) return std::nullopt;
  // A kernel may compute in the type of its op or in that of its name, by either kind of unit:
  // the fastest counts.
  std::optional<double> rate;
  if (kernel.tensor_core != TensorCore::kNo) {
    rate = tensor_rate(kernel.operand_dtype);
    if (!rate) return std::nullopt;
  }
  if (kernel.tensor_core != TensorCore::kYes) {
    const DType by_name = kernel.operand_dtype == DType::kUnknown ? op.dtype : kernel.operand_dtype;
    const auto named = core_rate(by_name);
    const auto stated = core_rate(op.dtype == DType::kUnknown ? by_name : op.dtype);
    if (!named || !stated) return std::nullopt;
    rate = std::max({rate.value_or(0), *named, *stated});
  }
  return flops / *rate * 1e9;
}

std::optional<double> DeviceLimits::memory_ns(double bytes) const {
  // Up to a cache full of data is in the L2 cache before the kernel, and as much stays there after
  // it: neither passes through the memory.
  if (l2_bytes_ > 0 && memory_bytes_per_s_ > 0 && bytes >= 4 * l2_bytes_) {
    return (bytes - 2 * l2_bytes_) / memory_bytes_per_s_ * 1e9;
  }
  if (l2_bytes_per_s_ > 0) return bytes / l2_bytes_per_s_ * 1e9;
  return std::nullopt;
}

}  // namespace prof::devices
