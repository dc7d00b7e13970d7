// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Format `chrome`: trace events, as chrome://tracing and Perfetto read them. Events are collected
// in any order, and written by time: only then are lanes known.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/export/formats/counters.hpp"
#include "tools/report/export/formats/host_facts.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/timeline.hpp"
#include "tools/report/export/formats/tracks.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/rows/api_calls.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/ranges.hpp"
#include "tools/report/rows/rank_waits.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::formats {
namespace {

using exports::HostFacts;
using exports::TimelineEvent;
using exports::TrackKind;
using reports::append;
using reports::Cell;

/// GPUs come after all traces, in the order of those; more than so many mix.
constexpr std::uint64_t kMaxDevices = 1024;

/// What GPU work says about itself.
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

/// The members of an event that do not depend on its place: "name":...,"cat":...,"args":{...}.
class Body {
 public:
  Body(std::string_view name, std::string_view category) {
    append("\"name\":", text_);
    reports::append_json(Cell{std::in_place_type<std::string_view>, name}, text_);
    append(",\"cat\":\"", text_);
    append(category, text_);
    append("\",\"args\":{", text_);
  }
  /// What is absent is left out.
  void add(std::string_view word, const Cell& value) {
    if (std::holds_alternative<reports::Absent>(value)) return;
    append(is_first_ ? "\"" : ",\"", text_);
    is_first_ = false;
    append(word, text_);
    append("\":", text_);
    reports::append_json(value, text_);
  }
  void add(const HostFacts::Point& point) {
    add("op", reports::text(point.op->op));
    add("layer", reports::text(point.op->layer));
    add("dir", reports::text(name(point.op->direction)));
    add("params", reports::text(point.op->params));
    if (point.step) add("step", reports::signed_number(*point.step));
  }
  std::string_view finish() {
    text_.push_back('}');
    return text_;
  }

 private:
  std::string text_;
  bool is_first_ = true;
};

class Chrome {
 public:
  Chrome(const reports::RowInput& input, tools::Output& output)
      : input_(input),
        output_(output),
        tracks_([this](std::uint64_t pid, std::uint64_t tid, const std::string& name,
                       std::uint64_t order) { write_lane(pid, tid, name, order); }) {}

  Status write();

 private:
  Status add_ranges();
  Status add_calls();
  Status add_work();
  [[nodiscard]] std::optional<reports::CollectiveWait> wait_of(const reports::WorkRow& row) const;
  Status add_link(const reports::CollectiveWait& wait, std::uint32_t track, std::int64_t start_ns);
  Status add_counters();
  Status write_events();

  [[nodiscard]] const TraceMember& member(std::size_t trace) const {
    return input_.traces.members()[trace];
  }
  std::uint64_t process(std::size_t trace, std::optional<std::uint32_t> device);
  std::uint32_t thread_track(std::size_t trace, ThreadId thread);
  std::uint32_t track(std::size_t trace, TrackKind kind, const char* name);
  std::uint32_t stream_track(std::size_t trace, const GpuRow& work);

  /// The row input of a host table: its tally is not the one of the GPU work.
  reports::RowInput host_input(reports::Tally& tally) {
    return {input_.traces, input_.attribute, input_.filter, tally, nullptr};
  }
  void leave_out(std::uint64_t count, const char* one, const char* many, const char* without) {
    if (count == 0) return;
    input_.tally.remarks.push_back(
        fmt::format("left out: {} without {}", count_text(count, one, many), without));
  }

  void begin_event() { append(std::exchange(any_, true) ? ",\n" : "\n", output_.buffer()); }
  void write_name(const char* what, std::uint64_t pid, std::uint64_t tid, std::string_view name,
                  std::uint64_t order);
  void write_lane(std::uint64_t pid, std::uint64_t tid, const std::string& name,
                  std::uint64_t order) {
    write_name("thread", pid, tid, name, order);
  }
  void write_place(char phase, std::uint64_t pid, std::uint64_t tid, std::int64_t time_ns);

