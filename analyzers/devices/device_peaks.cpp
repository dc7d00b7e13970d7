// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See device_peaks.hpp.
#include "analyzers/devices/device_peaks.hpp"

#include <algorithm>
#include <cstddef>

namespace prof::devices {
namespace {

constexpr std::size_t kUnitCount = 9;  // in the order of the columns of the tables
struct KnownDevice {
  std::string_view name;
  double tflops[kUnitCount];
  double gb_per_s;
  std::string_view source;
  std::uint32_t units =
      0;  // multiprocessors of a whole device; 0: it has no partitions of its name
};

struct Variant {
  std::string_view name, nearest;
};

struct Rate {
  std::uint32_t major, minor;
  bool geforce;
  double per_clock[kUnitCount];
};

// clang-format off
constexpr KnownDevice kDevices[] = {
#define PROF_PEAK(name, fp64, fp64_tc, fp32, tf32, fp16, bf16, fp8, int8, fp4, gb_per_s, source) \
  {name, {fp64, fp64_tc, fp32, tf32, fp16, bf16, fp8, int8, fp4}, gb_per_s, source},
#define PROF_PEAK_OF_UNITS(name, units, fp64, fp64_tc, fp32, tf32, fp16, bf16, fp8, int8, fp4, gb_per_s, source) \
  {name, {fp64, fp64_tc, fp32, tf32, fp16, bf16, fp8, int8, fp4}, gb_per_s, source, units},
#define PROF_VARIANT(name, nearest)
#include "analyzers/devices/peaks.inc"
#undef PROF_VARIANT
#undef PROF_PEAK_OF_UNITS
#undef PROF_PEAK
};

constexpr Variant kVariants[] = {
#define PROF_PEAK(...)
#define PROF_PEAK_OF_UNITS(...)
#define PROF_VARIANT(name, nearest) {name, nearest},
#include "analyzers/devices/peaks.inc"
#undef PROF_VARIANT
#undef PROF_PEAK_OF_UNITS
#undef PROF_PEAK
};

constexpr Rate kRates[] = {
#define PROF_RATE(major, minor, geforce, fp64, fp64_tc, fp32, tf32, fp16, bf16, fp8, int8, fp4) \
  {major, minor, geforce, {fp64, fp64_tc, fp32, tf32, fp16, bf16, fp8, int8, fp4}},
#include "analyzers/devices/rates.inc"
#undef PROF_RATE
};
// clang-format on

bool fits(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string_view without_brand(std::string_view name) {
  for (const std::string_view brand : {"NVIDIA ", "Tesla "}) {
    if (name.starts_with(brand)) name.remove_prefix(brand.size());
  }
  return name;
}

/// Empty: it is none.
std::string_view nearest_of(std::string_view variant) {
  const auto* const found = std::ranges::find_if(
      kVariants, [=](const Variant& known) { return fits(known.name, variant); });
  return found == std::end(kVariants) ? std::string_view() : found->nearest;
}

/// By the name without the brand.
const KnownDevice* find_device(std::string_view name) {
  for (const KnownDevice& known : kDevices) {
    if (fits(known.name, name)) return &known;
  }
  return nullptr;
}

/// How much of the device it is: all, or a partition.
double part_of(const KnownDevice& known, const DeviceRow& device) {
  const bool is_part = device.sm_count > 0 && device.sm_count < known.units;
  return is_part ? static_cast<double>(device.sm_count) / known.units : 1;
}

const Rate* find_rate(const DeviceRow& device, bool geforce) {
  for (const Rate& rate : kRates) {
    const bool same = rate.major == device.compute_major && rate.minor == device.compute_minor;
    if (same && rate.geforce == geforce) return &rate;
  }
  return nullptr;
}

const Rate* find_rate(const DeviceRow& device) {
  return find_rate(device, device.name.find("GeForce") != std::string::npos);
}

std::optional<Peak> peak(double value, double unit, Basis basis) {
  if (value <= 0) return std::nullopt;
  return Peak{value * unit, basis};
}

std::array<std::optional<Peak>, kUnitCount> derived_flops(const Rate& rate, std::uint32_t sm_count,
                                                          std::uint32_t clock_khz) {
  std::array<std::optional<Peak>, kUnitCount> flops;
  const double clocks_per_s = 1e3 * clock_khz * sm_count;
  for (std::size_t i = 0; i < kUnitCount; ++i) {
    flops[i] = peak(rate.per_clock[i] * clocks_per_s, 1, Basis::kEstimated);
  }
  return flops;
}

/// CUDA's attributes: DDR memory moves data on both edges of its clock.
std::optional<Peak> derived_bytes(const DeviceRow& device) {
  const auto stated = static_cast<double>(device.memory_bandwidth_bytes_per_s);
  if (stated > 0) return Peak{stated, Basis::kEstimated};
  return peak(2e3 * device.memory_clock_khz * device.memory_bus_bits / 8, 1, Basis::kEstimated);
}

/// The clock at which a unit with that many operations per clock reaches the stated peak; 0: not
/// known. Rated clocks are at least three quarters of the highest one. A lower result means that
/// the device lacks part of the unit, and its rate is not that of its compute capability.
double rated_mhz(const Peak& stated, double per_clock, const DeviceRow& device) {
  const double highest_mhz = device.core_clock_khz / 1e3;
  const double per_mhz = per_clock * device.sm_count * 1e6;
  if (per_mhz <= 0) return highest_mhz;
  const double rated = stated.per_s / per_mhz;
  return rated < 0.75 * highest_mhz || rated > 1.1 * highest_mhz ? highest_mhz : rated;
}

}  // namespace

DevicePeaks device_peaks(const DeviceRow& device) {
  static_assert(DevicePeaks::kUnits == kUnitCount);
  DevicePeaks peaks;
  const std::string_view name = without_brand(device.name);
  const std::string_view nearest = nearest_of(name);
  if (const KnownDevice* known = find_device(nearest.empty() ? name : nearest)) {
    const double part = part_of(*known, device);
    const Basis basis = nearest.empty() && part == 1 ? Basis::kExact : Basis::kEstimated;
    for (std::size_t i = 0; i < kUnitCount; ++i) {
      peaks.flops_[i] = peak(known->tflops[i] * part, 1e12, basis);
    }
    peaks.bytes_ = peak(known->gb_per_s * part, 1e9, basis);
    peaks.source_ = known->source;
    peaks.nearest_ = nearest;
  } else {
    if (const Rate* rate = find_rate(device)) {
      peaks.flops_ = derived_flops(*rate, device.sm_count, device.core_clock_khz);
      peaks.source_ = "derived";
    }
  }
  if (!peaks.bytes_) peaks.bytes_ = derived_bytes(device);
  return peaks;
}

DevicePeaks device_peaks(const DeviceRow& device, const Clocks& clocks) {
  DevicePeaks peaks = device_peaks(device);
  const Rate* const rate = find_rate(device);
  for (std::size_t i = 0; i < kUnitCount; ++i) {
    std::optional<Peak>& unit = peaks.flops_[i];
    if (!unit || !clocks.sm_mhz) continue;
    const double rated = rated_mhz(*unit, rate != nullptr ? rate->per_clock[i] : 0, device);
    if (rated > 0) unit = Peak{unit->per_s * *clocks.sm_mhz / rated, Basis::kEstimated};
  }
  if (peaks.bytes_ && clocks.memory_mhz && device.memory_clock_khz > 0) {
    const double part = std::min(1.0, *clocks.memory_mhz * 1e3 / device.memory_clock_khz);
    if (part < 1) peaks.bytes_ = Peak{peaks.bytes_->per_s * part, Basis::kEstimated};
  }
  return peaks;
}

DevicePeaks peaks_at_clock(const DeviceRow& device, std::uint32_t clock_khz) {
  DevicePeaks peaks;
  // GeForce halves the rate of one accumulator only, which a kernel need not use.
  if (const Rate* rate = find_rate(device, false)) {
    peaks.flops_ = derived_flops(*rate, device.sm_count, clock_khz);
    peaks.source_ = "derived";
  }
  return peaks;
}

std::optional<Peak> DevicePeaks::flops(DType dtype, bool tensor_cores) const {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
      return tensor_cores && flops_[kFp64Tc] ? flops_[kFp64Tc] : flops_[kFp64];
    case DType::kTFloat32:
      return flops_[kTf32];
    case DType::kFloat32:
    case DType::kComplex64:
      return flops_[tensor_cores ? kTf32 : kFp32];
    case DType::kFloat16:
      return flops_[tensor_cores ? kFp16 : kFp32];
    case DType::kBFloat16:
      return flops_[tensor_cores ? kBf16 : kFp32];
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3Fnuz:
    case DType::kFloat8E5M2Fnuz:
      return flops_[tensor_cores ? kFp8 : kFp32];
    case DType::kFloat4E2M1:
      return flops_[tensor_cores ? kFp4 : kFp32];
    case DType::kInt8:
    case DType::kUint8:
      return tensor_cores ? flops_[kInt8] : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace prof::devices
