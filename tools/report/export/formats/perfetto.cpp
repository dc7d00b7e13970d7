// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Format `perfetto`: Perfetto's own traces. Ranges and CUDA calls are slices on tracks, GPU work is
// of the type that Perfetto has for it, and each call lists what it launched. Events are collected
// in any order, and written by time.
#include <fmt/format.h>

#include <protozero/pbf_builder.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/export/formats/host_tracks.hpp"
#include "tools/report/export/formats/open_slices.hpp"
#include "tools/report/export/formats/perfetto_gpus.hpp"
#include "tools/report/export/formats/perfetto_packets.hpp"
#include "tools/report/export/formats/perfetto_tracks.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/timeline.hpp"
#include "tools/report/export/formats/timeline_rows.hpp"
#include "tools/report/export/formats/tracks.hpp"

namespace prof::formats {
namespace {

namespace perfetto = exports::perfetto;
using exports::Argument;
using exports::OpenSlices;
using exports::PerfettoTracks;
using exports::TimelineEvent;
using exports::TrackKind;
using perfetto::InternedData;
using perfetto::TracePacket;
using perfetto::TrackEvent;
using protozero::pbf_builder;

/// The number of the collective's kernel in the rank that comes last. Other work is numbered as in
/// `-r gpu`.
constexpr std::uint64_t kLastOfCollective = std::uint64_t{1} << 63;

class Perfetto : public exports::TimelineSink {
 public:
  Perfetto(const reports::RowInput& input, tools::Output& output)
      : input_(input),
        packets_(output),
        gpus_(input.traces, packets_),
        described_(input.traces, packets_),
        tracks_([this](std::uint64_t pid, std::uint64_t tid, const std::string& name,
                       std::uint64_t order) { described_.describe_lane(pid, tid, name, order); }),
        host_tracks_(input.traces, tracks_, PerfettoTracks::pid_of),
        open_([this](const OpenSlices::Slice& slice) { write_end(slice); }) {}

  Status write();

  Status take(const exports::HostSlice& slice) override;
  Status take(const exports::WorkSlice& slice) override;
  Status take(const exports::CounterSample& sample) override;

 private:
  std::uint64_t event_id(const exports::WorkSlice& slice);
  std::uint64_t kernel_iid(reports::WorkRow& row, std::string_view name);
  std::string launch_of(const exports::WorkSlice& slice);

  Status write_events();
  void write_clocks();
  void write_begin(const TimelineEvent& event, std::string_view fields);
  void write_end(const OpenSlices::Slice& slice);
  /// Perfetto has no times before 0: a range may have been open when the trace began.
  [[nodiscard]] std::uint64_t timestamp(std::int64_t time_ns) const {
    return static_cast<std::uint64_t>(difference_of_times(time_ns, origin_ns_));
  }
  bool write_event(std::int64_t time_ns, const std::string& track_event) {
    fields_.clear();
    pbf_builder<TracePacket>(fields_).add_message(TracePacket::kTrackEvent, track_event);
    return packets_.write(fields_, timestamp(time_ns));
  }

