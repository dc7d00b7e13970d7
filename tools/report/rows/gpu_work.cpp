// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about one piece of GPU work, see gpu_work.hpp.
#include "tools/report/rows/gpu_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzers/checks/contradictions.hpp"
#include "analyzers/devices/occupancy.hpp"
#include "analyzers/devices/tensor_types.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

/// Part of the warps that a multiprocessor can hold: fewer hide little of each one's waiting.
constexpr double kFewWarps = 0.25;

Provenance cost_provenance(const Attribution& work, bool known, bool estimated = false) {
  if (!known) return Provenance::kNone;
  estimated = estimated || work.basis == Basis::kEstimated || work.basis == Basis::kUpperBound;
  return estimated ? Provenance::kEstimated : work.op->shapes_from;
}

}  // namespace

namespace work_cells {
namespace {

bool has_times(const WorkRow& work) { return work.row().has_times(); }
/// The time by which rates are divided is known.
bool has_duration(const WorkRow& work) { return work.row().duration_ns > 0; }

/// Copies and sets do no arithmetic, which the column's help says.
Why why_unknown_cost(WorkRow& work) {
  if (!work.is_kernel()) return Why::kUnstated;
  if (work.op().op.empty()) return Why::kNoOp;
  return work.op().shapes_from == Provenance::kNone ? Why::kNoShapes : Why::kNoFormula;
}

Why why_not_in_name(WorkRow& work) { return work.is_kernel() ? Why::kNotInName : Why::kUnstated; }

/// Covers times that a model predicts from the FLOPs, and some of them from the bytes.
Why why_no_share(WorkRow& work, bool needs_bytes) {
  if (!work.is_kernel()) return Why::kUnstated;
  if (!has_duration(work)) return Why::kNoTime;
  const Attribution& attribution = work.attribution();
  if (attribution.op_id != 0 && !attribution.main) return Why::kHelper;
  if (!attribution.cost.flops || (needs_bytes && !attribution.cost.bytes)) {
    return why_unknown_cost(work);
  }
  // Ops that do no arithmetic have no share of a peak.
  if (*attribution.cost.flops <= 0) return Why::kUnstated;
  return work.op().dtype == DType::kUnknown ? Why::kNoType : Why::kNoPeak;
}

}  // namespace

Cell time_ns(WorkRow& work) {
  return has_times(work) ? signed_number(work.row().duration_ns) : absent(Why::kNoTime);
}

Cell time_us(WorkRow& work) {
  return has_times(work) ? Cell{Decimal{work.row().duration_ns, 3}} : absent(Why::kNoTime);
}

Cell start_ns(WorkRow& work) {
  return has_times(work) ? signed_number(work.on_axis(work.row().start_ns)) : absent(Why::kNoTime);
}

Cell layer(WorkRow& work) { return text(work.op().layer, Why::kNoLayer); }

Cell op(WorkRow& work) { return text(work.op().op, Why::kNoOp); }

Cell params(WorkRow& work) {
  return text(work.op().params, work.op().op.empty() ? Why::kNoOp : Why::kNoShapes);
}

Cell flops(WorkRow& work) { return real(work.attribution().cost.flops, why_unknown_cost(work)); }

Cell queue_ns(WorkRow& work) {
  const GpuRow& row = work.row();
  if (!row.launched || row.launch_duration_ns == 0 || !row.has_times()) return absent();
  const std::int64_t returned = sum_of_times(row.launch_start_ns, row.launch_duration_ns);
  if (row.start_ns <= returned) return absent();
  return signed_number(difference_of_times(row.start_ns, returned));
}

Cell kind(WorkRow& work) {
  switch (work.row().kind) {
    case GpuRow::Kind::kKernel:
      return text("kernel");
    case GpuRow::Kind::kMemcpy:
      return text("memcpy");
    case GpuRow::Kind::kMemset:
      return text("memset");
  }
  return absent();
}

Cell recompute(WorkRow& work) {
  if (work.op().op.empty()) return absent();
  return text(work.op().is_recomputed ? "yes" : "no");
}

Cell kernel_name(WorkRow& work, bool full) {
  if (!work.is_kernel()) return text(short_name_of(work.row()));
  const KernelFacts* facts = work.facts();
  if (facts == nullptr) return text(work.string(work.config().name));
  return text(full ? facts->demangled : facts->short_name);
}

Cell operation(WorkRow& work) {
  return work.is_kernel() ? kernel_name(work, true) : text(nsys_name_of(work.row()));
}

Cell bytes(WorkRow& work) {
  if (!work.is_kernel()) return number(work.row().bytes);
  return real(work.attribution().cost.bytes, why_unknown_cost(work));
}

Cell tensor_core(WorkRow& work) {
  const KernelFacts* facts = work.facts();
  if (facts == nullptr || facts->tensor_core == TensorCore::kUnknown) {
    return absent(why_not_in_name(work));
  }
  return Cell{std::in_place_type<bool>, facts->tensor_core == TensorCore::kYes};
}

Cell gemm_size(WorkRow& work, std::int64_t GemmShape::*member) {
  const std::optional<GemmShape>& gemm = work.op().gemm;
  if (gemm) return signed_number((*gemm).*member);
  return absent(work.op().op.empty() ? Why::kNoOp : Why::kNoProduct);
}

Cell inner_size(WorkRow& work) {
  const std::optional<GemmShape>& gemm = work.op().gemm;
  if (!gemm) return gemm_size(work, &GemmShape::m);
  return gemm->k ? signed_number(*gemm->k) : absent(Why::kNoInnerSize);
}

Cell provenance(WorkRow& work) {
  static constexpr std::array<std::string_view, kProvenanceFields> kFields = {
      "layer", "op", "dir", "shapes", "dtype", "flops", "bytes", "tc"};
  const std::span<WordPair> words = work.words();
  for (std::size_t i = 0; i < kProvenanceFields; ++i) {
    words[i] = {kFields[i], name(work.provenance(static_cast<ProvenanceField>(i)))};
  }
  return Cell{Words{words}};
}

Cell rate(WorkRow& work, const std::optional<double>& amount, double per_ns) {
  if (!amount) return absent();
  if (!has_duration(work)) return absent(Why::kNoTime);
  return Cell{std::in_place_type<double>,
              *amount / static_cast<double>(work.row().duration_ns) * per_ns};
}

Cell tflop_per_s(WorkRow& work) {
  const std::optional<double>& flops = work.attribution().cost.flops;
  if (work.attribution().basis == Basis::kUpperBound) return absent();
  return flops ? rate(work, flops, 1e-3) : absent(why_unknown_cost(work));
}

Cell gb_per_s(WorkRow& work) {
  const std::optional<double>& bytes = work.attribution().cost.bytes;
  if (work.is_kernel()) return bytes ? rate(work, bytes, 1) : absent(why_unknown_cost(work));
  return rate(work, static_cast<double>(work.row().bytes), 1);
}

Cell part_of_bytes(WorkRow& work, std::optional<double> Quantities::*member) {
  return work.is_kernel() ? real(work.attribution().cost.*member) : absent();
}

Cell intensity(WorkRow& work) {
  const Attribution& attribution = work.attribution();
  if (!attribution.cost.flops || !attribution.cost.bytes) return absent(why_unknown_cost(work));
  if (*attribution.cost.bytes <= 0) return absent();
  return real(*attribution.cost.flops / *attribution.cost.bytes);
}

// Helpers carry none of their op's cost: there is nothing to compare their time with.
Cell roofline_pct(WorkRow& work) {
  const std::optional<double> model = work.roofline().model_ns();
  if (!model || *model <= 0 || !has_duration(work)) {
    return absent(why_no_share(work, true));
  }
  return real(100.0 * *model / static_cast<double>(work.row().duration_ns));
}

Cell peak_pct(WorkRow& work) {
  const std::optional<double> compute = work.roofline().compute_ns;
  if (!compute || *compute <= 0 || !has_duration(work)) {
    return absent(why_no_share(work, false));
  }
  return real(100.0 * *compute / static_cast<double>(work.row().duration_ns));
}

Cell peak_tflop_per_s(const devices::PeakTimes& times) {
  return times.flops_per_s ? real(*times.flops_per_s / 1e12) : absent();
}

Cell peak_gb_per_s(const devices::PeakTimes& times) {
  return times.bytes_per_s ? real(*times.bytes_per_s / 1e9) : absent();
}

Cell stated_gb_per_s(WorkRow& work) {
  const devices::RooflineTimes& times = work.roofline();
  return times.is_l2_slower() ? peak_gb_per_s(times) : peak_gb_per_s(work.at_stated_peaks());
}

Cell l2_bytes(WorkRow& work) {
  const Attribution& attribution = work.attribution();
  return work.is_kernel() && attribution.cost.bytes ? real(attribution.l2_bytes) : absent();
}

Cell bound(WorkRow& work) {
  return text(devices::name(devices::bound(work.roofline(), work.row().duration_ns)),
              why_no_share(work, true));
}

Cell clock_mhz(const std::optional<double>& clock) {
  return clock ? signed_number(std::llround(*clock)) : absent(Why::kNoSamples);
}

Cell kernel_text(WorkRow& work, std::string_view KernelFacts::*member) {
  const KernelFacts* facts = work.facts();
  return facts != nullptr ? text(facts->*member, Why::kNotInName) : absent();
}

Cell kernel_dtype(WorkRow& work, DType KernelFacts::*member) {
  const KernelFacts* facts = work.facts();
  return facts != nullptr ? text(name(facts->*member), Why::kNotInName) : absent();
}

Cell kernel_size(WorkRow& work, std::optional<BlockShape> KernelFacts::*member, std::size_t slot) {
  const KernelFacts* facts = work.facts();
  if (facts == nullptr || !(facts->*member)) return absent(why_not_in_name(work));
  return text(work.size_text(*(facts->*member), slot));
}

Cell split_k(WorkRow& work) {
  const KernelFacts* facts = work.facts();
  if (facts == nullptr || !facts->split_k) return absent(why_not_in_name(work));
  return Cell{std::in_place_type<bool>, *facts->split_k};
}

Cell waves(WorkRow& work, std::int64_t ProductWaves::*member) {
  const DeviceRow* device = work.device();
  if (device == nullptr || !work.has_grid()) return absent();
  const auto waves = product_waves(work.attribution(), work.config(), *device);
  return waves ? signed_number((*waves).*member) : absent();
}

Cell tensor_type(WorkRow& work) {
  const DeviceRow* device = work.device();
  if (device == nullptr) return absent();
  const auto type = devices::tensor_type(*device, work.op().dtype);
  if (!type) return absent();
  return text(*type == DType::kUnknown ? "none" : name(*type));
}

Cell origin(WorkRow& work) {
  switch (work.row().origin) {
    case Origin::kApi:
      return text("api");
    case Origin::kGraph:
      return text("graph");
    case Origin::kDevice:
      return text("device");
    case Origin::kNone:
      return absent();
  }
  return absent();
}

Cell shared_bytes(WorkRow& work) {
  if (!work.has_grid()) return absent();
  const LaunchConfig& config = work.config();
  return number(std::uint64_t{config.static_shared_bytes} + config.dynamic_shared_bytes);
}

Cell device_name(WorkRow& work) {
  const DeviceRow* device = work.device();
  return device != nullptr ? text(device->name) : absent();
}

}  // namespace work_cells

