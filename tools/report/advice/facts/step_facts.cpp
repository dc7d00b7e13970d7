// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/facts/step_facts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analyzers/timeline/idle_causes.hpp"
#include "analyzers/timeline/work_timeline.hpp"
#include "tools/report/rows/by_attribution.hpp"

namespace prof::reports {
namespace {

/// A launch that takes longer waits for room in the GPU's queue.
constexpr std::int64_t kLaunchNs = 30'000;
/// How much longer the host takes while it is captured: its launches alone, and with the ops of a
/// framework (docs/overhead.md; measured on small steps of GPT-2 and BERT).
constexpr double kCaptured = 1.1, kObserved = 1.6;

bool is_of_host(IdleCause cause) { return !was_queued(cause); }

}  // namespace

bool is_on_its_way(IdleCause cause) {
  return cause == IdleCause::kLaunch || cause == IdleCause::kPython || cause == IdleCause::kGraph ||
         cause == IdleCause::kSynchronize;
}

namespace {

using WorkGroupKey =
    std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
               std::string_view, Direction, bool, GpuRow::Kind, MemoryKind, MemoryKind>;

WorkGroupKey key_of(const WorkGroup& group) {
  return {group.layer,  group.op,         group.op_inner,      group.params,
          group.kernel, group.direction,  group.is_recomputed, group.kind,
          group.source, group.destination};
}

WorkGroupKey key_of(const WorkRow& row) {
  const OpAttribution& op = row.op();
  std::string_view kernel;
  if (row.facts() != nullptr) kernel = row.facts()->short_name;
  return {op.layer,         op.op,
          op.op_inner,      op.params,
          kernel,           op.direction,
          op.is_recomputed, row.row().kind,
          row.row().source, row.row().destination};
}

WorkGroup group_of(WorkRow& row, const DeviceRow& device) {
  const OpAttribution& op = row.op();
  WorkGroup made;
  made.layer = op.layer;
  made.op = op.op;
  made.op_inner = op.op_inner;
  made.params = op.params;
  made.direction = op.direction;
  made.is_recomputed = op.is_recomputed;
  made.part = op.part;
  made.kind = row.row().kind;
  made.source = row.row().source;
  made.destination = row.row().destination;
  made.dtype = op.dtype;
  made.is_product = op.is_product;
  made.is_main = row.attribution().main;
  made.is_collective = is_collective(row.attribution());
  made.gemm = op.gemm;
  made.tensors = op.tensors;
  if (const KernelFacts* const kernel = row.facts()) {
    made.kernel = kernel->short_name;
    made.operand = kernel->operand_dtype;
    made.tensor_core = kernel->tensor_core;
    made.is_product_kernel = kernel->is_product;
    made.layout = kernel->layout;
  }
  if (!row.has_grid()) return made;
  const LaunchConfig& launch = row.config();
  made.occupancy = devices::theoretical_occupancy(device, launch);
  const double blocks = 1.0 * launch.grid.x * launch.grid.y * launch.grid.z;
  made.fills_gpu =
      made.occupancy && blocks >= 1.0 * device.sm_count * made.occupancy->blocks_per_sm();
  return made;
}

}  // namespace

/// Activity of the host from one launch to the next, without its waits for the GPU.
struct StepFactsCollector::HostPart {
  std::int64_t way_ns = 0;    ///< The way itself.
  std::int64_t other_ns = 0;  ///< Beyond what such a way takes: it compiles, loads, allocates.
};

/// Where in a step the host waits for data: a copy to its memory, as nonzero() and item() make. At
/// the ends of a step, a program reads its loss.
class StepFactsCollector::StepOrder {
 public:
  void add(const WorkRow& row) {
    const std::pair step(row.capture(), row.attribution().step);
    if (step != step_) end_step();
    step_ = step;
    ++work_;
    const bool is_to_host =
        row.row().source == MemoryKind::kDevice && (row.row().destination == MemoryKind::kPinned ||
                                                    row.row().destination == MemoryKind::kPageable);
    if (row.row().kind == GpuRow::Kind::kMemcpy && is_to_host) copies_.push_back(work_);
  }
  [[nodiscard]] double waits_amid() {
    end_step();
    return waits_;
  }

