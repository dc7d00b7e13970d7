// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/gpu_captures.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "analyzers/devices/device_clocks.hpp"
#include "libprof/base/statistics.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kFewSamples = 3;

using GpuCaptures = std::vector<std::unique_ptr<GpuCapture>>;

/// The captures by trace and GPU, and the places of the steady steps in each.
class Finder {
 public:
  explicit Finder(const RowInput& input, const GpuCaptures& captures) {
    for (const auto& capture : captures) {
      const TraceIdentity& trace = input.traces.members()[capture->trace].identity;
      Entry& entry = entries_[{&trace, capture->device}];
      entry.capture = capture.get();
      for (const auto& step : capture->typical.steps)
        entry.places.emplace(step, entry.places.size());
    }
  }

  /// Null: the row is in no steady step.
  GpuCapture* find(const WorkRow& row, std::size_t& step) {
    const auto entry = entries_.find({&row.trace(), row.row().device});
    if (entry == entries_.end()) return nullptr;
    step = 0;
    if (!entry->second.capture->typical.has_steps) return entry->second.capture;
    if (!row.attribution().step) return nullptr;
    const auto place = entry->second.places.find({row.capture(), *row.attribution().step});
    if (place == entry->second.places.end()) return nullptr;
    step = place->second;
    return entry->second.capture;
  }

 private:
  struct Entry {
    GpuCapture* capture = nullptr;
    std::map<std::pair<std::optional<std::uint32_t>, std::int64_t>, std::size_t> places;
  };
  std::map<std::pair<const TraceIdentity*, std::uint32_t>, Entry> entries_;
};

std::int64_t wait_ns(const WorkRow& row, const RankWaits* waits) {
  if (waits == nullptr || !is_collective(row.attribution())) return 0;
  const auto found = waits->find(row.trace(), row.row());
  return found ? found->wait_ns : 0;
}

void add(GpuCapture& to, std::size_t step, const WorkRow& row, const RankWaits* waits) {
  const OpAttribution& op = row.op();
  const KernelFacts* const kernel = row.facts();
  const std::string_view other = kernel == nullptr ? short_name_of(row.row()) : "";
  to.groups.add(step, {.layer = op.layer,
                       .op = op.op,
                       .direction = name(op.direction),
                       .params = op.params,
                       .kernel = kernel != nullptr ? kernel->demangled : other,
                       .short_kernel = kernel != nullptr ? kernel->short_name : other,
                       .op_id = row.attribution().op_id,
                       .time_ns = row.row().duration_ns - wait_ns(row, waits),
                       .is_collective = is_collective(row.attribution())});
  to.begin_ns = std::min(to.begin_ns, row.row().start_ns);
  to.end_ns = std::max(to.end_ns, sum_of_times(row.row().start_ns, row.row().duration_ns));
}

void finish_groups(const GpuCaptures& captures, std::size_t trace) {
  for (const auto& capture : captures) {
    if (capture->trace == trace) capture->groups.finish();
  }
}

/// Traces come one after the other: the groups of one are finished before those of the next begin,
/// which takes less memory.
Status read_groups(const RowInput& input, const GpuCaptures& captures, const RankWaits* waits) {
  Finder finder(input, captures);
  const GpuCapture* last = nullptr;
  RowsOf<WorkRow> cursor(kGpuWork, input);
  while (const WorkRow* const row = cursor.next()) {
    std::size_t step = 0;
    GpuCapture* const of = finder.find(*row, step);
    if (of == nullptr) continue;
    if (last != nullptr && last->trace != of->trace) finish_groups(captures, last->trace);
    add(*of, step, *row, waits);
    last = of;
  }
  if (last != nullptr) finish_groups(captures, last->trace);
  return cursor.status();
}

Status read_clocks(TraceReader& trace, const std::vector<GpuCapture*>& captures) {
  const DeviceClocks read(trace);
  for (GpuCapture* const capture : captures) {
    std::vector<std::uint32_t> clocks;
    for (const DeviceClocks::Sample& sample : read.of(capture->device)) {
      const bool is_within =
          sample.time_ns >= capture->begin_ns && sample.time_ns <= capture->end_ns;
      if (is_within && sample.sm_mhz) clocks.push_back(*sample.sm_mhz);
    }
    if (clocks.size() >= kFewSamples) capture->sm_clock_mhz = median(clocks);
  }
  return read.status();
}

/// The waits, if they are known for all captures; those of some alone would be in the times of one
/// side.
Result<const RankWaits*> waits_of(const RowInput& input, const GpuCaptures& captures) {
  constexpr auto kCollective = static_cast<std::size_t>(DeviceState::kCollective);
  const bool has_collectives = std::ranges::any_of(
      captures, [](const auto& one) { return one->typical.state_ns[kCollective] > 0; });
  if (!has_collectives) return nullptr;
  Result<const RankWaits*> waits = rank_waits(input);
  if (!waits || *waits == nullptr) return waits;
  const auto standing_of = [&](const GpuCapture& capture) {
    const TraceIdentity& trace = input.traces.members()[capture.trace].identity;
    const RankWaits::OfDevice* const found = (*waits)->find({&trace, capture.device});
    return found != nullptr ? &found->standing : nullptr;
  };
  for (const auto& capture : captures) {
    if (standing_of(*capture) == nullptr) return nullptr;
  }
  for (const auto& capture : captures) capture->standing = standing_of(*capture);
  return waits;
}

}  // namespace

Result<GpuCaptures> read_gpu_captures(const RowInput& input) {
  GpuCaptures captures;
  const std::vector<TraceMember>& traces = input.traces.members();
  for (std::size_t i = 0; i < traces.size(); ++i) {
    auto typical = typical_steps(traces[i], input);
    if (!typical) return typical.error();
    for (auto& [device, step] : *typical) {
      if (step.period_ns <= 0) continue;
      const std::size_t steps = step.has_steps ? step.steps.size() : 1;
      std::vector<double> periods(step.periods_ns.begin(), step.periods_ns.end());
      if (!step.has_steps) periods = {static_cast<double>(step.period_ns)};
      captures.push_back(std::make_unique<GpuCapture>(GpuCapture{.trace = i,
                                                                 .rank = traces[i].identity.rank,
                                                                 .device = device,
                                                                 .typical = std::move(step),
                                                                 .periods_ns = std::move(periods),
                                                                 .groups = StepGroups(steps),
                                                                 .sm_clock_mhz = {}}));
    }
  }
  const Result<const RankWaits*> waits = waits_of(input, captures);
  if (!waits) return waits.error();
  PROF_TRY(read_groups(input, captures, *waits));
  for (std::size_t i = 0; i < traces.size(); ++i) {
    std::vector<GpuCapture*> own;
    for (const auto& capture : captures) {
      if (capture->trace == i) own.push_back(capture.get());
    }
    PROF_TRY(read_clocks(traces[i].reader, own));
  }
  return captures;
}

}  // namespace prof::reports
