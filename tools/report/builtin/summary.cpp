// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `summary`: a screen that says how long a step takes, what the GPU does in it, and which
// layers and ops take the time. Times are those of one step, the mean of the steady ones
// (analyzers/timeline/typical_step.hpp). Reads the GPU work of each trace twice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/base/statistics.hpp"
#include "libprof/store/read/record_cursor.hpp"
#include "tools/report/advice/advisor.hpp"
#include "tools/report/advice/step_pass.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/step_texts.hpp"
#include "tools/report/filter/fold_numbers.hpp"
#include "tools/report/filter/gpu_filter.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/rows/allocations.hpp"
#include "tools/report/rows/by_attribution.hpp"
#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/device_states.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/step_notes.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kLines = 5;   ///< Lines of layers, ops and headroom.
constexpr std::size_t kAdvice = 3;  ///< Pieces of advice.
constexpr std::size_t kCauses = 4;  ///< Causes of idle time.

constexpr double kLeastWait = 0.01;  // of a step: shorter waits for ranks are not shown

struct SummaryLine {
  std::string section, what, direction = {};
  std::optional<double> time_ns = {}, share_pct = {}, headroom_ns = {};
  std::string detail = {};
  bool is_estimated = false;
  const TraceIdentity* trace = nullptr;
  std::uint32_t device = 0;

  [[nodiscard]] Cell cell(const std::optional<double>& value) const {
    return value && is_estimated ? estimate(*value) : real(value);
  }
};

// clang-format off
constexpr std::array<LineColumn<SummaryLine>, 9> kSummaryColumns = {{
    {Column::text("section", "Section", "what the line is about: step, layer, op, headroom, memory, device or advice").placed(Column::Place::kLabel), [](const SummaryLine& l) { return text(l.section); }},
    {Column::text("what", "What", "quantity, layer or op; numbered layers are added up; of advice what to change").wrap(16), [](const SummaryLine& l) { return text(l.what); }},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)"), [](const SummaryLine& l) { return text(l.direction); }},
    {Column::time("time_ns", "Time", "time in a step: the mean of the steady steps; of the period the median", Column::Type::kReal), [](const SummaryLine& l) { return l.cell(l.time_ns); }},
    {Column::real("share_pct", "Part", "%", "part of the period; of MFU, HFU and bandwidth of the peak, of memory what the GPU has", 1), [](const SummaryLine& l) { return l.cell(l.share_pct); }},
    {Column::time("headroom_ns", "Headroom", "time above that of the roofline model at the clocks that ran, of the kernels for which it has one, without waits for other ranks; of advice the middle of the range", Column::Type::kReal), [](const SummaryLine& l) { return l.cell(l.headroom_ns); }},
    {Column::text("detail", "Detail", "of the step: how many steps are steady, and the periods of the shortest and the longest; of idle time its causes, of memory where the peak is, of clocks their range, of advice the gain").styled(Column::Style::kTensors).wrap(12).drop(1), [](const SummaryLine& l) { return text(l.detail); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const SummaryLine& l) { return text(l.trace->name); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](const SummaryLine& l) { return number(l.device); }},
}};
// clang-format on

ReportInfo summary_info() {
  ReportInfo info{.name = "summary",
                  .help = "a step's time, what the GPU does in it, and where the time goes",
                  .missing = "no GPU work has times",
                  .rows = "GPU work",
                  .has_steps = true,
                  .has_each_gpu = true,
                  .has_ranges = true,
                  .reads_work = 2,
                  .reads_timeline = true,
                  .row_words = {"capture", "device", "rank"}};
  add_columns(kSummaryColumns, info, "section,what,dir,time_ns,share_pct,headroom_ns,detail",
              "trace,device");
  return info;
}

/// Time of a group of GPU work, and how much of it the roofline model explains.
struct GroupTime {
  double time_ns = 0, modelled_ns = 0, model_ns = 0, above_ns = 0;

