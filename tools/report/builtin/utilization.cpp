// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `utilization`: when a GPU was busy, without steps or ranges to go by. The captured time of
// each GPU is cut into 30 equal parts, as the rule gpu_time_util of Nsight Systems does; time
// between captures counts in none, so a part may begin in one capture and end in another. Memory: a
// few bytes for each stretch of a GPU's time, because the last one decides where parts begin.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/varint.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/rows/device_times.hpp"
#include "tools/report/rows/own_tally.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

constexpr std::int64_t kParts = 30;

struct PartLine {
  const TraceIdentity* trace = nullptr;
  std::uint32_t device = 0;
  std::int64_t part = 0;  // from 0
  std::int64_t start_ns = 0, time_ns = 0;
  std::array<std::int64_t, kDeviceStates> state_ns{};

  void add(DeviceState state, std::int64_t from_ns, std::int64_t added_ns) {
    if (time_ns == 0) start_ns = from_ns;
    add_time(time_ns, added_ns);
    add_time(state_ns[static_cast<std::size_t>(state)], added_ns);
  }
  [[nodiscard]] std::int64_t in(DeviceState state) const {
    return state_ns[static_cast<std::size_t>(state)];
  }
};

/// The stretches of a GPU's time, in order.
class GpuTime {
 public:
  GpuTime(const TraceIdentity& trace, std::uint32_t device) : trace_(&trace), device_(device) {}

  [[nodiscard]] bool is_of(const DeviceTimeRow& row) const {
    return trace_ == &row.trace() && device_ == row.slice().part.device;
  }
  [[nodiscard]] std::pair<std::string_view, std::uint32_t> place() const {
    return {trace_->name, device_};
  }
  void add(const DeviceTimeRow& row) {
    const Stretch added{row.slice().time.state, row.start_ns(), row.time_ns()};
    add_time(all_ns_, added.time_ns);
    if (added.state == last_.state && added.start_ns == last_.end_ns()) {
      add_time(last_.time_ns, added.time_ns);
      return;
    }
    keep_last();
    last_ = added;
  }

  /// After the last stretch: those parts that have time.
  [[nodiscard]] std::vector<PartLine> parts();

 private:
  struct Stretch {
    DeviceState state = DeviceState::kIdle;
    std::int64_t start_ns = 0, time_ns = 0;

    [[nodiscard]] std::int64_t end_ns() const { return sum_of_times(start_ns, time_ns); }
  };

  void keep_last() {
    if (last_.time_ns <= 0) return;
    const std::int64_t gap_ns = difference_of_times(last_.start_ns, kept_end_ns_);
    append_varint(kept_, static_cast<std::uint64_t>(last_.state) << 1U | (gap_ns != 0 ? 1U : 0U));
    if (gap_ns != 0) append_varint(kept_, static_cast<std::uint64_t>(gap_ns));
    append_varint(kept_, static_cast<std::uint64_t>(last_.time_ns));
    kept_end_ns_ = last_.end_ns();
  }
  /// Where a part begins in the captured time, rounded down.
  [[nodiscard]] std::int64_t begin_of(std::int64_t part) const {
    return all_ns_ / kParts * part + all_ns_ % kParts * part / kParts;
  }

  const TraceIdentity* trace_;
  std::uint32_t device_;
  std::int64_t all_ns_ = 0;
  Stretch last_;
  std::int64_t kept_end_ns_ = 0;
  std::string kept_;  // for each but the last its state, the gap before it, if any, and its time
};

std::vector<PartLine> GpuTime::parts() {
  keep_last();
  last_ = {};
  std::vector<PartLine> lines;
  std::int64_t part = -1, part_end_ns = 0;  // in the captured time
  std::int64_t captured_ns = 0, at_ns = 0;  // before the stretch; on the axis
  for (std::string_view bytes = kept_; !bytes.empty();) {
    const std::uint64_t head = take_varint(bytes).value_or(0);
    const std::uint64_t gap_ns = (head & 1U) != 0 ? take_varint(bytes).value_or(0) : 0;
    at_ns = sum_of_times(at_ns, static_cast<std::int64_t>(gap_ns));
    auto left_ns = static_cast<std::int64_t>(take_varint(bytes).value_or(0));
    while (left_ns > 0) {
      while (captured_ns >= part_end_ns && part + 1 < kParts) part_end_ns = begin_of(++part + 1);
      if (lines.empty() || lines.back().part != part) lines.push_back({trace_, device_, part});
      const std::int64_t piece_ns =
          part + 1 < kParts ? std::min(left_ns, part_end_ns - captured_ns) : left_ns;
      lines.back().add(static_cast<DeviceState>(head >> 1U), at_ns, piece_ns);
      add_time(captured_ns, piece_ns);
      add_time(at_ns, piece_ns);
      left_ns -= piece_ns;
    }
  }
  return lines;
}

