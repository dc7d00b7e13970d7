// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `launch`: what launching costs the CPU, and whether kernels wait for it. A call counts
// once, however many kernels it launches: the op of a graph's launch is known only if all of its
// kernels have it. A kernel that starts within 5 us of the end of its launching call found little
// or nothing queued before it: an idle H200 starts one about 2 us after the call. Memory: two
// numbers for each call, for the medians.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/sum_parts.hpp"
#include "tools/report/rows/sums.hpp"

namespace prof::reports {
namespace {

constexpr std::int64_t kLaunchBoundNs = 5000;

/// A call and the kernels that it launches. What these do not share is absent.
class LaunchRow final : public Row {
 public:
  std::string op, layer;
  std::optional<Direction> direction;
  std::optional<std::int64_t> step;
  Cell origin;
  std::uint64_t kernels = 0;
  WholeSum time_ns;

  void begin(WorkRow& work) {
    trace_ = &work.trace();
    gpu_ = work.row();
    op = work.op().op;
    layer = work.op().layer;
    direction = work.op().direction;
    step = work.attribution().step;
    origin = work_cells::origin(work);
    kernels = 0;
    time_ns = {};
    first_start_ns_.reset();
    add(work);
  }
  [[nodiscard]] bool has(WorkRow& work) const {
    return work.row().launch == gpu_.launch && work.row().origin == gpu_.origin &&
           &work.trace() == trace_;
  }
  void add(WorkRow& work) {
    ++kernels;
    if (work.op().op != op) op.clear();
    if (work.op().layer != layer) layer.clear();
    if (work.op().direction != direction) direction.reset();
    if (work.attribution().step != step) step.reset();
    if (!work.row().has_times()) return;
    time_ns.add(work.row().duration_ns);
    first_start_ns_ = std::min(first_start_ns_.value_or(INT64_MAX), work.row().start_ns);
  }

  [[nodiscard]] const TraceIdentity& trace() const override { return *trace_; }
  [[nodiscard]] std::optional<std::int64_t> call_ns() const {
    return gpu_.launch_duration_ns != 0 ? std::optional(gpu_.launch_duration_ns) : std::nullopt;
  }
  /// Clocks that are apart say nothing.
  [[nodiscard]] std::optional<std::int64_t> delay_ns() const {
    if (!first_start_ns_ || *first_start_ns_ < gpu_.launch_start_ns) return std::nullopt;
    return difference_of_times(*first_start_ns_, gpu_.launch_start_ns);
  }

 private:
  const TraceIdentity* trace_ = nullptr;
  GpuRow gpu_;  // of the first kernel
  std::optional<std::int64_t> first_start_ns_;
};

/// Work of a call follows each other.
class Launches final : public RowCursor<Row> {
 public:
  explicit Launches(const RowInput& input) : work_(kKernels, input) {}

  LaunchRow* next() override {
    if (!is_open_) ahead_ = next_launched();
    is_open_ = true;
    if (ahead_ == nullptr) return nullptr;
    row_.begin(*ahead_);
    while ((ahead_ = next_launched()) != nullptr && row_.has(*ahead_)) row_.add(*ahead_);
    return &row_;
  }
  [[nodiscard]] Status status() const override { return work_.status(); }

 private:
  WorkRow* next_launched() {
    WorkRow* work = work_.next();
    while (work != nullptr && !work->row().launched) work = work_.next();
    return work;
  }

  RowsOf<WorkRow> work_;
  bool is_open_ = false;
  WorkRow* ahead_ = nullptr;
  LaunchRow row_;
};

constexpr RowKind kLaunches = {
    .names = {"launch", "launches", "launches", "every call that launches kernels",
              "no kernel has a recorded launch"},
    .fields = {},
    .steps = Steps::kOwn,
    .ranges = Ranges::kOfStack,
    .open = [](const RowInput& input) -> std::unique_ptr<RowCursor<Row>> {
      return std::make_unique<Launches>(input);
    },
    .summed = &kKernels,
    .reads_work = 1,
};

struct LaunchSum {
  std::uint64_t launches = 0, kernels = 0;
  WholeSum call_ns, time_ns;
  std::uint64_t timed = 0, bound = 0;  // calls with both times; of these, launch-bound ones
};

/// The durations are those of the calls.
class LaunchSums final : public PlainSums<LaunchSums, LaunchSum> {
 public:
  LaunchSums() {
    durations.keep_values();
    delays.keep_values();
  }

  Durations delays;

