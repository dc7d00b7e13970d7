// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See timeline_rows.hpp.
#include "tools/report/export/formats/timeline_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libprof/base/check.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/export/formats/host_facts.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/rows/api_calls.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/ranges.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::exports {
namespace {

using reports::Cell;

/// The columns of GPU work that become its arguments.
constexpr std::string_view kWorkArguments[] = {
    "layer",     "op",     "dir",         "part",  "params", "m",     "n",
    "k",         "batch",  "dtype",       "flops", "bytes",  "grid",  "block",
    "registers", "shared", "correlation", "step",  "launch", "origin"};

/// The fields of those words, all of which the kind has.
std::vector<const reports::Field*> fields_of(const reports::RowKind& kind,
                                             std::span<const std::string_view> words) {
  std::vector<const reports::Field*> fields;
  for (const std::string_view word : words) {
    fields.push_back(kind.find(word));
    PROF_CHECK(fields.back() != nullptr);
  }
  return fields;
}

class TimelineRows {
 public:
  TimelineRows(const reports::RowInput& input, TimelineSink& sink) : input_(input), sink_(sink) {}

  Status read_ranges();
  Status read_calls();
  Status read_work();
  Status read_counters();

 private:
  [[nodiscard]] const TraceMember& member(std::size_t trace) const {
    return input_.traces.members()[trace];
  }
  /// The row input of a host table: its tally is not the one of the GPU work.
  reports::RowInput host_input(reports::Tally& tally) {
    return {input_.traces, input_.reading, input_.filter, tally};
  }
  void leave_out(std::uint64_t count, const char* one, const char* many, const char* without) {
    if (count == 0) return;
    input_.tally.remarks.push_back(
        fmt::format("left out: {} without {}", count_text(count, one, many), without));
  }
  void add_argument(std::string_view word, const Cell& value) {
    if (!std::holds_alternative<reports::Absent>(value)) arguments_.push_back({word, value});
  }
  void see(std::int64_t start_ns, std::int64_t end_ns) {
    first_ns_ = std::min(first_ns_, start_ns);
    last_ns_ = std::max(last_ns_, end_ns);
  }
  Status take(HostSlice& slice) {
    see(slice.start_ns, slice.end_ns);
    slice.arguments = arguments_;
    return sink_.take(slice);
  }

