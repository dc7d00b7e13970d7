// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See roofline.hpp.
#include "analyzers/devices/roofline.hpp"

#include <algorithm>

namespace prof::devices {
namespace {

/// Tensor core use by the kernel's name; if the name does not say, a matrix product of small
/// floats is measured against the tensor core peak.
bool on_tensor_cores(const Attribution& attribution, DType dtype) {
  const KernelFacts& kernel = *attribution.kernel;
  if (kernel.tensor_core != TensorCore::kUnknown) return kernel.tensor_core == TensorCore::kYes;
  const std::optional<GemmShape>& gemm = attribution.op->gemm;
  return gemm && gemm->k && dtype != DType::kFloat32;
}

/// The dtype that is multiplied: on tensor cores the kernel's name is more precise than the op
/// (TF32 for float32).
DType worked_on(const Attribution& attribution) {
  const KernelFacts& kernel = *attribution.kernel;
  const DType by_name = kernel.operand_dtype;
  const DType by_op = attribution.op->dtype;
  const bool name_first = kernel.tensor_core == TensorCore::kYes || by_op == DType::kUnknown;
  return name_first && by_name != DType::kUnknown ? by_name : by_op;
}

/// A time that the kernel undercut cannot be its limit. One tick of the timer proves nothing.
bool is_beaten(double ns, std::int64_t duration_ns) {
  return duration_ns > 0 && ns > static_cast<double>(duration_ns) + kTimerTickNs;
}

/// Within that tick it is the kernel's own time.
double within_tick(double ns, std::int64_t duration_ns) {
  if (duration_ns <= 0 || is_beaten(ns, duration_ns)) return ns;
  return std::min(ns, static_cast<double>(duration_ns));
}

}  // namespace

std::optional<double> RooflineTimes::model_ns() const {
  if (!compute_ns || !memory_ns) return std::nullopt;
  return std::max({*compute_ns, *memory_ns, l2_ns});
}

PeakTimes times_at_peaks(const Attribution& attribution, const DevicePeaks& peaks) {
  PeakTimes times;
  if (attribution.kernel == nullptr) return times;
  if (attribution.cost.flops == 0.0) {
    times.compute_ns = 0;  // needs no peak
  } else if (attribution.cost.flops && attribution.basis != Basis::kUpperBound) {
    const DType dtype = worked_on(attribution);
    const auto peak = peaks.flops(dtype, on_tensor_cores(attribution, dtype));
    if (peak) {
      times.compute_ns = *attribution.cost.flops / peak->per_s * 1e9;
      times.flops_per_s = peak->per_s;
    }
  }
  if (attribution.cost.bytes && peaks.bytes()) {
    times.memory_ns = *attribution.cost.bytes / peaks.bytes()->per_s * 1e9;
    times.bytes_per_s = peaks.bytes()->per_s;
  }
  return times;
}

RooflineTimes roofline_times(const Attribution& attribution, std::int64_t duration_ns,
                             const DevicePeaks& peaks, const DeviceLimits& limits) {
  RooflineTimes times{times_at_peaks(attribution, peaks)};
  if (times.compute_ns && is_beaten(*times.compute_ns, duration_ns)) {
    // The clock was higher than that of the peak or of the sample, or the FLOPs are too many.
    const double flops = *attribution.cost.flops;
    times.compute_ns = limits.compute_ns(flops, *attribution.op, *attribution.kernel);
  }
  if (times.compute_ns) times.compute_ns = within_tick(*times.compute_ns, duration_ns);
  if (!times.memory_ns) return times;
  const L2Cache& l2 = limits.l2();
  const double bytes = *attribution.cost.bytes;
  double served = attribution.l2_bytes;
  if (is_beaten(*times.memory_ns, duration_ns)) {
    // The memory cannot have moved them all in that time: the L2 served what it can.
    if (l2.bytes <= 0) {
      times.memory_ns.reset();
      return times;
    }
    served = std::min(bytes, l2.most_served());
  }
  times.memory_ns = within_tick((bytes - served) / *times.bytes_per_s * 1e9, duration_ns);
  if (l2.bytes <= 0 || l2.bytes_per_s <= 0) return times;
  times.l2_ns = within_tick(bytes / l2.bytes_per_s * 1e9, duration_ns);
  times.is_l2_estimated = l2.basis != Basis::kExact;
  if (times.is_l2_slower()) times.bytes_per_s = l2.bytes_per_s;
  return times;
}

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kL2:
      return "L2";
    case Bound::kLatency:
      return "latency";
    case Bound::kUnknown:
      break;
  }
  return "";
}

Bound bound(const RooflineTimes& times, std::int64_t duration_ns) {
  const std::optional<double> model = times.model_ns();
  if (!model || *model <= 0 || duration_ns <= 0) return Bound::kUnknown;
  const bool small = *model < kLatencyPercent / 100 * static_cast<double>(duration_ns);
  if (small || duration_ns < kLatencyNs) return Bound::kLatency;
  if (*times.compute_ns >= *model) return Bound::kCompute;
  return times.is_l2_slower() ? Bound::kL2 : Bound::kMemory;
}

}  // namespace prof::devices