 private:
  static constexpr double kEnds = 0.05;  // of a step's work

  void end_step() {
    const auto work = static_cast<double>(work_);
    for (const std::uint64_t copy : copies_) {
      const auto at = static_cast<double>(copy);
      waits_ += at > kEnds * work && at < (1 - kEnds) * work ? 1 : 0;
    }
    copies_.clear();
    work_ = 0;
  }

  std::pair<std::optional<std::uint32_t>, std::optional<std::int64_t>> step_;
  std::uint64_t work_ = 0;
  std::vector<std::uint64_t> copies_;
  double waits_ = 0;
};

/// The work of one device of one trace.
class StepFactsCollector::OfDevice {
 public:
  OfDevice(const TypicalStep& step, const DeviceRow& device,
           const std::vector<DeviceClocks::Sample>& clocks) {
    facts_.step = step;
    facts_.device = device;
    facts_.peaks = devices::device_peaks(device);
    facts_.clocks = clocks;
  }

  [[nodiscard]] const TypicalStep& step() const { return facts_.step; }

  [[nodiscard]] bool takes(const WorkRow& row) const {
    return facts_.step.takes(row.capture(), row.attribution().step);
  }

  void add(WorkRow& row, const HostPart& host) {
    WorkGroup& group = find(row);
    ++group.count;
    group.host_ns += static_cast<double>(host.way_ns);
    facts_.way_ns += static_cast<double>(host.way_ns);
    facts_.host_ns += static_cast<double>(host.other_ns);
    facts_.graph_kernels += row.is_kernel() && row.row().origin == Origin::kGraph ? 1 : 0;
    order_.add(row);
    const auto time = static_cast<double>(row.row().duration_ns);
    group.gpu_ns += time;
    begin_ns_ = std::min(begin_ns_, row.row().start_ns);
    end_ns_ = std::max(end_ns_, sum_of_times(row.row().start_ns, row.row().duration_ns));
    const devices::PeakTimes times = row.at_stated_peaks();
    if (times.compute_ns) {
      group.compute_ns += *times.compute_ns;
      group.computed_ns += time;
    }
    if (times.memory_ns) {
      group.memory_ns += *times.memory_ns;
    }
    if (const std::optional<Headroom> headroom =
            row.is_kernel() ? headroom_of(row) : std::nullopt) {
      group.model_ns += headroom->model_ns;
      group.above_ns += headroom->time_ns;
    }
    group.flops += row.attribution().cost.flops.value_or(0);
    group.bytes += row.is_kernel() ? row.attribution().cost.bytes.value_or(0)
                                   : static_cast<double>(row.row().bytes);
    observed_ = observed_ || (row.op().module == "aten" && !row.attribution().is_repeat);
  }