  const reports::RowInput& input_;
  TimelineSink& sink_;
  std::vector<Argument> arguments_;
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
};

Status TimelineRows::read_ranges() {
  reports::Tally tally;
  reports::RowsOf<reports::RangeOpening> ranges(reports::kRanges, host_input(tally));
  std::optional<HostFacts> facts;
  std::optional<std::size_t> of_trace;
  std::uint64_t without_end = 0;
  while (auto* const row = ranges.next()) {
    const RangeSpanRow& range = row->record();
    const std::size_t trace = place_of(input_.traces, row->trace());
    if (of_trace != trace) facts.emplace(member(trace).reader, input_.filter);
    of_trace = trace;
    const HostFacts::Point point = facts->at(range.id, range.start_ns);
    if (!facts->takes(*point.op)) continue;
    if (!range.start_ns || !range.duration_ns || *range.duration_ns < 0) {
      ++without_end;
      continue;
    }
    const std::string_view shown = row->shown_range(range.text);
    const std::string name = reports::name_of_range(shown).name;
    arguments_.clear();
    add_argument("domain", reports::text(row->domain(range.domain)));
    add_argument("op", reports::text(point.op->op));
    add_argument("layer", reports::text(point.op->layer));
    add_argument("dir", reports::text(prof::name(point.op->direction)));
    add_argument("params", reports::text(point.op->params));
    if (point.step) add_argument("step", reports::signed_number(*point.step));
    if (name != shown) add_argument("text", reports::text(shown));
    const bool is_process = range.kind == RangeRecord::Kind::kStartEnd;
    const std::int64_t start_ns = reports::on_axis(member(trace), *range.start_ns);
    HostSlice slice{.trace = trace,
                    .kind = is_process ? TrackKind::kProcessRanges : TrackKind::kThread,
                    .thread = range.thread,
                    .name = name,
                    .category = "nvtx",
                    .start_ns = start_ns,
                    .end_ns = sum_of_times(start_ns, *range.duration_ns),
                    .arguments = {}};
    PROF_TRY(take(slice));
    if (!facts->is_step(range.id)) continue;
    slice.kind = TrackKind::kSteps;
    PROF_TRY(take(slice));
  }
  leave_out(without_end, "range", "ranges", "an end or a time");
  return ranges.status();
}

Status TimelineRows::read_calls() {
  reports::Tally tally;
  reports::RowsOf<reports::ApiCall> calls(reports::kApiCalls, host_input(tally));
  std::optional<HostFacts> facts;
  std::optional<std::size_t> of_trace;
  std::uint64_t without_end = 0;
  while (auto* const row = calls.next()) {
    const ApiCallRow& call = row->record();
    const std::size_t trace = place_of(input_.traces, row->trace());
    if (of_trace != trace) facts.emplace(member(trace).reader, input_.filter);
    of_trace = trace;
    if (!facts->takes(*facts->at(call.range, call.start_ns).op)) continue;
    if (!call.start_ns || !call.duration_ns || *call.duration_ns < 0) {
      ++without_end;
      continue;
    }
    arguments_.clear();
    if (call.correlation != 0) add_argument("correlation", reports::number(call.correlation));
    if (call.status != 0) add_argument("status", reports::signed_number(call.status));
    const std::int64_t start_ns = reports::on_axis(member(trace), *call.start_ns);
    HostSlice slice{.trace = trace,
                    .kind = TrackKind::kThread,
                    .thread = call.thread,
                    .name = row->string(call.function),
                    .category = "cuda",
                    .start_ns = start_ns,
                    .end_ns = sum_of_times(start_ns, *call.duration_ns),
                    .arguments = {}};
    PROF_TRY(take(slice));
  }
  leave_out(without_end, "CUDA call", "CUDA calls", "an end or a time");
  return calls.status();
}

Status TimelineRows::read_work() {
  const reports::RankWaits* waits = nullptr;  // null: no other rank is known
  if (input_.find_waits) {
    const Result<const reports::RankWaits*> found = input_.find_waits();
    if (!found) return found.error();
    waits = *found;
  }
  reports::RowsOf<reports::WorkRow> cursor(reports::kGpuWork, input_);
  const std::vector<const reports::Field*> fields = fields_of(reports::kGpuWork, kWorkArguments);
  std::uint64_t without_time = 0;
  while (reports::WorkRow* const row = cursor.next()) {
    const GpuRow& work = row->row();
    if (!work.has_times()) {
      ++without_time;
      continue;
    }
    const Cell name = reports::work_cells::kernel_name(*row, false);
    const Cell kind = reports::work_cells::kind(*row);
    const auto* const text = std::get_if<std::string_view>(&name);
    arguments_.clear();
    for (const reports::Field* field : fields) add_argument(field->column.word, field->value(*row));
    const std::int64_t start_ns = row->on_axis(work.start_ns);
    WorkSlice slice{.trace = place_of(input_.traces, row->trace()),
                    .row = *row,
                    .name = text != nullptr ? *text : "(unnamed)",
                    .category = std::get<std::string_view>(kind),
                    .start_ns = start_ns,
                    .end_ns = sum_of_times(start_ns, work.duration_ns),
                    .launch_ns = {},
                    .wait = {},
                    .arguments = {}};
    if (waits != nullptr && is_collective(row->attribution())) {
      slice.wait = waits->find(row->trace(), work);
    }
    if (slice.wait) {
      add_argument("wait_us", reports::microseconds(slice.wait->wait_ns));
      add_argument("waits_for", reports::text(slice.wait->waits_for));
    }
    slice.arguments = arguments_;
    if (work.launched && work.thread && work.launch_start_ns < work.start_ns) {
      slice.launch_ns = row->on_axis(work.launch_start_ns);
    }
    see(slice.launch_ns.value_or(start_ns), slice.end_ns);
    PROF_TRY(sink_.take(slice));
  }
  leave_out(without_time, "piece of GPU work", "pieces of GPU work", "a time");
  return cursor.status();
}

Status TimelineRows::read_counters() {
  const TakeSample take = [this](const CounterSample& sample) -> Status {
    const bool is_meant =
        input_.filter.all() || (first_ns_ <= sample.time_ns && sample.time_ns <= last_ns_);
    return is_meant ? sink_.take(sample) : Status();
  };
  reports::Tally tally;
  std::uint64_t states_without_time = 0, marks_without_time = 0;
  PROF_TRY(read_device_states(host_input(tally), take, states_without_time));
  PROF_TRY(read_allocators(host_input(tally), take, marks_without_time));
  leave_out(states_without_time, "sample of a GPU", "samples of GPUs", "a time");
  leave_out(marks_without_time, "mark of PyTorch's allocator", "marks of PyTorch's allocator",
            "a time");
  return {};
}

}  // namespace

Status read_timeline(const reports::RowInput& input, TimelineSink& sink) {
  TimelineRows rows(input, sink);
  PROF_TRY(rows.read_ranges());
  PROF_TRY(rows.read_calls());
  PROF_TRY(rows.read_work());
  return rows.read_counters();
}

}  // namespace prof::exports