  /// A wait for other ranks is no headroom of the work.
  void add(std::int64_t duration_ns, std::int64_t wait_ns,
           const std::optional<Headroom>& headroom) {
    const auto time = static_cast<double>(duration_ns);
    time_ns += time;
    if (!headroom) return;
    modelled_ns += time - static_cast<double>(wait_ns);
    model_ns += headroom->model_ns;
    above_ns += std::max(0.0, headroom->time_ns - static_cast<double>(wait_ns));
  }
  void merge(const GroupTime& other) {
    time_ns += other.time_ns;
    modelled_ns += other.modelled_ns;
    model_ns += other.model_ns;
    above_ns += other.above_ns;
  }
  /// Helpers need no time by the model: by themselves they say nothing about the rest.
  [[nodiscard]] bool is_known() const { return model_ns > 0; }
  [[nodiscard]] std::optional<double> headroom_ns() const {
    return is_known() ? std::optional(above_ns) : std::nullopt;
  }
};

using LineKey = std::pair<std::string, std::string>;  // layer or op, direction
using Groups = std::map<LineKey, GroupTime>;

struct DeviceWork {
  Groups layers, ops;
  struct Of {
    GroupTime* layer = nullptr;
    GroupTime* op = nullptr;
  };
  ByAttribution<Of> groups = {};
  double bytes = 0;
  bool some_bytes_unknown = false;
};

/// How long a collective waits for other ranks.
class WaitsOfWork {
 public:
  explicit WaitsOfWork(const RowInput& input) : input_(input) {}

  std::int64_t wait_ns(const WorkRow& row) {
    if (!is_collective(row.attribution())) return 0;
    if (!waits_) waits_ = rank_waits(input_);
    if (!*waits_ || **waits_ == nullptr) return 0;
    const auto found = (**waits_)->find(row.trace(), row.row());
    return found ? found->wait_ns : 0;
  }
  [[nodiscard]] Status status() const { return waits_ && !*waits_ ? waits_->error() : Status(); }

 private:
  const RowInput& input_;
  std::optional<Result<const RankWaits*>> waits_;
};

void add(DeviceWork& to, WorkRow& row, std::int64_t wait_ns) {
  const OpAttribution& op = row.op();
  const std::int64_t time_ns = row.row().duration_ns;
  const std::optional<Headroom> headroom = row.is_kernel() ? headroom_of(row) : std::nullopt;
  const DeviceWork::Of of = to.groups.of(row.attribution(), [&]() -> DeviceWork::Of {
    const std::string direction(name(op.direction));
    return {&to.layers[{op.layer, direction}], &to.ops[{op.op, direction}]};
  });
  for (GroupTime* const group : {of.layer, of.op}) group->add(time_ns, wait_ns, headroom);
  if (!row.is_kernel()) return;
  if (row.attribution().cost.bytes) {
    to.bytes += *row.attribution().cost.bytes;
  } else {
    to.some_bytes_unknown = true;
  }
}

/// Layers with '*' for their numbers.
Groups folded(const Groups& layers) {
  std::vector<std::string_view> paths;
  for (const auto& [key, time] : layers) paths.emplace_back(key.first);
  const std::vector<std::string> merged = fold_numbers(paths);
  Groups found;
  std::size_t at = 0;
  for (const auto& [key, time] : layers) {
    found[{merged[at++], key.second}].merge(time);
  }
  return found;
}

/// The groups with most of `measure`.
template <typename Measure>
void add_largest(std::string_view section, const Groups& groups, const TypicalStep& step,
                 Measure measure, std::vector<SummaryLine>& lines) {
  std::vector<const Groups::value_type*> sorted;
  for (const auto& group : groups) {
    if (measure(group.second) > 0) sorted.push_back(&group);
  }
  std::ranges::stable_sort(sorted, std::greater{},
                           [&](const auto* group) { return measure(group->second); });
  if (sorted.size() > kLines) sorted.resize(kLines);
  for (const auto* group : sorted) {
    const auto& [key, time] = *group;
    const auto headroom = time.headroom_ns();
    SummaryLine line{
        .section = std::string(section),
        .what = key.first.empty() ? "(none)" : key.first,
        .direction = key.second,
        .time_ns = time.time_ns / step.count(),
        .share_pct = 100 * time.time_ns / static_cast<double>(step.period_ns),
        .headroom_ns = headroom ? std::optional(*headroom / step.count()) : std::nullopt};
    if (time.is_known()) {
      line.detail = fmt::format("{:.0f} % of roofline", 100 * time.model_ns / time.modelled_ns);
    }
    lines.push_back(std::move(line));
  }
}