  void add(Row& row) override {
    const auto& launch = static_cast<LaunchRow&>(row);
    const auto call = launch.call_ns(), delay = launch.delay_ns();
    ++launches;
    kernels += launch.kernels;
    time_ns.merge(launch.time_ns);
    if (call) {
      call_ns.add(*call);
      durations.add(*call);
    }
    if (delay) delays.add(*delay);
    if (!call || !delay) return;
    ++timed;
    if (*delay - *call < kLaunchBoundNs) ++bound;
  }
  void add_to_all(Row& /*row*/) override {}
  void merge(const Sums& others) override {
    const auto& other = static_cast<const LaunchSums&>(others);
    launches += other.launches;
    kernels += other.kernels;
    call_ns.merge(other.call_ns);
    time_ns.merge(other.time_ns);
    timed += other.timed;
    bound += other.bound;
    durations.merge(other.durations);
    delays.merge(other.delays);
  }
  [[nodiscard]] Weight weight() const override {
    return {call_ns.count > 0 ? ordered_bits(call_ns.sum) : 0, launches};
  }
  void append(std::string& to) const override {
    PlainSums::append(to);
    delays.append(to);
  }
  void take(std::string_view& bytes) override {
    PlainSums::take(bytes);
    delays.take(bytes);
  }
};

Cell mean_of(const WholeSum& sum) {
  return sum.count > 0 ? real(static_cast<double>(sum.sum) / static_cast<double>(sum.count))
                       : absent();
}

Cell bound_pct(const LaunchSums& sums) {
  return sums.timed > 0
             ? real(100.0 * static_cast<double>(sums.bound) / static_cast<double>(sums.timed))
             : absent();
}

// clang-format off
constexpr Field kLaunchKeys[] = {
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), trace_cells::name, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), trace_cells::rank, Role::kKey},
    {Column::text("op", "Op", "op that launches; absent: none, or a call launches kernels of several").cut_end(10), [](LaunchRow& r) { return text(r.op); }, Role::kKey},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)").cut_end(5), [](LaunchRow& r) { return r.direction ? text(name(*r.direction)) : absent(); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the launch").cut_end(14), [](LaunchRow& r) { return text(r.layer); }, Role::kOnRequest},
    {Column::integer("step", "Step", "", "number of the step around the launch"), [](LaunchRow& r) { return r.step ? signed_number(*r.step) : absent(); }, Role::kOnRequest},
    {Column::text("origin", "Origin", "api: kernels of calls; graph: of launches of CUDA graphs; device: of kernels").cut_end(5), [](LaunchRow& r) { return r.origin; }, Role::kKey},
};
constexpr SumField kLaunchSumFields[] = {
    {Column::integer("launches", "Launches", "", "calls that launch kernels").grouped(), [](const LaunchSums& s, const LaunchSums&) { return number(s.launches); }},
    {Column::integer("kernels", "Kernels", "", "kernels that they launch").grouped().drop(5), [](const LaunchSums& s, const LaunchSums&) { return number(s.kernels); }},
    {Column::time("cpu_ns", "CPU", "total time in these calls", Column::Type::kReal), [](const LaunchSums& s, const LaunchSums&) { return s.call_ns.cell(); }},
    {Column::time("cpu_mean_ns", "CPU mean", "time in a call; the first call of a kernel may load its module", Column::Type::kReal).drop(3), [](const LaunchSums& s, const LaunchSums&) { return mean_of(s.call_ns); }},
    {Column::time("cpu_median_ns", "CPU med", "median time in a call", Column::Type::kReal).drop(1), [](const LaunchSums& s, const LaunchSums&) { return s.durations.quantile_ns(0.5); }},
    {Column::time("delay_median_ns", "Delay med", "median time from the beginning of a call to the start of its first kernel, without those that start before it", Column::Type::kReal).drop(2), [](const LaunchSums& s, const LaunchSums&) { return s.delays.quantile_ns(0.5); }},
    {Column::time("delay_p95_ns", "Delay p95", "time that 95 % of these delays do not exceed", Column::Type::kReal).drop(4), [](const LaunchSums& s, const LaunchSums&) { return s.delays.quantile_ns(0.95); }},
    {Column::time("delay_max_ns", "Delay max", "longest of these delays", Column::Type::kReal).drop(9), [](const LaunchSums& s, const LaunchSums&) { return s.delays.max_ns(); }},
    {Column::real("launch_bound_pct", "Launch bound", "%", "share of the calls whose first kernel starts within 5 us of the end of the call: it waited for the launch, not for other work", 1).grouped(), [](const LaunchSums& s, const LaunchSums&) { return bound_pct(s); }},
    {Column::time("time_ns", "GPU time", "total time of the kernels on the GPU", Column::Type::kReal), [](const LaunchSums& s, const LaunchSums&) { return s.time_ns.cell(); }},
};
// clang-format on

constexpr SumKind kLaunchSums = {
    .fields = kLaunchSumFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<LaunchSums>(); },
    .keys = kLaunchKeys,
};

}  // namespace

void register_launch(Registry& registry) {
  registry.add(make_report(
      {.name = "launch",
       .help = "CPU time of the calls that launch kernels, and the time from call to kernel, by op",
       .kind = kLaunches,
       .form = RowForm::kGroups,
       .table = "op,dir,origin,launches,kernels,cpu_ns,cpu_mean_ns,cpu_median_ns,delay_median_ns,"
                "delay_p95_ns,launch_bound_pct,time_ns",
       .sums = &kLaunchSums}));
}

}  // namespace prof::reports