  StepFacts finish() {
    const double steps = facts_.step.count();
    std::erase_if(facts_.clocks, [this](const DeviceClocks::Sample& sample) {
      return sample.time_ns < begin_ns_ || sample.time_ns > end_ns_;
    });
    for (WorkGroup& group : facts_.groups) {
      for (double* const sum :
           {&group.count, &group.gpu_ns, &group.host_ns, &group.compute_ns, &group.computed_ns,
            &group.memory_ns, &group.model_ns, &group.above_ns, &group.flops, &group.bytes}) {
        *sum /= steps;
      }
    }
    // The profiler's share of the host's time is not the program's.
    const double cost = observed_ ? kObserved : kCaptured;
    for (WorkGroup& group : facts_.groups) group.host_ns /= cost;
    const double captured = static_cast<double>(facts_.step.period_ns) / steps;
    facts_.captured_ns = captured;
    for (double* const sum : {&facts_.host_ns, &facts_.way_ns, &facts_.graph_kernels})
      *sum /= steps;
    facts_.waits_amid = order_.waits_amid() / steps;
    for (const WorkGroup& group : facts_.groups) {
      const bool is_alike = std::abs(group.count - std::round(group.count)) < 1e-6;
      if (!is_alike && group.kind == GpuRow::Kind::kKernel) facts_.changing_kernels += group.count;
    }
    facts_.gpu_ns = captured;
    for (auto& [cause, time] : facts_.step.idle_ns) {
      if (!is_of_host(cause)) continue;
      facts_.gpu_ns -= static_cast<double>(time) / steps;
      if (is_on_its_way(cause)) time = std::llround(static_cast<double>(time) / cost);
    }
    facts_.host_ns = std::min(facts_.host_ns, captured);
    facts_.way_ns = std::min(facts_.way_ns, captured - facts_.host_ns);
    const double apart = captured - std::max(facts_.gpu_ns, facts_.host_ns + facts_.way_ns);
    facts_.way_ns /= cost;
    facts_.host_ns += facts_.way_ns;
    facts_.period_ns = std::max(facts_.gpu_ns, facts_.host_ns) + apart;
    return std::move(facts_);
  }

 private:
  WorkGroup& find(WorkRow& row) {
    // Copies of an op may be of several kinds.
    if (!row.is_kernel()) return find_by_texts(row);
    return *of_kernels_.of(row.attribution(), [&] { return &find_by_texts(row); });
  }

  WorkGroup& find_by_texts(WorkRow& row) {
    const auto known = groups_.find(key_of(row));
    if (known != groups_.end()) return *known->second;
    WorkGroup& made = facts_.groups.emplace_back(group_of(row, facts_.device));
    groups_.emplace(key_of(made), &made);
    return made;
  }

  StepFacts facts_;
  StepOrder order_;
  bool observed_ = false;
  std::int64_t begin_ns_ = INT64_MAX, end_ns_ = INT64_MIN;  // of the work
  std::map<WorkGroupKey, WorkGroup*> groups_;               // the keys look into them
  ByAttribution<WorkGroup*> of_kernels_;                    // likewise
};

/// How long the host takes from one launch to the next, without its waits for the GPU. What it does
/// after a step that does not count belongs to that step.
class StepFactsCollector::HostTime {
 public:
  HostTime(TraceReader& trace, Reading& reading) : calls_(reading.idle_causes(trace)) {}

  HostPart of(const GpuRow& row, bool counts) {
    if (!row.launched || row.launch == last_) return {};
    last_ = row.launch;
    if (!std::exchange(counted_, counts)) ended_ns_ = std::max(ended_ns_, row.launch_start_ns);
    const std::int64_t begin = std::exchange(
        ended_ns_, std::max(ended_ns_, sum_of_times(row.launch_start_ns, row.launch_duration_ns)));
    if (begin == INT64_MIN || begin >= ended_ns_) return {};
    const std::int64_t between =
        std::max<std::int64_t>(difference_of_times(row.launch_start_ns, begin), 0);
    const std::int64_t waited = calls_->waited_ns(begin, row.launch_start_ns);
    const std::int64_t busy = std::max<std::int64_t>(between - waited, 0);
    const std::int64_t way = std::min(busy, kQuietNs);
    return {.way_ns = way + std::min(row.launch_duration_ns, kLaunchNs), .other_ns = busy - way};
  }
  [[nodiscard]] const Status& status() const { return calls_->status(); }

