// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `roofline`: where each op's kernels stand under the roofline. A kernel left of the ridge,
// the intensity at which arithmetic and memory take equal time at their peaks, is bound by memory,
// right of it by arithmetic. Helper kernels carry no FLOPs and bytes. Peaks are those at the clocks
// that ran, where there are samples of them. docs/reports.md, Distance from the hardware's limit,
// has the model.
#include <cmath>
#include <memory>
#include <optional>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/sum_parts.hpp"
#include "tools/report/rows/sums.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

/// A peak of several kernels.
struct SharedPeak {
  Extent stated, at_clock;
  MeanOverTime mean;  // at the clocks

  void add(const std::optional<double>& of_device, const std::optional<double>& of_clock,
           const GpuRow& gpu) {
    stated.add(of_device);
    at_clock.add(of_clock);
    if (gpu.has_times()) mean.add(of_clock, gpu.duration_ns);
  }
  void merge(const SharedPeak& other) {
    stated.merge(other.stated);
    at_clock.merge(other.at_clock);
    mean.merge(other.mean);
  }
  /// Absent if their arithmetic or GPUs differ.
  [[nodiscard]] Cell cell() const {
    if (at_clock.is_one()) return real(at_clock.least);
    return stated.is_one() ? mean.cell() : absent();
  }
};

/// An amount of work of main kernels over the time of those for which it is known.
struct AmountOverTime {
  RealSum amount;
  std::int64_t time_ns = 0;

  void add(const std::optional<double>& value, const GpuRow& gpu) {
    if (!value) return;
    if (gpu.duration_ns > 0) amount.add(*value);
    if (gpu.has_times()) add_time(time_ns, gpu.duration_ns);
  }
  void merge(const AmountOverTime& other) {
    amount.merge(other.amount);
    add_time(time_ns, other.time_ns);
  }
  [[nodiscard]] std::optional<double> per_ns() const {
    return real_in(amount.over(static_cast<double>(time_ns)));
  }
};

struct RooflineSum {
  std::uint64_t kernels = 0, unknown = 0;
  WholeSum time_ns;
  AmountOverTime flops, bytes_moved;
  RealSum both_flops, both_bytes;  // of kernels for which both are known
  SharedPeak tflop_per_s, gb_per_s;
  MeanOverTime sm_clock_mhz, roofline_pct;
};

class RooflineSums final : public PlainSums<RooflineSums, RooflineSum> {
 public:
  SharedText latency_by;

  void add(Row& row) override;
  void add_to_all(Row& row) override {
    const GpuRow& gpu = static_cast<WorkRow&>(row).row();
    if (gpu.has_times()) time_ns.add(gpu.duration_ns);
  }
  void merge(const Sums& others) override;
  [[nodiscard]] Weight weight() const override {
    return {time_ns.count > 0 ? ordered_bits(time_ns.sum) : 0, kernels};
  }
  void append(std::string& to) const override {
    PlainSums::append(to);
    latency_by.append(to);
  }
  void take(std::string_view& bytes) override {
    PlainSums::take(bytes);
    latency_by.take(bytes);
  }

 private:
  void add_cost(WorkRow& work);
};

void RooflineSums::add(Row& row) {
  auto& work = static_cast<WorkRow&>(row);
  const GpuRow& gpu = work.row();
  const Attribution& of = work.attribution();
  const std::optional<double> pct = real_in(work_cells::roofline_pct(work));
  const bool is_helper = of.op_id != 0 && of.share == 0;
  ++kernels;
  if (!pct && !is_helper) ++unknown;
  latency_by.add(work.latency_text());
  tflop_per_s.add(real_in(work_cells::peak_tflop_per_s(work.at_stated_peaks())),
                  real_in(work_cells::peak_tflop_per_s(work.roofline())), gpu);
  gb_per_s.add(real_in(work_cells::stated_gb_per_s(work)),
               real_in(work_cells::peak_gb_per_s(work.roofline())), gpu);
  if (of.op_id != 0 && of.share > 0) add_cost(work);
  if (!gpu.has_times()) return;
  time_ns.add(gpu.duration_ns);
  roofline_pct.add(pct, gpu.duration_ns);
  if (const auto& mhz = work.clocks().sm_mhz) sm_clock_mhz.add(std::round(*mhz), gpu.duration_ns);
}

void RooflineSums::add_cost(WorkRow& work) {
  const std::optional<double>& flops_of_it = work.attribution().cost.flops;
  const std::optional<double> bytes_of_it =
      work.is_kernel() ? work.attribution().cost.bytes
                       : std::optional(static_cast<double>(work.row().bytes));
  flops.add(flops_of_it, work.row());
  bytes_moved.add(bytes_of_it, work.row());
  if (!flops_of_it || !bytes_of_it) return;
  if (*bytes_of_it > 0) both_flops.add(*flops_of_it);
  both_bytes.add(*bytes_of_it);
}

void RooflineSums::merge(const Sums& others) {
  const auto& other = static_cast<const RooflineSums&>(others);
  kernels += other.kernels;
  unknown += other.unknown;
  merge_each<RooflineSum>(
      *this, other, &RooflineSum::time_ns, &RooflineSum::flops, &RooflineSum::bytes_moved,
      &RooflineSum::both_flops, &RooflineSum::both_bytes, &RooflineSum::tflop_per_s,
      &RooflineSum::gb_per_s, &RooflineSum::sm_clock_mhz, &RooflineSum::roofline_pct);
  latency_by.merge(other.latency_by);
}

Cell time_pct(const RooflineSums& sums, const RooflineSums& all) {
  return sums.time_ns.count > 0 ? percent(sums.time_ns.sum, all.time_ns.sum) : absent();
}

