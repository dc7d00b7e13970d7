// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `headroom`: time above the bound of the roofline model, by op and direction, at the clocks
// that ran, where there are samples of them. Kernels for which the model has no time
// are counted, and add nothing; helpers, such as conversions of layout, count in full. Of a trace
// with steps, only the steady ones count (docs/conventions.md, Steps and time).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/sum_parts.hpp"
#include "tools/report/rows/sums.hpp"

namespace prof::reports {
namespace {

/// A kernel that counts, and how many steady steps its GPU has; without steps 1.
class SteadyKernel final : public Row {
 public:
  void set(WorkRow& work, std::size_t steps) {
    work_ = &work;
    steps_ = steps;
  }
  [[nodiscard]] const TraceIdentity& trace() const override { return work_->trace(); }
  [[nodiscard]] WorkRow& work() const { return *work_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  WorkRow* work_ = nullptr;
  std::size_t steps_ = 1;
};

/// Reads all work twice: steps are judged before the first kernel.
class SteadyKernels final : public RowCursor<Row> {
 public:
  explicit SteadyKernels(const RowInput& input) : input_(input) {}

  SteadyKernel* next() override {
    if (!work_) judge_steps();
    while (WorkRow* const work = status_ ? work_->next() : nullptr) {
      const Steps* const steps = find(*work);
      if (steps != nullptr && !is_steady(*work, *steps)) continue;
      row_.set(*work, steps != nullptr ? steps->size() : 1);
      kernels_ns_ += static_cast<double>(work->row().duration_ns);
      return &row_;
    }
    say_what_waits();
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return status_ ? work_->status() : status_; }

 private:
  using Step = std::pair<std::optional<std::uint32_t>, std::int64_t>;  // with its capture
  using Steps = std::set<Step>;

  void judge_steps() {
    for (const TraceMember& trace : input_.traces.members()) {
      ChosenTimeline chosen(trace, input_, ChosenTimeline::Detail::kStates);
      chosen.read();
      const JudgedSteps& steps = chosen.steps();
      for (const auto& [device, of] : steps.devices()) {
        for (const ChosenStep& step : of.steps) {
          if (!step.judged.is_steady()) continue;
          steady_[{&trace.identity, device}].emplace(step.part.capture, step.extent.step);
          periods_ns_ += static_cast<double>(step.period_ns());
        }
        add_remark(of.judged.outside, device, steps.devices().size() > 1, input_.tally.remarks);
      }
      if (status_) status_ = chosen.status();
    }
    work_.emplace(kKernels, input_);
  }
  /// Where the GPU waits for the host, headroom is no gain.
  void say_what_waits() {
    constexpr double kMostlyIdle = 0.5;
    if (!input_.filter.all() || periods_ns_ <= 0 || kernels_ns_ > kMostlyIdle * periods_ns_) return;
    input_.tally.remarks.push_back(
        fmt::format("kernels take {:.0f} % of a step: shorter ones gain little, see -r advice",
                    100 * kernels_ns_ / std::exchange(periods_ns_, 0)));
  }
  /// The steady steps of its GPU; null: there are none.
  [[nodiscard]] const Steps* find(const WorkRow& work) const {
    const auto found = steady_.find({&work.trace(), work.row().device});
    return found != steady_.end() ? &found->second : nullptr;
  }
  static bool is_steady(const WorkRow& work, const Steps& steps) {
    const std::optional<std::int64_t>& step = work.attribution().step;
    return step && steps.contains({work.capture(), *step});
  }