 private:
  std::shared_ptr<const IdleCauses> calls_;
  Correlation last_ = 0;
  bool counted_ = false;               // the last launch
  std::int64_t ended_ns_ = INT64_MIN;  // of it
};

double StepFacts::gain_ns(double gpu_less_ns, double host_less_ns) const {
  return std::max(gpu_ns, host_ns) - std::max(gpu_ns - gpu_less_ns, host_ns - host_less_ns);
}

double StepFacts::with_turnaround(double removed_ns, double kernels) const {
  const double all = static_cast<double>(step.work.kernels) / step.count();
  return all > 0 ? removed_ns + kernels * idle_ns(IdleCause::kTurnaround) / all : removed_ns;
}

double StepFacts::idle_ns(IdleCause cause) const {
  const auto found = step.idle_ns.find(cause);
  return found == step.idle_ns.end() ? 0 : static_cast<double>(found->second) / step.count();
}

double StepFacts::idle_stretches(IdleCause cause) const {
  const auto found = step.idle_stretches.find(cause);
  return found == step.idle_stretches.end() ? 0 : static_cast<double>(found->second) / step.count();
}

double StepFacts::idle_steps(IdleCause cause) const {
  const auto found = step.idle_steps.find(cause);
  return found == step.idle_steps.end() ? 0 : static_cast<double>(found->second) / step.count();
}

Result<StepsByDevice> typical_steps(const RowInput& input) {
  StepsByDevice all;
  for (const TraceMember& trace : input.traces.members()) {
    auto found = typical_steps(trace, input);
    if (!found) return found.error();
    for (auto& [device, step] : *found) {
      all.emplace(DeviceOfTrace{&trace.identity, device}, std::move(step));
    }
  }
  return all;
}

DeviceRow device_row(TraceReader& trace, std::uint32_t device) {
  const auto& devices = trace.devices();
  const auto found = std::ranges::find(devices, device, &DeviceRow::device);
  if (found != devices.end()) return *found;
  DeviceRow unknown;
  unknown.device = device;
  return unknown;
}

StepFactsCollector::StepFactsCollector(const RowInput& input, const StepsByDevice& steps)
    : input_(input) {
  for (const TraceMember& trace : input.traces.members()) {
    auto& host = hosts_[&trace.identity] = std::make_unique<HostTime>(trace.reader, input.reading);
    if (status_) status_ = host->status();
    const DeviceClocks clocks(trace.reader);
    if (status_) status_ = clocks.status();
    for (const auto& [key, step] : steps) {
      if (key.first != &trace.identity || step.period_ns <= 0) continue;
      devices_[key] = std::make_unique<OfDevice>(step, device_row(trace.reader, key.second),
                                                 clocks.of(key.second));
    }
  }
}

StepFactsCollector::~StepFactsCollector() = default;

bool StepFactsCollector::add(WorkRow& row) {
  const auto found = devices_.find({&row.trace(), row.row().device});
  const bool counts = found != devices_.end() && found->second->takes(row);
  const HostPart host = hosts_.at(&row.trace())->of(row.row(), counts);
  if (!counts) return false;
  found->second->add(row, host);
  return true;
}

Result<std::map<DeviceOfTrace, StepFacts>> StepFactsCollector::finish() {
  constexpr auto kCollective = static_cast<std::size_t>(DeviceState::kCollective);
  const bool has_collectives = std::ranges::any_of(
      devices_, [](const auto& one) { return one.second->step().state_ns[kCollective] > 0; });
  const Result<const RankWaits*> waits =
      has_collectives ? rank_waits(input_) : Result<const RankWaits*>(nullptr);
  if (!waits) return waits.error();
  std::map<DeviceOfTrace, StepFacts> made;
  for (auto& [key, device] : devices_) {
    StepFacts& facts = made.emplace(key, device->finish()).first->second;
    const RankWaits::OfDevice* const found = *waits != nullptr ? (*waits)->find(key) : nullptr;
    if (found != nullptr) facts.standing = found->standing;
    facts.lacks_ranks = facts.standing.ranks < 2 && key.first->world_size.value_or(1) > 1;
  }
  return made;
}

}  // namespace prof::reports
