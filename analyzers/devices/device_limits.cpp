// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See device_limits.hpp.
#include "analyzers/devices/device_limits.hpp"

#include <algorithm>
#include <string_view>

namespace prof::devices {
namespace {

struct Limit {
  std::string_view name;
  std::uint32_t sm_mhz;
  double l2_mib, l2_gb_per_s;
  Basis basis;
};

constexpr Limit kLimits[] = {
#define PROF_LIMIT(name, sm_mhz, l2_mib, l2_gb_per_s, basis, source) \
  {name, sm_mhz, l2_mib, l2_gb_per_s, Basis::basis},
#include "analyzers/devices/limits.inc"
#undef PROF_LIMIT
};

/// The most that a multiprocessor of Volta and later takes from the L2: the width of its port. No
/// device is known to have an L2 that feeds all of them at that rate; an H200's reaches 37.
constexpr double kL2BytesPerClock = 64;

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

/// 0 here and below: unknown.
double tensor_rate(const DevicePeaks& peaks, DType operand) {
  const std::optional<Peak> peak = peaks.flops(operand, true);
  return peak ? peak->per_s : 0;
}

/// `halves_per_float`: operations on 16-bit floats for one on 32 bits.
double core_rate(const DevicePeaks& peaks, DType dtype, double halves_per_float) {
  const auto rate = [&](DType of) {
    const std::optional<Peak> peak = peaks.flops(of, false);
    return peak ? peak->per_s : 0;
  };
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
      return rate(DType::kFloat64);
    case DType::kFloat32:
    case DType::kTFloat32:
    case DType::kComplex64:
      return rate(DType::kFloat32);
    case DType::kFloat16:
    case DType::kBFloat16:
      return rate(DType::kFloat32) * halves_per_float;
    default:  // integers, and floats that are packed in them
      return 0;
  }
}

L2Cache l2_of(const DeviceRow& device, const Limit* known) {
  L2Cache l2;
  l2.bytes = device.l2_bytes;
  if (l2.bytes == 0 && known != nullptr) l2.bytes = known->l2_mib * 1024 * 1024;
  if (known != nullptr) {
    l2.bytes_per_s = known->l2_gb_per_s * 1e9;
    l2.basis = known->basis;
  } else if (device.compute_major >= 7) {
    l2.bytes_per_s = kL2BytesPerClock * device.sm_count * device.core_clock_khz * 1e3;
    if (l2.bytes_per_s > 0) l2.basis = Basis::kEstimated;
  }
  return l2;
}

}  // namespace

DeviceLimits::DeviceLimits(const DeviceRow& device) {
  const Limit* known = find_limit(device.name);
  const bool is_stated = device.core_clock_khz > 0 && !exceeds_stated_clock(device.name);
  std::uint32_t clock_khz = is_stated ? device.core_clock_khz : 0;
  if (known != nullptr) clock_khz = std::max(clock_khz, known->sm_mhz * 1000);
  const DevicePeaks peaks = peaks_at_clock(device, clock_khz);
  const double halves_per_float = device.compute_major == 8 && device.compute_minor == 0 ? 4 : 2;
  for (std::size_t i = 1; i < kTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    rates_[i] = {tensor_rate(peaks, dtype), core_rate(peaks, dtype, halves_per_float)};
    Rates& any = rates_[static_cast<std::size_t>(DType::kUnknown)];
    any.tensor = std::max(any.tensor, rates_[i].tensor);
  }

  DeviceRow by_clock = device;
  by_clock.name.clear();
  for (const DeviceRow* row : {&device, &std::as_const(by_clock)}) {
    const std::optional<Peak> memory = device_peaks(*row).bytes();
    if (memory) memory_bytes_per_s_ = std::max(memory_bytes_per_s_, memory->per_s);
  }
  l2_ = l2_of(device, known);
}

std::optional<double> DeviceLimits::compute_ns(double flops, const OpAttribution& op,
                                               const KernelFacts& kernel) const {
  // A kernel may compute in the type of its op or in that of its name, by either kind of unit:
  // the fastest counts.
  double rate = 0;
  if (kernel.tensor_core != TensorCore::kNo) {
    rate = rates(kernel.operand_dtype).tensor;
    if (rate <= 0) return std::nullopt;
  }
  if (kernel.tensor_core != TensorCore::kYes) {
    const DType by_name = kernel.operand_dtype == DType::kUnknown ? op.dtype : kernel.operand_dtype;
    const double named = rates(by_name).core;
    const double stated = rates(op.dtype == DType::kUnknown ? by_name : op.dtype).core;
    if (named <= 0 || stated <= 0) return std::nullopt;
    rate = std::max({rate, named, stated});
  }
  return flops / rate * 1e9;
}

std::optional<double> DeviceLimits::memory_ns(double bytes) const {
  if (l2_.bytes <= 0) return std::nullopt;
  const double rest_ns = beyond_l2_ns(bytes);
  if (l2_.bytes_per_s > 0) return std::max(bytes / l2_.bytes_per_s * 1e9, rest_ns);
  return rest_ns > 0 ? std::optional(rest_ns) : std::nullopt;
}

double DeviceLimits::beyond_l2_ns(double bytes) const {
  if (l2_.bytes <= 0 || memory_bytes_per_s_ <= 0) return 0;
  return std::max(0.0, bytes - l2_.most_served()) / memory_bytes_per_s_ * 1e9;
}

}  // namespace prof::devices