/// Why the GPU is idle, most time first.
void add_causes(const TypicalStep& step, std::vector<SummaryLine>& lines) {
  std::vector<std::pair<std::int64_t, IdleCause>> causes;
  for (const auto& [cause, time] : step.idle_ns) causes.emplace_back(time, cause);
  std::ranges::sort(causes, std::greater{});
  if (causes.size() > kCauses) causes.resize(kCauses);
  for (const auto& [time, cause] : causes) {
    const double share = 100 * static_cast<double>(time) / static_cast<double>(step.period_ns);
    if (share < 0.05) continue;
    lines.push_back(
        {.section = "idle",
         .what = std::string(name(cause)),
         .time_ns = static_cast<double>(time) / step.count(),
         .share_pct = share,
         .detail = std::string(idle_cause_texts()[static_cast<std::size_t>(cause)].meaning)});
  }
}

/// The data from which the lines of a GPU are made.
struct Summed {
  const TypicalStep& step;
  const StepFacts& facts;
  const DeviceWork& work;
  bool is_imported = false;  ///< The cost of another profiler is not known.

  /// The profiler's part of the host's time makes a step longer.
  [[nodiscard]] bool is_longer_by_profiler() const {
    return !is_imported && step.has_steps && facts.period_ns <= 0.98 * facts.captured_ns;
  }
};

/// Adds the time that the products need at their peaks, over the period.
void add_utilization(std::string_view what, const ProductSums& products, const Summed& of,
                     std::string_view meaning, std::vector<SummaryLine>& lines) {
  const std::optional<double> pct = products.pct_of(of.step.period_ns);
  if (!pct) return;
  lines.push_back({.section = "step",
                   .what = std::string(what),
                   .share_pct = pct,
                   .detail = products.unknown == 0
                                 ? std::string(meaning)
                                 : fmt::format("or more: {} kernels unknown", products.unknown)});
  if (!of.is_longer_by_profiler()) return;
  lines.push_back({.section = "step",
                   .what = std::string(what) + " unprofiled",
                   .share_pct = *pct * of.facts.captured_ns / of.facts.period_ns,
                   .detail = "estimated",
                   .is_estimated = true});
}

/// "; mean 56.3 ms", where it is not the median: the other times of a step add up to it.
std::string mean_text(const TypicalStep& step) {
  const double mean = static_cast<double>(step.period_ns) / step.count();
  const auto median = static_cast<double>(step.median_ns);
  if (std::abs(mean - median) <= 0.01 * median) return {};
  return "; mean " + ms_text(mean) + " ms";
}

void add_step(const Summed& of, std::vector<SummaryLine>& lines) {
  const TypicalStep& step = of.step;
  const auto period = static_cast<double>(step.period_ns);
  lines.push_back({.section = "step",
                   .what = step.has_steps ? "period" : "captured",
                   .time_ns = static_cast<double>(step.median_ns),
                   .share_pct = 100.0,
                   .detail = span_text(step) + mean_text(step)});
  if (of.is_longer_by_profiler()) {
    lines.push_back({.section = "step",
                     .what = "period unprofiled",
                     .time_ns = of.facts.period_ns,
                     .share_pct = 100 * of.facts.period_ns / of.facts.captured_ns,
                     .detail = "estimated: without the profiler's own time",
                     .is_estimated = true});
  }
  if (step.startup_ns > 0) {
    const auto startup = static_cast<double>(step.startup_ns);
    lines.push_back({.section = "step",
                     .what = "start-up",
                     .time_ns = startup,
                     .share_pct = 100 * startup / period,
                     .detail = "until kernels were loaded and memory was allocated"});
    lines.push_back({.section = "step",
                     .what = "after it",
                     .time_ns = period - startup,
                     .share_pct = 100 * (period - startup) / period});
  }
  for (std::size_t i = 0; i < kDeviceStates; ++i) {
    const auto time = static_cast<double>(step.state_ns[i]);
    if (!is_worth_showing(static_cast<DeviceState>(i), 100 * time / period)) continue;
    SummaryLine line{.section = "step",
                     .what = std::string(kStateTexts[i]),
                     .time_ns = time / step.count(),
                     .share_pct = 100 * time / period};
    if (i == 0) {
      const auto in_a_step = [&](auto count, std::string_view one, std::string_view several) {
        const double mean = std::round(static_cast<double>(count) / step.count());
        return count_text(static_cast<std::uint64_t>(mean), one, several);
      };
      line.detail = in_a_step(step.work.kernels, "kernel", "kernels") + " by " +
                    in_a_step(step.work.launches, "launch", "launches");
    }
    lines.push_back(std::move(line));
  }
  add_utilization("MFU", step.work.model_products, of,
                  "GEMMs and convolutions at the peaks of their types", lines);
  if (step.work.products.count > step.work.model_products.count) {
    add_utilization("HFU", step.work.products, of, "with what runs again in backward", lines);
  }
  if (of.work.bytes > 0) {
    const double rate = of.work.bytes / period;
    const auto peak = of.facts.peaks.bytes();
    lines.push_back(
        {.section = "step",
         .what = "bandwidth",
         .share_pct = peak ? std::optional(100 * rate / (peak->per_s / 1e9)) : std::nullopt,
         .detail = fmt::format("{}{:.0f} GB/s by the ops' least bytes",
                               of.work.some_bytes_unknown ? "≥" : "", rate)});
  }
}