std::optional<Headroom> headroom_of(WorkRow& work) {
  const Attribution& of = work.attribution();
  const auto time_ns = static_cast<double>(work.row().duration_ns);
  if (of.op_id != 0 && of.share == 0) return Headroom{0, time_ns};
  const std::optional<double> model = work.roofline().model_ns();
  if (!model || *model <= 0 || time_ns <= 0) return std::nullopt;
  return Headroom{*model, std::max(0.0, time_ns - *model)};
}

WorkRow::WorkRow(const TraceMember& trace) : trace_(trace), threads_(trace.reader) {
  for (const DeviceRow& device : trace.reader.devices()) {
    const devices::DevicePeaks stated = devices::device_peaks(device);
    peaks_.emplace(device.device, Peaks{.stated = stated,
                                        .limits = devices::DeviceLimits(device),
                                        .clocks = {},
                                        .at_clock = stated});
  }
}

devices::PeakTimes WorkRow::at_stated_peaks() const {
  const auto found = peaks_.find(row().device);
  if (found == peaks_.end()) return {};
  return devices::times_at_peaks(attribution(), found->second.stated);
}

Provenance WorkRow::provenance(ProvenanceField field) const {
  const Attribution& made = attribution();
  switch (field) {
    case ProvenanceField::kLayer:
      return op().layer_from;
    case ProvenanceField::kOp:
      return op().op_from;
    case ProvenanceField::kDirection:
      return op().direction_from;
    case ProvenanceField::kShapes:
      return op().shapes_from;
    case ProvenanceField::kDType:
      return op().dtype_from;
    case ProvenanceField::kFlops:
      if (made.cost.flops && made.basis == Basis::kUpperBound) return Provenance::kUpperBound;
      return cost_provenance(made, made.cost.flops.has_value());
    case ProvenanceField::kBytes:
      if (!is_kernel()) return Provenance::kExact;
      return cost_provenance(made, made.cost.bytes.has_value(), op().cost.types_from_kernel);
    case ProvenanceField::kTensorCore: {
      const bool is_known = facts() != nullptr && facts()->tensor_core != TensorCore::kUnknown;
      return is_known ? Provenance::kEstimated : Provenance::kNone;
    }
    case ProvenanceField::kCount:
      break;
  }
  return Provenance::kNone;
}