  RowInput input_;
  std::map<std::pair<const TraceIdentity*, std::uint32_t>, Steps> steady_;  // by GPU
  double periods_ns_ = 0, kernels_ns_ = 0;                                  // of the steady steps
  std::optional<RowsOf<WorkRow>> work_;
  SteadyKernel row_;
  Status status_;
};

constexpr RowKind kSteadyKernels = {
    .names = {"kernel", "kernels", "steady_kernels", "every kernel of the steady steps",
              "the trace has no kernels"},
    .fields = {},
    .steps = Steps::kOwn,
    .ranges = Ranges::kOfStack,
    .open = [](const RowInput& input) -> std::unique_ptr<RowCursor<Row>> {
      return std::make_unique<SteadyKernels>(input);
    },
    .summed = &kKernels,
    .reads_work = 2,
    .reads_timeline = true,
};

/// Helpers do not, whose op's cost is that of its main kernels.
bool carries_cost(const Attribution& of) { return of.op_id != 0 && of.share > 0; }

struct HeadroomSum {
  std::uint64_t kernels = 0, unknown = 0;
  WholeSum time_ns;
  RealSum step_ns, headroom_ns, step_headroom_ns;
  RealSum model_ns;                // of the roofline
  std::int64_t model_of_ns = 0;    // of the kernels for which it has a time
  RealSum both_flops, both_bytes;  // of kernels for which both are known
  MeanOverTime sm_clock_mhz, tflop_per_s, gb_per_s, peak_tflop_per_s, peak_gb_per_s;
};

class HeadroomSums final : public PlainSums<HeadroomSums, HeadroomSum> {
 public:
  SharedText sizes, latency_by;

  /// Helpers alone say nothing about an op whose main kernels are unknown.
  [[nodiscard]] bool is_known() const { return model_ns.sum > 0 || unknown == 0; }
  void add(Row& row) override;
  void add_to_all(Row& row) override {
    const GpuRow& gpu = static_cast<SteadyKernel&>(row).work().row();
    if (gpu.has_times()) time_ns.add(gpu.duration_ns);
  }
  void merge(const Sums& others) override;
  [[nodiscard]] Weight weight() const override {
    return {headroom_ns.count > 0 && is_known() ? ordered_bits(headroom_ns.sum) : 0,
            time_ns.count > 0 ? ordered_bits(time_ns.sum) : 0};
  }
  void append(std::string& to) const override {
    PlainSums::append(to);
    sizes.append(to);
    latency_by.append(to);
  }
  void take(std::string_view& bytes) override {
    PlainSums::take(bytes);
    sizes.take(bytes);
    latency_by.take(bytes);
  }

