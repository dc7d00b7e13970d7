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

#include "libprof/model/times.hpp"
#include "tools/report/export/formats/host_tracks.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/timeline.hpp"
#include "tools/report/export/formats/timeline_rows.hpp"
#include "tools/report/export/formats/tracks.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::formats {
namespace {

using exports::TimelineEvent;
using exports::TrackKind;
using reports::append;
using reports::Cell;

/// GPUs come after all traces, in the order of those; more than so many mix.
constexpr std::uint64_t kMaxDevices = 1024;

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
  void add(const exports::Argument& argument) {
    append(is_first_ ? "\"" : ",\"", text_);
    is_first_ = false;
    append(argument.word, text_);
    append("\":", text_);
    reports::append_json(argument.value, text_);
  }
  std::string_view finish() {
    text_.push_back('}');
    return text_;
  }

 private:
  std::string text_;
  bool is_first_ = true;
};

class Chrome : public exports::TimelineSink {
 public:
  Chrome(const reports::RowInput& input, tools::Output& output)
      : input_(input),
        output_(output),
        tracks_([this](std::uint64_t pid, std::uint64_t tid, const std::string& name,
                       std::uint64_t order) { write_name("thread", pid, tid, name, order); }),
        host_tracks_(input.traces, tracks_,
                     [this](std::size_t trace) { return process(trace, {}); }) {}

  Status write();

  Status take(const exports::HostSlice& slice) override;
  Status take(const exports::WorkSlice& slice) override;
  Status take(const exports::CounterSample& sample) override;

 private:
  Status add_link(const reports::CollectiveWait& wait, std::uint32_t track, std::int64_t start_ns);
  Status write_events();

  [[nodiscard]] const TraceMember& member(std::size_t trace) const {
    return input_.traces.members()[trace];
  }
  std::uint64_t process(std::size_t trace, std::optional<std::uint32_t> device);
  std::uint32_t stream_track(std::size_t trace, const GpuRow& work);

  void begin_event() { append(std::exchange(any_, true) ? ",\n" : "\n", output_.buffer()); }
  void write_name(const char* what, std::uint64_t pid, std::uint64_t tid, std::string_view name,
                  std::uint64_t order);
  void write_place(char phase, std::uint64_t pid, std::uint64_t tid, std::int64_t time_ns);

  const reports::RowInput& input_;
  tools::Output& output_;
  exports::Tracks tracks_;
  exports::HostTracks host_tracks_;
  exports::Timeline timeline_;
  std::map<std::pair<std::size_t, std::optional<std::uint32_t>>, std::uint64_t> processes_;
  std::int64_t origin_ns_ = 0;
  /// Arrows from launches that are in no slice: importers would drop them, or take another slice.
  std::unordered_set<std::uint64_t> without_begin_;
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

std::uint32_t Chrome::stream_track(std::size_t trace, const GpuRow& work) {
  const std::uint64_t group = std::uint64_t{work.device} << 32 | work.context;
  return static_cast<std::uint32_t>(tracks_.track({trace, TrackKind::kStream, group, work.stream},
                                                  process(trace, work.device), work.stream,
                                                  fmt::format("stream {}", work.stream), false));
}

Status Chrome::take(const exports::HostSlice& slice) {
  Body body(slice.name, slice.category);
  for (const exports::Argument& argument : slice.arguments) body.add(argument);
  return timeline_.add(
      {.track = host_tracks_.track(slice), .start_ns = slice.start_ns, .end_ns = slice.end_ns},
      body.finish());
}

/// Links the last rank's start to the end of each wait, which is the same instant.
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

Status Chrome::take(const exports::WorkSlice& slice) {
  const std::uint32_t track = stream_track(slice.trace, slice.row.row());
  if (slice.wait) PROF_TRY(add_link(*slice.wait, track, slice.start_ns));
  Body body(slice.name, slice.category);
  for (const exports::Argument& argument : slice.arguments) body.add(argument);
  TimelineEvent event{.track = track,
                      .start_ns = slice.start_ns,
                      .end_ns = slice.end_ns,
                      .flow = slice.launch_ns ? slice.row.idx() : 0};
  PROF_TRY(timeline_.add(event, body.finish()));
  if (!slice.launch_ns) return {};
  event.kind = TimelineEvent::Kind::kFlowStart;
  event.track = host_tracks_.track(slice.trace, TrackKind::kThread, slice.row.row().thread);
  event.start_ns = event.end_ns = *slice.launch_ns;
  return timeline_.add(event, {});
}

Status Chrome::take(const exports::CounterSample& sample) {
  Body body(fmt::format("{} ({})", sample.name, sample.unit), sample.category);
  body.add({"value", sample.value});
  return timeline_.add({.kind = TimelineEvent::Kind::kWhole,
                        .track = static_cast<std::uint32_t>(process(sample.trace, sample.device)),
                        .start_ns = sample.time_ns,
                        .end_ns = sample.time_ns},
                       body.finish());
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
    if (event.kind == TimelineEvent::Kind::kWhole) {
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
  host_tracks_.make_first();
  PROF_TRY(exports::read_timeline(input_, *this));
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
                .help = "a timeline of threads and streams as JSON: chrome://tracing, Perfetto",
                .extension = "json",
                .write = write_chrome});
}

}  // namespace prof::formats