  const reports::RowInput& input_;
  tools::Output& output_;
  exports::Tracks tracks_;
  exports::Timeline timeline_;
  std::map<std::pair<std::size_t, std::optional<std::uint32_t>>, std::uint64_t> processes_;
  std::map<std::size_t, reports::ThreadFacts> threads_;
  std::int64_t origin_ns_ = 0;
  /// Arrows from launches that are in no slice: importers would drop them, or take another slice.
  std::unordered_set<std::uint64_t> without_begin_;
  const reports::RankWaits* waits_ = nullptr;  // null: no other rank is known
  bool any_ = false;
};

std::uint64_t Chrome::process(std::size_t trace, std::optional<std::uint32_t> device) {
  const auto [found, is_new] = processes_.try_emplace({trace, device}, processes_.size() + 1);
  if (is_new) {
    std::string name = exports::name_of(member(trace).identity);
    std::uint64_t order = trace;
    if (device) {
      name.append(1, ' ').append(exports::gpu_name(member(trace).reader, *device));
      order = input_.traces.size() + trace * kMaxDevices + *device;
    }
    write_name("process", found->second, 0, name, order);
  }
  return found->second;
}

std::uint32_t Chrome::track(std::size_t trace, TrackKind kind, const char* name) {
  return static_cast<std::uint32_t>(
      tracks_.track({trace, kind, 0, 0}, process(trace, {}), 0, name, true));
}

std::uint32_t Chrome::thread_track(std::size_t trace, ThreadId thread) {
  auto found = threads_.find(trace);
  if (found == threads_.end()) found = threads_.try_emplace(trace, member(trace).reader).first;
  const ThreadRow* const row = found->second.find(thread);
  std::string name = thread ? fmt::format("thread {}", thread.value) : "unknown thread";
  if (row != nullptr && !row->name.empty()) name += " " + row->name;
  return static_cast<std::uint32_t>(
      tracks_.track({trace, TrackKind::kThread, 0, thread.value}, process(trace, {}),
                    row != nullptr ? row->os_tid : 0, std::move(name), true));
}

std::uint32_t Chrome::stream_track(std::size_t trace, const GpuRow& work) {
  const std::uint64_t group = std::uint64_t{work.device} << 32 | work.context;
  return static_cast<std::uint32_t>(tracks_.track({trace, TrackKind::kStream, group, work.stream},
                                                  process(trace, work.device), work.stream,
                                                  fmt::format("stream {}", work.stream), false));
}

Status Chrome::add_ranges() {
  reports::Tally tally;
  reports::RowsOf<reports::RangeOpening> ranges(reports::kRanges, host_input(tally));
  std::optional<HostFacts> facts;
  std::optional<std::size_t> of_trace;
  std::uint64_t without_end = 0;
  while (auto* const row = ranges.next()) {
    const RangeSpanRow& range = row->record();
    const std::size_t trace = exports::place_of(input_.traces, row->trace());
    if (of_trace != trace) facts.emplace(member(trace).reader, input_.filter);
    of_trace = trace;
    const HostFacts::Point point = facts->at(range.id, range.start_ns);
    if (!facts->takes(*point.op)) continue;
    if (!range.start_ns || !range.duration_ns || *range.duration_ns < 0) {
      ++without_end;
      continue;
    }
    const bool is_process = range.kind == RangeRecord::Kind::kStartEnd;
    const std::string_view shown = row->shown_range(range.text);
    const std::string name = reports::name_of_range(shown).name;
    Body body(name, "nvtx");
    body.add("domain", reports::text(row->domain(range.domain)));
    body.add(point);
    if (name != shown) body.add("text", reports::text(shown));
    const std::string_view text = body.finish();
    const std::int64_t start_ns = reports::on_axis(member(trace), *range.start_ns);
    TimelineEvent event{.start_ns = start_ns, .end_ns = sum_of_times(start_ns, *range.duration_ns)};
    event.track = is_process ? track(trace, TrackKind::kProcessRanges, "process ranges")
                             : thread_track(trace, range.thread);
    PROF_TRY(timeline_.add(event, text));
    if (!facts->is_step(range.id)) continue;
    event.track = track(trace, TrackKind::kSteps, "steps");
    PROF_TRY(timeline_.add(event, text));
  }
  leave_out(without_end, "range", "ranges", "an end or a time");
  return ranges.status();
}

Status Chrome::add_calls() {
  reports::Tally tally;
  reports::RowsOf<reports::ApiCall> calls(reports::kApiCalls, host_input(tally));
  std::optional<HostFacts> facts;
  std::optional<std::size_t> of_trace;
  std::uint64_t without_end = 0;
  while (auto* const row = calls.next()) {
    const ApiCallRow& call = row->record();
    const std::size_t trace = exports::place_of(input_.traces, row->trace());
    if (of_trace != trace) facts.emplace(member(trace).reader, input_.filter);
    of_trace = trace;
    if (!facts->takes(*facts->at(call.range, call.start_ns).op)) continue;
    if (!call.start_ns || !call.duration_ns || *call.duration_ns < 0) {
      ++without_end;
      continue;
    }
    const std::string_view function = row->string(call.function);
    Body body(function, "cuda");
    if (call.correlation != 0) body.add("correlation", reports::number(call.correlation));
    if (call.status != 0) body.add("status", reports::signed_number(call.status));
    const std::int64_t start_ns = reports::on_axis(member(trace), *call.start_ns);
    PROF_TRY(timeline_.add({.track = thread_track(trace, call.thread),
                            .start_ns = start_ns,
                            .end_ns = sum_of_times(start_ns, *call.duration_ns)},
                           body.finish()));
  }
  leave_out(without_end, "CUDA call", "CUDA calls", "an end or a time");
  return calls.status();
}

/// Of a collective that the traces of other ranks have, too.
std::optional<reports::CollectiveWait> Chrome::wait_of(const reports::WorkRow& row) const {
  if (waits_ == nullptr || !is_collective(row.attribution())) return std::nullopt;
  return waits_->find(row.trace(), row.row());
}

/// From the last rank's start to the end of each wait, which is the same instant.
Status Chrome::add_link(const reports::CollectiveWait& wait, std::uint32_t track,
                        std::int64_t start_ns) {
  using Kind = TimelineEvent::Kind;
  const bool is_last = wait.waits_for.empty();
  const std::int64_t time_ns = is_last ? start_ns : sum_of_times(start_ns, wait.wait_ns);
  return timeline_.add({.kind = is_last ? Kind::kLinkStart : Kind::kLinkStep,
                        .track = track,
                        .start_ns = time_ns,
                        .end_ns = time_ns,
                        .flow = wait.collective},
                       {});
}

Status Chrome::add_work() {
  if (input_.find_waits) {
    const Result<const reports::RankWaits*> waits = input_.find_waits();
    if (!waits) return waits.error();
    waits_ = *waits;
  }
  reports::RowsOf<reports::WorkRow> cursor(reports::kGpuWork, input_);
  const std::vector<const reports::Field*> arguments = fields_of(reports::kGpuWork, kWorkArguments);
  std::uint64_t without_time = 0;
  while (reports::WorkRow* const row = cursor.next()) {
    const GpuRow& work = row->row();
    if (!work.has_times()) {
      ++without_time;
      continue;
    }
    const std::size_t trace = exports::place_of(input_.traces, row->trace());
    const Cell name = reports::work_cells::kernel_name(*row, false);
    const Cell kind = reports::work_cells::kind(*row);
    const auto* const text = std::get_if<std::string_view>(&name);
    Body body(text != nullptr ? *text : "(unnamed)", std::get<std::string_view>(kind));
    for (const reports::Field* field : arguments) body.add(field->column.word, field->value(*row));
    const std::int64_t start_ns = row->on_axis(work.start_ns);
    const std::optional<reports::CollectiveWait> wait = wait_of(*row);
    if (wait) {
      body.add("wait_us", reports::microseconds(wait->wait_ns));
      if (!wait->waits_for.empty()) body.add("waits_for", reports::text(wait->waits_for));
      PROF_TRY(add_link(*wait, stream_track(trace, work), start_ns));
    }
    // An arrow cannot lead back in time: clocks may disagree.
    const bool is_launched = work.launched && work.thread && work.launch_start_ns < work.start_ns;
    TimelineEvent event{.track = stream_track(trace, work),
                        .start_ns = start_ns,
                        .end_ns = sum_of_times(start_ns, work.duration_ns),
                        .flow = is_launched ? row->idx() : 0};
    PROF_TRY(timeline_.add(event, body.finish()));
    if (!is_launched) continue;
    event.kind = TimelineEvent::Kind::kFlowStart;
    event.track = thread_track(trace, work.thread);
    event.start_ns = event.end_ns = row->on_axis(work.launch_start_ns);
    PROF_TRY(timeline_.add(event, {}));
  }
  leave_out(without_time, "piece of GPU work", "pieces of GPU work", "a time");
  return cursor.status();
}

/// Of chosen rows, what the counters show while they last.
Status Chrome::add_counters() {
  const std::int64_t first_ns = timeline_.first_ns(), last_ns = timeline_.last_ns();
  const exports::TakeSample take = [&](const exports::CounterSample& sample) -> Status {
    const std::int64_t time_ns = sample.time_ns;
    if (!input_.filter.all() && (time_ns < first_ns || time_ns > last_ns)) return {};
    Body body(sample.name, sample.category);
    body.add("value", sample.value);
    return timeline_.add({.kind = TimelineEvent::Kind::kCounter,
                          .track = static_cast<std::uint32_t>(process(sample.trace, sample.device)),
                          .start_ns = time_ns,
                          .end_ns = time_ns},
                         body.finish());
  };
  reports::Tally tally;
  std::uint64_t states_without_time = 0, marks_without_time = 0;
  PROF_TRY(exports::read_device_states(host_input(tally), take, states_without_time));
  PROF_TRY(exports::read_allocators(host_input(tally), take, marks_without_time));
  leave_out(states_without_time, "sample of a GPU", "samples of GPUs", "a time");
  leave_out(marks_without_time, "mark of PyTorch's allocator", "marks of PyTorch's allocator",
            "a time");
  return {};
}

void Chrome::write_name(const char* what, std::uint64_t pid, std::uint64_t tid,
                        std::string_view name, std::uint64_t order) {
  for (const bool is_name : {true, false}) {
    begin_event();
    std::string& out = output_.buffer();
    fmt::format_to(
        std::back_inserter(out),
        "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}_{}\",\"args\":{{\"{}\":", pid, tid,
        what, is_name ? "name" : "sort_index", is_name ? "name" : "sort_index");
    if (is_name) {
      reports::append_json(Cell{std::in_place_type<std::string_view>, name}, out);
    } else {
      reports::append_integer(order, out);
    }
    append("}}", out);
  }
}

void Chrome::write_place(char phase, std::uint64_t pid, std::uint64_t tid, std::int64_t time_ns) {
  begin_event();
  std::string& out = output_.buffer();
  fmt::format_to(std::back_inserter(out), "{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", phase,
                 pid, tid);
  reports::append_decimal({difference_of_times(time_ns, origin_ns_), 3}, out);
}

Status Chrome::write_events() {
  // Perfetto drops what is before 0: a range that was open when the trace began.
  origin_ns_ = std::min<std::int64_t>(0, timeline_.first_ns());
  std::string& out = output_.buffer();
  TimelineEvent event;
  std::string_view body;
  while (timeline_.next(event, body)) {
    if (event.kind == TimelineEvent::Kind::kCounter) {
      write_place('C', event.track, 0, event.start_ns);
      out.push_back(',');
      append(body, out);
    } else if (event.kind == TimelineEvent::Kind::kLinkStart ||
               event.kind == TimelineEvent::Kind::kLinkStep) {
      const auto tid = tracks_.lane_at(event.track, event.start_ns);
      if (!tid) continue;
      const bool is_start = event.kind == TimelineEvent::Kind::kLinkStart;
      write_place(is_start ? 's' : 't', tracks_.pid(event.track), *tid, event.start_ns);
      fmt::format_to(std::back_inserter(out),
                     ",\"id\":{},\"name\":\"last to come\",\"cat\":\"ranks\"", event.flow);
    } else if (event.kind == TimelineEvent::Kind::kFlowStart) {
      const auto tid = tracks_.lane_at(event.track, event.start_ns);
      if (!tid) {
        without_begin_.insert(event.flow);
        continue;
      }
      write_place('s', tracks_.pid(event.track), *tid, event.start_ns);
      fmt::format_to(std::back_inserter(out), ",\"id\":{},\"name\":\"launch\",\"cat\":\"launch\"",
                     event.flow);
    } else {
      const std::uint64_t pid = tracks_.pid(event.track);
      const std::uint64_t tid = tracks_.place(event.track, event.start_ns, event.end_ns);
      write_place('X', pid, tid, event.start_ns);
      append(",\"dur\":", out);
      reports::append_decimal({difference_of_times(event.end_ns, event.start_ns), 3}, out);
      out.push_back(',');
      append(body, out);
      if (event.flow != 0 && without_begin_.erase(event.flow) == 0) {
        out.push_back('}');
        write_place('f', pid, tid, event.start_ns);
        fmt::format_to(std::back_inserter(out),
                       ",\"bp\":\"e\",\"id\":{},\"name\":\"launch\",\"cat\":\"launch\"",
                       event.flow);
      }
    }
    out.push_back('}');
    if (!output_.commit()) break;
  }
  return timeline_.status();
}

Status Chrome::write() {
  output_.write(
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"prof-report " PROF_VERSION_STRING
      "\"},\n\"traceEvents\":[");
  // A trace's first tracks are those of the host.
  for (std::size_t trace = 0; trace < input_.traces.size(); ++trace) {
    track(trace, TrackKind::kSteps, "steps");
    track(trace, TrackKind::kProcessRanges, "process ranges");
  }
  PROF_TRY(add_ranges());
  PROF_TRY(add_calls());
  PROF_TRY(add_work());
  PROF_TRY(add_counters());
  PROF_TRY(write_events());
  output_.write("\n]}\n");
  return {};
}

Status write_chrome(const reports::RowInput& input, tools::Output& output) {
  return Chrome(input, output).write();
}

}  // namespace

void register_chrome(Registry& registry) {
  registry.add({.word = "chrome",
                .help = "a timeline of threads and streams as trace events: Perfetto",
                .also = "perfetto",
                .extension = "json",
                .write = write_chrome});
}

}  // namespace prof::formats