 private:
  void add_intensity(const Attribution& of);
  void add_times(WorkRow& work, double steps);
};

void HeadroomSums::add(Row& row) {
  const auto& kernel = static_cast<SteadyKernel&>(row);
  WorkRow& work = kernel.work();
  ++kernels;
  if (!headroom_of(work)) ++unknown;
  sizes.add(work.op().params);
  latency_by.add(work.latency_text());
  if (carries_cost(work.attribution())) add_intensity(work.attribution());
  if (work.row().has_times()) add_times(work, static_cast<double>(kernel.steps()));
}

void HeadroomSums::add_intensity(const Attribution& of) {
  if (!of.cost.flops || !of.cost.bytes) return;
  if (*of.cost.bytes > 0) both_flops.add(*of.cost.flops);
  both_bytes.add(*of.cost.bytes);
}

void HeadroomSums::add_times(WorkRow& work, double steps) {
  const std::int64_t duration_ns = work.row().duration_ns;
  time_ns.add(duration_ns);
  step_ns.add(static_cast<double>(duration_ns) / steps);
  if (const std::optional<Headroom> of = headroom_of(work)) {
    model_ns.add(of->model_ns);
    add_time(model_of_ns, duration_ns);
    headroom_ns.add(of->time_ns);
    step_headroom_ns.add(of->time_ns / steps);
  }
  if (const auto& mhz = work.clocks().sm_mhz) sm_clock_mhz.add(std::round(*mhz), duration_ns);
  peak_tflop_per_s.add(real_in(work_cells::peak_tflop_per_s(work.roofline())), duration_ns);
  peak_gb_per_s.add(real_in(work_cells::peak_gb_per_s(work.roofline())), duration_ns);
  if (!carries_cost(work.attribution())) return;
  tflop_per_s.add(real_in(work_cells::tflop_per_s(work)), duration_ns);
  gb_per_s.add(real_in(work_cells::gb_per_s(work)), duration_ns);
}

void HeadroomSums::merge(const Sums& others) {
  const auto& other = static_cast<const HeadroomSums&>(others);
  kernels += other.kernels;
  unknown += other.unknown;
  add_time(model_of_ns, other.model_of_ns);
  merge_each<HeadroomSum>(
      *this, other, &HeadroomSum::time_ns, &HeadroomSum::step_ns, &HeadroomSum::headroom_ns,
      &HeadroomSum::step_headroom_ns, &HeadroomSum::model_ns, &HeadroomSum::both_flops,
      &HeadroomSum::both_bytes, &HeadroomSum::sm_clock_mhz, &HeadroomSum::tflop_per_s,
      &HeadroomSum::gb_per_s, &HeadroomSum::peak_tflop_per_s, &HeadroomSum::peak_gb_per_s);
  sizes.merge(other.sizes);
  latency_by.merge(other.latency_by);
}

Cell known(const HeadroomSums& sums, Cell cell) { return sums.is_known() ? cell : absent(); }

Cell share_pct(const HeadroomSums& sums, const HeadroomSums& all) {
  return known(sums, sums.headroom_ns.over(static_cast<double>(all.time_ns.sum), 100));
}

// clang-format off
constexpr Field kHeadroomKeys[] = {
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), trace_cells::name, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), trace_cells::rank, Role::kKey},
    {Column::text("op", "Op", "op that launched the kernels").cut_end(10), [](SteadyKernel& r) { return text(r.work().op().op); }, Role::kKey},
    {Column::text("dir", "Direction", "fprop, bprop or update (the optimizer)").cut_end(5), [](SteadyKernel& r) { return text(name(r.work().op().direction)); }, Role::kKey},
    {Column::text("params", "Params", "sizes of the matrix product, or shapes").cut_end(12).styled(Column::Style::kTensors), [](SteadyKernel& r) { return text(r.work().op().params); }, Role::kOnRequest},
    {Column::text("dtype", "Type", "data type the op computes in").cut_end(7).drop(6), [](SteadyKernel& r) { return text(name(r.work().op().dtype)); }, Role::kOnRequest},
    {Column::text("bound", "Bound", "limiting factor by the roofline model: compute, memory, L2 or latency").cut_end(7), [](SteadyKernel& r) { return text(devices::name(devices::bound(r.work().roofline(), r.work().row().duration_ns))); }, Role::kOnRequest},
    {Column::text("layer", "Layer", "path of the layers around the launch").cut_end(14), [](SteadyKernel& r) { return text(r.work().op().layer); }, Role::kOnRequest},
    {Column::integer("step", "Step", "", "number of the step around the launch"), [](SteadyKernel& r) { return r.work().attribution().step ? signed_number(*r.work().attribution().step) : absent(); }, Role::kOnRequest},
};
constexpr SumField kHeadroomFields[] = {
    {Column::text("sizes", "Sizes", "sizes of the matrix product, or shapes; several: not all the same, -c op,dir,params lists them").cut_end(12).styled(Column::Style::kTensors).drop(1), [](const HeadroomSums& s, const HeadroomSums&) { return s.sizes.cell(); }},
    {Column::text("latency_by", "Latency by", "what kernels that are bound by latency lack; several: not all the same").cut_end(10).drop(3), [](const HeadroomSums& s, const HeadroomSums&) { return s.latency_by.cell(); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped().drop(3), [](const HeadroomSums& s, const HeadroomSums&) { return number(s.kernels); }},
    {Column::time("time_ns", "Time", "total time on the GPU, also of kernels for which the model has none", Column::Type::kReal), [](const HeadroomSums& s, const HeadroomSums&) { return s.time_ns.cell(); }},
    {Column::time("step_ns", "Step time", "their time in a step: the mean of the steady steps of their GPU; without steps, all of it", Column::Type::kReal), [](const HeadroomSums& s, const HeadroomSums&) { return s.step_ns.cell(); }},
    {Column::real("sm_clock_mhz", "SM", "MHz", "mean clock of the multiprocessors while they ran, at which the model is taken; absent: not sampled, and the model is at the stated peaks", 0).grouped().drop(5), [](const HeadroomSums& s, const HeadroomSums&) { return s.sm_clock_mhz.cell(); }},
    {Column::real("roofline_pct", "Roofline", "%", "time predicted by the roofline model over the actual time of the kernels for which it has one", 1).grouped().drop(2), [](const HeadroomSums& s, const HeadroomSums&) { return known(s, s.model_ns.over(static_cast<double>(s.model_of_ns), 100)); }},
    {Column::time("headroom_ns", "Headroom", "time above that of the model; never below 0 for a kernel", Column::Type::kReal), [](const HeadroomSums& s, const HeadroomSums&) { return known(s, s.headroom_ns.cell()); }},
    {Column::time("step_headroom_ns", "Step headroom", "that time in a step, as in summary", Column::Type::kReal), [](const HeadroomSums& s, const HeadroomSums&) { return known(s, s.step_headroom_ns.cell()); }},
    {Column::real("share_pct", "Share", "%", "that time as a share of the time of all kernels", 1).grouped().drop(1), [](const HeadroomSums& s, const HeadroomSums& all) { return share_pct(s, all); }},
    {Column::integer("unknown", "Unknown", "", "kernels for which the model has no time").grouped().drop(4), [](const HeadroomSums& s, const HeadroomSums&) { return number(s.unknown); }},
    {Column::real("intensity", "FLOP/B", "", "FLOPs over bytes, of kernels for which both are known", 2).grouped(), [](const HeadroomSums& s, const HeadroomSums&) { return s.both_flops.over(s.both_bytes.sum); }, Role::kOnRequest},
    {Column::real("tflop_per_s", "TFLOP/s", "", "FLOPs over time, without helper kernels", 2).grouped(), [](const HeadroomSums& s, const HeadroomSums&) { return s.tflop_per_s.cell(); }, Role::kOnRequest},
    {Column::real("peak_tflop_per_s", "Peak", "TFLOP/s", "the device's peak for this arithmetic, at the clock that ran: the mean over their time", 1).grouped(), [](const HeadroomSums& s, const HeadroomSums&) { return s.peak_tflop_per_s.cell(); }, Role::kOnRequest},
    {Column::real("gb_per_s", "GB/s", "", "bytes over time, without helper kernels", 1).grouped(), [](const HeadroomSums& s, const HeadroomSums&) { return s.gb_per_s.cell(); }, Role::kOnRequest},
    {Column::real("peak_gb_per_s", "Peak", "GB/s", "bandwidth of the device's memory, at its clock that ran, or of its L2 where that is the limit: the mean over their time", 1).grouped(), [](const HeadroomSums& s, const HeadroomSums&) { return s.peak_gb_per_s.cell(); }, Role::kOnRequest},
};
// clang-format on

constexpr SumKind kHeadroomSums = {
    .fields = kHeadroomFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<HeadroomSums>(); },
    .keys = kHeadroomKeys,
};

}  // namespace

void register_headroom(Registry& registry) {
  registry.add(make_report(
      {.name = "headroom",
       .help = "time above that of the roofline model in the steady steps, by op and direction, "
               "largest headroom first",
       .kind = kSteadyKernels,
       .form = RowForm::kGroups,
       .table = "op,dir,sizes,kernels,step_ns,roofline_pct,step_headroom_ns,share_pct,unknown",
       .sums = &kHeadroomSums}));
}

}  // namespace prof::reports