Cell ridge(const RooflineSums& sums) {
  const auto peak = real_in(sums.tflop_per_s.cell()), memory = real_in(sums.gb_per_s.cell());
  return peak && memory && *memory != 0 ? real(1e3 * *peak / *memory) : absent();
}

Cell tflop_per_s(const RooflineSums& sums) {
  const auto per_ns = sums.flops.per_ns();
  return per_ns ? real(*per_ns / 1e3) : absent();
}

// clang-format off
constexpr Field kRooflineKeys[] = {
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), trace_cells::name, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), trace_cells::rank, Role::kKey},
    {Column::text("op", "Op", "op that launched the kernels").cut_end(8), [](WorkRow& r) { return text(r.op().op); }, Role::kKey},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)").cut_end(5), [](WorkRow& r) { return text(name(r.op().direction)); }, Role::kKey},
    {Column::text("kernel", "Kernel", "short name of the kernel").cut_end(8), [](WorkRow& r) { return work_cells::kernel_name(r, false); }, Role::kKey},
    {Column::text("dtype", "Type", "data type the op computes in").cut_end(6), [](WorkRow& r) { return text(name(r.op().dtype)); }, Role::kKey},
    {Column::text("bound", "Bound", "limiting factor by the roofline model: compute, memory, L2 or latency; absent: not known").cut_end(7), [](WorkRow& r) { return text(devices::name(devices::bound(r.roofline(), r.row().duration_ns))); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the launch").cut_end(14), [](WorkRow& r) { return text(r.op().layer); }, Role::kOnRequest},
    {Column::text("params", "Params", "sizes of the matrix product, or shapes").cut_end(12).styled(Column::Style::kTensors), [](WorkRow& r) { return text(r.op().params); }, Role::kOnRequest},
    {Column::integer("step", "Step", "", "number of the step around the launch"), [](WorkRow& r) { return r.attribution().step ? signed_number(*r.attribution().step) : absent(); }, Role::kOnRequest},
};
constexpr SumField kRooflineFields[] = {
    {Column::text("latency_by", "Latency by", "what kernels that are bound by latency lack; several: not all the same").cut_end(10).drop(3), [](const RooflineSums& s, const RooflineSums&) { return s.latency_by.cell(); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped().drop(4), [](const RooflineSums& s, const RooflineSums&) { return number(s.kernels); }},
    {Column::time("time_ns", "Time", "their total time on the GPU", Column::Type::kReal), [](const RooflineSums& s, const RooflineSums&) { return s.time_ns.cell(); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all kernels", 1).grouped().drop(9), [](const RooflineSums& s, const RooflineSums& all) { return time_pct(s, all); }},
    {Column::real("sm_clock_mhz", "SM", "MHz", "mean clock of the multiprocessors while they ran, at which peaks and model are taken; absent: not sampled, and they are as stated", 0).grouped().drop(6), [](const RooflineSums& s, const RooflineSums&) { return s.sm_clock_mhz.cell(); }},
    {Column::real("intensity", "FLOP/B", "", "FLOPs over bytes, of kernels for which both are known", 2).grouped().drop(1), [](const RooflineSums& s, const RooflineSums&) { return s.both_flops.over(s.both_bytes.sum); }},
    {Column::real("ridge", "Ridge", "FLOP/B", "intensity at which both peaks are reached; absent: the kernels do no arithmetic, or their peaks differ", 2).grouped().drop(7), [](const RooflineSums& s, const RooflineSums&) { return ridge(s); }},
    {Column::real("tflop_per_s", "TFLOP/s", "", "FLOPs over time, without helper kernels", 2).grouped().drop(2), [](const RooflineSums& s, const RooflineSums&) { return tflop_per_s(s); }},
    {Column::real("peak_tflop_per_s", "Peak", "TFLOP/s", "the device's peak for this arithmetic, at the clock that ran; absent: the kernels' arithmetic differs", 1).grouped().drop(5), [](const RooflineSums& s, const RooflineSums&) { return s.tflop_per_s.cell(); }},
    {Column::real("gb_per_s", "GB/s", "", "bytes over time, without helper kernels", 1).grouped().drop(3), [](const RooflineSums& s, const RooflineSums&) { return real(s.bytes_moved.per_ns()); }},
    {Column::real("peak_gb_per_s", "Peak", "GB/s", "bandwidth of the device's memory, at its clock that ran, or of its L2 where that is the limit", 1).grouped().drop(5), [](const RooflineSums& s, const RooflineSums&) { return s.gb_per_s.cell(); }},
    {Column::real("roofline_pct", "Roofline", "%", "time predicted by the roofline model over the actual time of the kernels for which it has one", 1).grouped(), [](const RooflineSums& s, const RooflineSums&) { return s.roofline_pct.cell(); }},
    {Column::integer("unknown", "Unknown", "", "main kernels for which the model has no time").grouped().drop(9), [](const RooflineSums& s, const RooflineSums&) { return number(s.unknown); }},
};
// clang-format on

constexpr SumKind kRooflineSums = {
    .fields = kRooflineFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<RooflineSums>(); },
    .keys = kRooflineKeys,
};

}  // namespace

void register_roofline(Registry& registry) {
  registry.add(make_report(
      {.name = "roofline",
       .help =
           "intensity, rates, peaks and share of the roofline by op and kernel, most time first",
       .kind = kKernels,
       .form = RowForm::kGroups,
       .table = "op,dir,kernel,dtype,bound,latency_by,kernels,time_ns,sm_clock_mhz,intensity,ridge,"
                "tflop_per_s,peak_tflop_per_s,gb_per_s,peak_gb_per_s,roofline_pct",
       .sums = &kRooflineSums,
       .missing = "there are no kernels"}));
}

}  // namespace prof::reports