/// "12.41 GB, op linear, layer Top_MLP, step 3"
void add_memory(const MemoryPeak& peak, const DeviceRow& device, std::vector<SummaryLine>& lines) {
  std::string detail = fmt::format("{:.2f} GB", static_cast<double>(peak.bytes) / 1e9);
  if (!peak.op.empty()) detail += ", op " + peak.op;
  if (!peak.layer.empty()) detail += ", layer " + peak.layer;
  if (peak.step) detail += fmt::format(", step {}", *peak.step);
  const double share =
      100 * static_cast<double>(peak.bytes) / static_cast<double>(device.memory_bytes);
  lines.push_back({.section = "memory",
                   .what = "peak allocated",
                   .direction = peak.direction,
                   .share_pct = device.memory_bytes != 0 ? std::optional(share) : std::nullopt,
                   .detail = std::move(detail)});
}

/// Clocks and what holds them down, over the samples of the whole trace.
void add_state(TraceReader& trace, std::uint32_t device, std::vector<SummaryLine>& lines) {
  std::vector<std::uint32_t> clocks;
  std::map<std::string_view, std::size_t> reasons;
  const auto states = records_of<DeviceStateRecord>(trace);
  while (const DeviceStateRecord* state = states->next()) {
    if (state->device != device || !state->sm_clock_mhz) continue;
    clocks.push_back(*state->sm_clock_mhz);
    const std::string_view reason = gravest_reason(state->throttle_reasons.value_or(0));
    if (!reason.empty()) ++reasons[reason];
  }
  if (clocks.empty()) return;
  const auto [low, high] = std::ranges::minmax(clocks);
  std::string detail = fmt::format("{:.0f} MHz ({} to {}), {}", median(clocks), low, high,
                                   count_text(clocks.size(), "sample", "samples"));
  for (const auto& [reason, count] : reasons) detail += fmt::format(", {} {}x", reason, count);
  lines.push_back({.section = "device", .what = "SM clock", .detail = std::move(detail)});
}

/// Adds how the rank and the others of its run wait for each other.
void add_ranks(const Summed& of, std::vector<SummaryLine>& lines) {
  const RankStanding& standing = of.facts.standing;
  const auto add = [&](std::string_view what, double time_ns, std::string detail) {
    if (time_ns < kLeastWait * of.facts.captured_ns) return;
    lines.push_back({.section = "ranks",
                     .what = std::string(what),
                     .time_ns = time_ns,
                     .share_pct = 100 * time_ns / of.facts.captured_ns,
                     .detail = std::move(detail)});
  };
  const std::string why =
      standing.cause.empty() ? "no place stands out; -r stragglers" : standing.cause;
  if (standing.cost_ns > 0) {
    add("makes steps longer", standing.cost_ns, "estimated; " + why);
    lines.back().is_estimated = true;
  }
  add("waits for others", standing.waits_ns, "computes nothing meanwhile; -r stragglers");
  add("waits for other stages", standing.exposed_waits_ns - standing.waits_ns,
      "bubble of the pipeline; computes nothing meanwhile; -r pipeline");
  add("others wait for it", standing.waited_for_ns, why);
}