const devices::Clocks& WorkRow::clocks() {
  if (!clocks_) clocks_.emplace(trace_.reader);
  const std::int64_t half_ns = row().duration_ns / 2;  // 0: the times are not known
  ran_at_ = {};
  if (half_ns > 0) ran_at_ = clocks_->at(row().device, sum_of_times(row().start_ns, half_ns));
  return ran_at_;
}

const devices::RooflineTimes& WorkRow::roofline() {
  if (roofline_) return *roofline_;
  const auto found = peaks_.find(row().device);
  if (found == peaks_.end()) return roofline_.emplace();
  Peaks& peaks = found->second;
  if (const devices::Clocks& ran_at = clocks(); ran_at != peaks.clocks) {
    peaks.clocks = ran_at;
    peaks.at_clock = devices::device_peaks(*device(), ran_at);
  }
  return roofline_.emplace(
      devices::roofline_times(attribution(), row().duration_ns, peaks.at_clock, peaks.limits));
}

std::string_view WorkRow::altseq_text() {
  altseq_.clear();
  for (const std::uint64_t number : attribution().seq.others()) {
    if (!altseq_.empty()) altseq_ += ',';
    altseq_ += std::to_string(number);
  }
  return altseq_;
}

std::string_view WorkRow::input_types_text() {
  input_types_.clear();
  for (const Tensor& tensor : op().tensors) {
    if (!input_types_.empty()) input_types_ += ',';
    input_types_ += tensor.dtype == DType::kUnknown ? "-" : name(tensor.dtype);
  }
  return input_types_;
}