  const reports::RowInput& input_;
  exports::PerfettoPackets packets_;
  exports::PerfettoGpus gpus_;
  PerfettoTracks described_;
  exports::Tracks tracks_;
  exports::HostTracks host_tracks_;
  exports::Timeline timeline_;
  OpenSlices open_;
  std::unordered_map<std::string, std::uint64_t> kernels_;   // by full name
  std::unordered_set<std::uint64_t> collectives_with_last_;  // of which one rank came last
  std::int64_t origin_ns_ = 0;
  std::uint64_t without_slice_ = 0;  // launches
  std::string message_, fields_;
};

Status Perfetto::take(const exports::HostSlice& slice) {
  std::string event;
  pbf_builder<TrackEvent> builder(event);
  packets_.add_text(builder, InternedData::kEventCategories, TrackEvent::kCategoryIids,
                    TrackEvent::kCategories, slice.category);
  packets_.add_text(builder, InternedData::kEventNames, TrackEvent::kNameIid, TrackEvent::kName,
                    slice.name);
  for (const Argument& argument : slice.arguments) {
    packets_.add_argument<TrackEvent, perfetto::DebugAnnotation>(
        builder, TrackEvent::kAnnotations, InternedData::kAnnotationNames, argument);
  }
  return timeline_.add(
      {.track = host_tracks_.track(slice), .start_ns = slice.start_ns, .end_ns = slice.end_ns},
      event);
}

/// The id of the last rank's kernel follows from the collective alone: the work that waits for it
/// may be read earlier.
std::uint64_t Perfetto::event_id(const exports::WorkSlice& slice) {
  const bool is_last = slice.wait && slice.wait->waits_for.empty() &&
                       collectives_with_last_.insert(slice.wait->collective).second;
  return is_last ? kLastOfCollective | slice.wait->collective : slice.row.idx();
}

std::uint64_t Perfetto::kernel_iid(reports::WorkRow& row, std::string_view name) {
  using perfetto::ComputeKernel;
  const reports::Cell cell = reports::work_cells::kernel_name(row, true);
  const auto* const full = std::get_if<std::string_view>(&cell);
  if (full == nullptr) return 0;
  const auto [found, is_new] = kernels_.try_emplace(std::string(*full), kernels_.size() + 1);
  if (is_new) {
    std::string kernel;
    pbf_builder<ComputeKernel> builder(kernel);
    builder.add_uint64(ComputeKernel::kIid, found->second);
    packets_.add_text(builder, ComputeKernel::kName, name);
    packets_.add_text(builder, ComputeKernel::kDemangledName, *full);
    packets_.intern(InternedData::kComputeKernels, kernel);
  }
  return found->second;
}

/// Copies and sets have arguments as kernels do: other fields for them take texts only.
std::string Perfetto::launch_of(const exports::WorkSlice& slice) {
  using perfetto::ComputeKernelLaunch;
  std::string launch;
  pbf_builder<ComputeKernelLaunch> builder(launch);
  for (const Argument& argument : slice.arguments) {
    if (const auto* const size = std::get_if<Dim3>(&argument.value)) {
      pbf_builder<perfetto::Dim3> dim(builder, argument.word == "grid"
                                                   ? ComputeKernelLaunch::kGridSize
                                                   : ComputeKernelLaunch::kWorkgroupSize);
      dim.add_uint32(perfetto::Dim3::kX, size->x);
      dim.add_uint32(perfetto::Dim3::kY, size->y);
      dim.add_uint32(perfetto::Dim3::kZ, size->z);
    } else {
      packets_.add_argument<ComputeKernelLaunch, perfetto::ExtraComputeArg>(
          builder, ComputeKernelLaunch::kArgs, InternedData::kComputeArgNames, argument);
    }
  }
  return launch;
}

Status Perfetto::take(const exports::WorkSlice& slice) {
  using perfetto::GpuRenderStageEvent;
  const GpuRow& work = slice.row.row();
  const std::uint64_t id = event_id(slice);
  std::string event;
  pbf_builder<GpuRenderStageEvent> builder(event);
  builder.add_uint64(GpuRenderStageEvent::kEventId, id);
  builder.add_uint64(GpuRenderStageEvent::kDuration,
                     static_cast<std::uint64_t>(difference_of_times(slice.end_ns, slice.start_ns)));
  builder.add_int32(GpuRenderStageEvent::kGpuId, gpus_.gpu(slice.trace, work.device));
  builder.add_uint64(GpuRenderStageEvent::kHwQueueIid, gpus_.stream(slice.trace, work));
  builder.add_uint64(GpuRenderStageEvent::kStageIid, gpus_.stage(slice.category));
  builder.add_uint64(GpuRenderStageEvent::kContext,
                     gpus_.context(slice.trace, work.context, PerfettoTracks::pid_of(slice.trace)));
  if (work.launch != 0 && work.launch <= UINT32_MAX) {
    builder.add_uint32(GpuRenderStageEvent::kSubmissionId, static_cast<std::uint32_t>(work.launch));
  }
  packets_.add_text(builder, InternedData::kEventNames, GpuRenderStageEvent::kNameIid,
                    GpuRenderStageEvent::kName, slice.name);
  if (slice.wait && !slice.wait->waits_for.empty()) {
    builder.add_uint64(GpuRenderStageEvent::kEventWaitIds,
                       kLastOfCollective | slice.wait->collective);
  }
  if (slice.row.is_kernel()) {
    const std::uint64_t kernel = kernel_iid(slice.row, slice.name);
    if (kernel != 0) builder.add_uint64(GpuRenderStageEvent::kKernelIid, kernel);
  }
  builder.add_message(GpuRenderStageEvent::kLaunch, launch_of(slice));

  std::string fields;
  pbf_builder<TracePacket>(fields).add_message(TracePacket::kGpuRenderStageEvent, event);
  PROF_TRY(timeline_.add(
      {.kind = TimelineEvent::Kind::kWhole, .start_ns = slice.start_ns, .end_ns = slice.end_ns},
      fields));
  if (!slice.launch_ns) return {};
  return timeline_.add({.kind = TimelineEvent::Kind::kFlowStart,
                        .track = host_tracks_.track(slice.trace, TrackKind::kThread, work.thread),
                        .start_ns = *slice.launch_ns,
                        .end_ns = *slice.launch_ns,
                        .flow = id},
                       {});
}

Status Perfetto::take(const exports::CounterSample& sample) {
  std::string fields;
  {
    pbf_builder<TracePacket> packet(fields);
    pbf_builder<TrackEvent> event(packet, TracePacket::kTrackEvent);
    event.add_enum(TrackEvent::kType, perfetto::kCounter);
    event.add_uint64(TrackEvent::kTrackUuid, described_.counter(sample));
    if (const auto* const number = std::get_if<std::uint64_t>(&sample.value)) {
      event.add_int64(TrackEvent::kCounterValue, static_cast<std::int64_t>(*number));
    } else if (const auto* const integer = std::get_if<std::int64_t>(&sample.value)) {
      event.add_int64(TrackEvent::kCounterValue, *integer);
    } else if (const auto* const real = std::get_if<double>(&sample.value)) {
      event.add_double(TrackEvent::kDoubleCounterValue, *real);
    } else {
      return {};
    }
  }
  return timeline_.add(
      {.kind = TimelineEvent::Kind::kWhole, .start_ns = sample.time_ns, .end_ns = sample.time_ns},
      fields);
}

/// Time 0 of the traces, as the packets and as the wall clock show it.
void Perfetto::write_clocks() {
  using perfetto::Clock;
  using perfetto::ClockSnapshot;
  const TraceMember& first = input_.traces.members().front();
  const std::int64_t realtime_ns = first.reader.start_realtime_ns();
  message_.clear();
  {
    pbf_builder<ClockSnapshot> snapshot(message_);
    const auto add = [&snapshot](std::uint32_t id, std::uint64_t shown) {
      pbf_builder<Clock> clock(snapshot, ClockSnapshot::kClock);
      clock.add_uint32(Clock::kId, id);
      clock.add_uint64(Clock::kTimestamp, shown);
    };
    add(perfetto::kBoottime, timestamp(0));
    if (realtime_ns > first.identity.offset_ns) {
      add(perfetto::kRealtime,
          static_cast<std::uint64_t>(difference_of_times(realtime_ns, first.identity.offset_ns)));
    }
    snapshot.add_enum(ClockSnapshot::kPrimaryClock, perfetto::kBoottime);
  }
  packets_.write(TracePacket::kClockSnapshot, message_);
}

void Perfetto::write_begin(const TimelineEvent& event, std::string_view fields) {
  const std::uint64_t lane = tracks_.place(event.track, event.start_ns, event.end_ns);
  open_.begin(lane, event.start_ns, event.end_ns);
  message_.clear();
  pbf_builder<TrackEvent> builder(message_);
  builder.add_enum(TrackEvent::kType, perfetto::kSliceBegin);
  builder.add_uint64(TrackEvent::kTrackUuid, PerfettoTracks::lane(lane));
  message_ += fields;
  write_event(event.start_ns, message_);
}

void Perfetto::write_end(const OpenSlices::Slice& slice) {
  using perfetto::GpuCorrelation;
  message_.clear();
  {
    pbf_builder<TrackEvent> event(message_);
    event.add_enum(TrackEvent::kType, perfetto::kSliceEnd);
    event.add_uint64(TrackEvent::kTrackUuid, PerfettoTracks::lane(slice.lane));
    if (!slice.launched.empty()) {
      pbf_builder<GpuCorrelation> launched(event, TrackEvent::kGpuCorrelation);
      for (const std::uint64_t id : slice.launched) {
        launched.add_uint64(GpuCorrelation::kSubmittedEventIds, id);
      }
    }
  }
  write_event(slice.end_ns, message_);
}

Status Perfetto::write_events() {
  TimelineEvent event;
  std::string_view fields;
  bool goes_on = true;
  while (goes_on && timeline_.next(event, fields)) {
    switch (event.kind) {
      case TimelineEvent::Kind::kSlice:
        write_begin(event, fields);
        break;
      case TimelineEvent::Kind::kFlowStart: {
        open_.end_before(event.start_ns);
        const std::optional<std::uint64_t> lane = tracks_.lane_at(event.track, event.start_ns);
        if (!lane || !open_.launch(*lane, event.flow)) ++without_slice_;
        break;
      }
      default:
        open_.end_before(event.start_ns);
        goes_on = packets_.write(fields, timestamp(event.start_ns));
    }
  }
  open_.end_all();
  return timeline_.status();
}

Status Perfetto::write() {
  described_.describe_processes();
  host_tracks_.make_first();
  PROF_TRY(exports::read_timeline(input_, *this));
  origin_ns_ = std::min<std::int64_t>(0, timeline_.first_ns());
  write_clocks();
  gpus_.write_names();
  PROF_TRY(write_events());
  if (without_slice_ > 0) {
    input_.tally.remarks.push_back(fmt::format("without an arrow: {} in no range or call",
                                               count_text(without_slice_, "launch", "launches")));
  }
  return {};
}

Status write_perfetto(const reports::RowInput& input, tools::Output& output) {
  return Perfetto(input, output).write();
}

}  // namespace

void register_perfetto(Registry& registry) {
  registry.add({.word = "perfetto",
                .help = "a timeline of threads and streams with typed GPU work: ui.perfetto.dev",
                .extension = "pftrace",
                .write = write_perfetto});
}

}  // namespace prof::formats