Cell share_pct(const PartLine& line, std::int64_t time_ns) {
  return percent(time_ns, line.time_ns);
}

// clang-format off
constexpr std::array<LineColumn<PartLine>, 11> kUtilizationColumns = {{
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), [](const PartLine& l) { return text(l.trace->name); }},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), [](const PartLine& l) { return l.trace->rank ? number(*l.trace->rank) : absent(); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](const PartLine& l) { return number(l.device); }},
    {Column::integer("part", "Part", "", "number of the part, from 1"), [](const PartLine& l) { return signed_number(l.part + 1); }},
    {Column::instant("start_ns", "Start", "start of the part, since the start of the trace").drop(3), [](const PartLine& l) { return signed_number(l.start_ns); }},
    {Column::time("time_ns", "Time", "captured time in the part", Column::Type::kReal).drop(2), [](const PartLine& l) { return signed_number(l.time_ns); }},
    {Column::real("busy_pct", "Busy", "%", "share of that time in which the GPU is not idle", 1).grouped(), [](const PartLine& l) { return share_pct(l, l.time_ns - l.in(DeviceState::kIdle)); }},
    {Column::real("computing_pct", "Computing", "%", "share in which a kernel runs that is no collective", 1).grouped().drop(1), [](const PartLine& l) { return share_pct(l, l.in(DeviceState::kComputing)); }},
    {Column::real("collective_pct", "Collective", "%", "share in which collectives alone run", 1).grouped().drop(1), [](const PartLine& l) { return share_pct(l, l.in(DeviceState::kCollective)); }},
    {Column::real("copying_pct", "Copying", "%", "share in which copies and sets alone run", 1).grouped().drop(1), [](const PartLine& l) { return share_pct(l, l.in(DeviceState::kCopying)); }},
    {Column::real("idle_pct", "Idle", "%", "share in which nothing runs", 1).grouped(), [](const PartLine& l) { return share_pct(l, l.in(DeviceState::kIdle)); }},
}};
// clang-format on

ReportInfo utilization_info() {
  ReportInfo info{.name = "utilization",
                  .help = "what each GPU does in each of 30 equal parts of the captured time",
                  .missing = "no GPU has work of known time",
                  .rows = kDeviceTimes.names.many,
                  .has_steps = kDeviceTimes.has_steps(),
                  .has_ranges = kDeviceTimes.has_ranges(),
                  .reads_timeline = true};
  for (const Field& field : kDeviceTimes.fields) info.row_words.push_back(field.column.word);
  add_columns(
      kUtilizationColumns, info,
      "device,part,start_ns,time_ns,busy_pct,computing_pct,collective_pct,copying_pct,idle_pct",
      "trace,rank");
  return info;
}

class UtilizationReport : public Report {
 public:
  UtilizationReport() : Report(utilization_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    std::vector<GpuTime> gpus;
    const OwnTally tally(input);
    RowsOf<DeviceTimeRow> times(kDeviceTimes, tally.input());
    while (const DeviceTimeRow* const row = times.next()) {
      if (gpus.empty() || !gpus.back().is_of(*row)) {
        gpus.emplace_back(row->trace(), row->slice().part.device);
      }
      gpus.back().add(*row);
    }
    PROF_TRY(times.status());
    std::ranges::stable_sort(gpus, {}, &GpuTime::place);
    LineWriter<PartLine> lines(kUtilizationColumns, request, sink);
    for (GpuTime& gpu : gpus) {
      for (const PartLine& line : gpu.parts()) {
        if (!lines.write(line)) return {};
      }
    }
    return {};
  }
};

}  // namespace

void register_utilization(Registry& registry) {
  registry.add(std::make_unique<UtilizationReport>());
}

}  // namespace prof::reports