/// Adds the changes that gain most.
void add_advice(const Summed& of, std::vector<SummaryLine>& lines) {
  std::size_t count = 0;
  const StepFacts& facts = of.facts;
  for (const Advice& advice : advise(facts)) {
    if (++count > kAdvice) return;
    const double low = advice.gain.low_ns, high = advice.gain.high_ns;
    if (!advice.is_gain_known) {
      lines.push_back({.section = "advice", .what = advice.what, .detail = advice.evidence});
      continue;
    }
    lines.push_back({.section = "advice",
                     .what = advice.what,
                     .headroom_ns = (low + high) / 2,
                     .detail = fmt::format("{} to {} %{}; -r advice",
                                           estimate_text(100 * low / facts.period_ns),
                                           estimate_text(100 * high / facts.period_ns),
                                           of.is_longer_by_profiler() ? ", unprofiled" : ""),
                     .is_estimated = true});
  }
}

/// The peak of each GPU with allocations. Reads these once.
Result<std::map<DeviceOfTrace, MemoryPeak>> memory_peaks(const RowInput& input) {
  std::map<DeviceOfTrace, MemoryPeak> peaks;
  RowsOf<AllocationRow> rows(kAllocations, input);
  while (const AllocationRow* const row = rows.next()) {
    const LiveMemory::Change& change = row->of().change;
    if (change.memory != MemoryKind::kDevice || !change.device) continue;
    if (change.live_bytes.value_or(0) == 0) continue;
    peaks[{&row->trace(), *change.device}].take(row->of());
  }
  PROF_TRY(rows.status());
  return peaks;
}

class Summary : public Report {
 public:
  Summary() : Report(summary_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    StepPass pass(input);
    std::map<DeviceOfTrace, DeviceWork> work;
    WaitsOfWork waits(pass.all_places());
    PROF_TRY(pass.read([&](WorkRow& row) {
      add(work[{&row.trace(), row.row().device}], row, waits.wait_ns(row));
    }));
    PROF_TRY(waits.status());
    const auto peaks = memory_peaks(pass.all_places());
    if (!peaks) return peaks.error();
    GpuFilter places(input.filter, input.tally.filter);
    LineWriter<SummaryLine> writer(kSummaryColumns, request, sink);
    for (const TraceMember& trace : input.traces.members()) {
      for (const auto& [key, step] : pass.steps()) {
        if (key.first != &trace.identity || step.period_ns <= 0) continue;
        if (!places.takes(trace.identity, key.second)) continue;
        const DeviceRow device = device_row(trace.reader, key.second);
        add_remark(step.outside, key.second, pass.steps().size() > 1, input.tally.remarks);
        const FoundSteps* const found = found_steps(input.filter, trace.reader);
        if (found != nullptr && found->loops.empty()) {
          input.tally.remarks.emplace_back(
              "no range marks a step, and nothing that the program launches repeats");
        }
        const Summed of{.step = step,
                        .facts = pass.facts().at(key),
                        .work = work[key],
                        .is_imported = !trace.reader.meta("imported_from").empty()};
        std::vector<SummaryLine> lines = lines_of(of);
        const auto peak = peaks->find(key);
        if (peak != peaks->end()) add_memory(peak->second, device, lines);
        add_state(trace.reader, device.device, lines);
        add_ranks(of, lines);
        add_advice(of, lines);
        for (SummaryLine& line : lines) {
          line.trace = &trace.identity;
          line.device = device.device;
          if (!writer.write(line)) return {};
        }
      }
    }
    return {};
  }

 private:
  static std::vector<SummaryLine> lines_of(const Summed& of) {
    std::vector<SummaryLine> lines;
    const auto time = [](const GroupTime& group) { return group.time_ns; };
    const auto headroom = [](const GroupTime& group) { return group.headroom_ns().value_or(0); };
    add_step(of, lines);
    add_causes(of.step, lines);
    add_largest("layer", folded(of.work.layers), of.step, time, lines);
    add_largest("op", of.work.ops, of.step, time, lines);
    add_largest("headroom", of.work.ops, of.step, headroom, lines);
    return lines;
  }
};

}  // namespace

void register_summary(Registry& registry) { registry.add(std::make_unique<Summary>()); }

}  // namespace prof::reports
