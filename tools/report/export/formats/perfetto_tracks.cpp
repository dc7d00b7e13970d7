// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See perfetto_tracks.hpp.
#include "tools/report/export/formats/perfetto_tracks.hpp"

#include <fmt/format.h>

#include "tools/report/export/formats/tracks.hpp"
#include "tools/report/export/formats/work_stacks.hpp"

namespace prof::exports {

using perfetto::TracePacket;
using perfetto::TrackDescriptor;
using protozero::pbf_builder;

/// The root comes first, as ResultFile knows such files by their beginning.
void PerfettoTracks::describe_processes() {
  message_.clear();
  pbf_builder<TrackDescriptor> root(message_);
  root.add_uint64(TrackDescriptor::kUuid, 0);
  root.add_enum(TrackDescriptor::kProcessOrdering, perfetto::kOrderExplicit);
  root.add_enum(TrackDescriptor::kThreadOrdering, perfetto::kOrderExplicit);
  packets_.write(TracePacket::kTrackDescriptor, message_);
  for (std::size_t trace = 0; trace < traces_.size(); ++trace) {
    message_.clear();
    {
      pbf_builder<TrackDescriptor> track(message_);
      track.add_uint64(TrackDescriptor::kUuid, pid_of(trace));
      track.add_int32(TrackDescriptor::kSiblingOrderRank, static_cast<std::int32_t>(trace));
      pbf_builder<perfetto::ProcessDescriptor> process(track, TrackDescriptor::kProcess);
      process.add_int32(perfetto::ProcessDescriptor::kPid,
                        static_cast<std::int32_t>(pid_of(trace)));
      packets_.add_text(process, perfetto::ProcessDescriptor::kName,
                        name_of(traces_.members()[trace].identity));
    }
    packets_.write(TracePacket::kTrackDescriptor, message_);
  }
}

void PerfettoTracks::describe_lane(std::uint64_t pid, std::uint64_t tid, const std::string& name,
                                   std::uint64_t order) {
  using perfetto::ThreadDescriptor;
  message_.clear();
  {
    pbf_builder<TrackDescriptor> track(message_);
    track.add_uint64(TrackDescriptor::kUuid, kLanes + tid);
    track.add_int32(TrackDescriptor::kSiblingOrderRank, static_cast<std::int32_t>(order));
    if (tid < Tracks::kFirstOwnTid) {
      pbf_builder<ThreadDescriptor> thread(track, TrackDescriptor::kThread);
      thread.add_int32(ThreadDescriptor::kPid, static_cast<std::int32_t>(pid));
      thread.add_int64(ThreadDescriptor::kTid, static_cast<std::int64_t>(tid));
      packets_.add_text(thread, ThreadDescriptor::kName, name);
    } else {
      track.add_uint64(TrackDescriptor::kParentUuid, pid);
      track.add_enum(TrackDescriptor::kSiblingMergeBehavior, perfetto::kMergeNone);
      packets_.add_text(track, TrackDescriptor::kName, name);
    }
  }
  packets_.write(TracePacket::kTrackDescriptor, message_);
}

std::uint64_t PerfettoTracks::counter(const CounterSample& sample) {
  using perfetto::CounterDescriptor;
  const auto [found, is_new] = counters_.try_emplace(
      {sample.trace, sample.device, std::string(sample.name)}, kCounters + counters_.size());
  if (!is_new) return found->second;
  std::string name(sample.name);
  if (sample.device) name.insert(0, fmt::format("GPU {} ", *sample.device));
  message_.clear();
  {
    pbf_builder<TrackDescriptor> track(message_);
    track.add_uint64(TrackDescriptor::kUuid, found->second);
    track.add_uint64(TrackDescriptor::kParentUuid, pid_of(sample.trace));
    packets_.add_text(track, TrackDescriptor::kName, name);
    pbf_builder<CounterDescriptor> counter(track, TrackDescriptor::kCounter);
    if (sample.unit == "B") {
      counter.add_enum(CounterDescriptor::kUnit, perfetto::kUnitBytes);
    } else {
      packets_.add_text(counter, CounterDescriptor::kUnitName, sample.unit);
    }
  }
  packets_.write(TracePacket::kTrackDescriptor, message_);
  return found->second;
}

}  // namespace prof::exports