std::string_view WorkRow::contradictions_text() {
  contradictions_.clear();
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    if (!attribution().contradictions.test(kind)) continue;
    if (!contradictions_.empty()) contradictions_ += ',';
    contradictions_ += kContradictionInfos[kind].word;
  }
  return contradictions_;
}

std::string_view WorkRow::latency_text() {
  latency_.clear();
  const DeviceRow* const on = device();
  if (devices::bound(roofline(), row().duration_ns) != devices::Bound::kLatency) return latency_;
  if (row().duration_ns < devices::kLatencyNs) return latency_ = "under 3 us";
  if (on == nullptr || !has_grid()) return latency_;
  const double blocks = volume(config().grid);
  if (blocks < on->sm_count) {
    latency_ = fmt::format("{} on {} SMs",
                           count_text(static_cast<std::uint64_t>(blocks), "block", "blocks"),
                           on->sm_count);
  } else if (const auto occupancy = devices::theoretical_occupancy(*on, config());
             occupancy && occupancy->fraction() < kFewWarps) {
    latency_ =
        fmt::format("{} of {} warps by {}", occupancy->blocks_per_sm() * occupancy->warps_per_block,
                    occupancy->max_warps, devices::name(occupancy->limit()));
  }
  return latency_;
}

std::string_view WorkRow::size_text(const BlockShape& shape, std::size_t slot) {
  auto& buffer = sizes_[slot];
  const auto end =
      shape.k
          ? fmt::format_to_n(buffer.data(), buffer.size(), "{}x{}x{}", shape.m, shape.n, *shape.k)
          : fmt::format_to_n(buffer.data(), buffer.size(), "{}x{}", shape.m, shape.n);
  return {buffer.data(), std::min(end.size, buffer.size())};
}

const DeviceRow* WorkRow::device() const {
  const auto& all = trace_.reader.devices();
  const auto found = std::ranges::find(all, row().device, &DeviceRow::device);
  return found != all.end() ? &*found : nullptr;
}

}  // namespace prof::reports
