// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PerfettoTrace: a Perfetto trace read as its importer does, for tests of the export. Fails where a
// packet refers to what no packet before it states, or comes too early.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/tools/report/proto_fields.hpp"
#include "tools/report/export/formats/perfetto_fields.hpp"

namespace prof::exports {

class PerfettoTrace {
 public:
  using Arguments = std::map<std::string, std::string>;
  struct Slice {
    std::string track, name, category;
    std::uint64_t start_ns = 0, end_ns = 0;
    std::vector<std::uint64_t> launched{};
    Arguments arguments{};
  };
  struct Work {
    std::uint64_t id = 0, start_ns = 0, duration_ns = 0, gpu = 0, pid = 0;
    std::string name, queue, stage, full_name;
    std::vector<std::uint64_t> waits_for{};
    Arguments arguments{};
    std::vector<std::uint64_t> grid{};
  };
  explicit PerfettoTrace(std::string_view bytes) {
    for (const ProtoFields& packet : ProtoFields(bytes).messages(perfetto::Trace::kPacket)) {
      read(packet);
    }
    for (const auto& [track, open] : open_) EXPECT_TRUE(open.empty()) << "no end on " << track;
  }

  std::vector<std::string> processes, gpus;  ///< In the order in which they are stated.
  std::vector<Slice> slices;                 ///< By end.
  std::vector<Work> work;
  std::optional<std::uint64_t> wall_clock_ns;  ///< At time 0.

 private:
  using InternedData = perfetto::InternedData;

  void read(const ProtoFields& packet) {
    using perfetto::TracePacket;
    EXPECT_EQ(packet.number(TracePacket::kSequenceId), 1U);
    EXPECT_EQ(packet.number(TracePacket::kSequenceFlags),
              std::exchange(is_first_, false) ? perfetto::kStateCleared : perfetto::kNeedsState);
    if (packet.has(TracePacket::kInternedData)) {
      intern(packet.message(TracePacket::kInternedData));
    } else if (packet.has(TracePacket::kTrackDescriptor)) {
      describe(packet.message(TracePacket::kTrackDescriptor));
    } else if (packet.has(TracePacket::kGpuInfo)) {
      for (const ProtoFields& gpu :
           packet.message(TracePacket::kGpuInfo).messages(perfetto::GpuInfo::kGpus)) {
        gpus.push_back(gpu.text(perfetto::Gpu::kName));
      }
    } else if (packet.has(TracePacket::kClockSnapshot)) {
      for (const ProtoFields& clock :
           packet.message(TracePacket::kClockSnapshot).messages(perfetto::ClockSnapshot::kClock)) {
        if (clock.number(perfetto::Clock::kId) == perfetto::kRealtime) {
          wall_clock_ns = clock.number(perfetto::Clock::kTimestamp);
        }
      }
    } else {
      const std::uint64_t time_ns = packet.number(TracePacket::kTimestamp).value();
      EXPECT_LE(last_ns_, time_ns);
      last_ns_ = time_ns;
      if (packet.has(TracePacket::kTrackEvent)) {
        take_event(time_ns, packet.message(TracePacket::kTrackEvent));
      } else {
        take_work(time_ns, packet.message(TracePacket::kGpuRenderStageEvent));
      }
    }
  }

  void intern(const ProtoFields& data) {
    for (const auto kind : {InternedData::kEventCategories, InternedData::kEventNames,
                            InternedData::kAnnotationNames, InternedData::kGraphicsContexts,
                            InternedData::kGpuSpecifications, InternedData::kAnnotationStrings,
                            InternedData::kComputeKernels, InternedData::kComputeArgNames}) {
      for (const ProtoFields& entry : data.messages(kind)) {
        const std::uint64_t iid = entry.number(perfetto::InternedText::kIid).value();
        EXPECT_NE(iid, 0U);
        EXPECT_TRUE(interned_.emplace(std::pair{kind, iid}, entry).second) << "stated twice";
      }
    }
  }
  [[nodiscard]] const ProtoFields& interned(InternedData kind, std::uint64_t iid) const {
    return interned_.at({kind, iid});
  }
  /// All interned messages that have a name have it in the same field.
  template <typename Field>
  [[nodiscard]] std::string name_of(const ProtoFields& message, InternedData kind, Field iid,
                                    Field text) const {
    const auto number = message.number(iid);
    if (!number) return message.text(text);
    return interned(kind, *number).text(perfetto::InternedText::kText);
  }

  void describe(const ProtoFields& track) {
    using perfetto::TrackDescriptor;
    const std::uint64_t uuid = track.number(TrackDescriptor::kUuid).value();
    std::string name = track.text(TrackDescriptor::kName);
    if (track.has(TrackDescriptor::kProcess)) {
      const ProtoFields process = track.message(TrackDescriptor::kProcess);
      EXPECT_EQ(process.number(perfetto::ProcessDescriptor::kPid), uuid);
      name = process.text(perfetto::ProcessDescriptor::kName);
      processes.push_back(name);
    } else if (track.has(TrackDescriptor::kThread)) {
      const ProtoFields thread = track.message(TrackDescriptor::kThread);
      const std::uint64_t pid = thread.number(perfetto::ThreadDescriptor::kPid).value();
      name = tracks_.at(pid) + "/" + thread.text(perfetto::ThreadDescriptor::kName);
    } else if (uuid != 0) {
      name = tracks_.at(track.number(TrackDescriptor::kParentUuid).value()) + "/" + name;
    }
    EXPECT_TRUE(tracks_.emplace(uuid, name).second) << "described twice: " << name;
  }

  template <typename Field>
  void add_argument(const ProtoFields& value, InternedData names, Arguments& arguments) const {
    std::string& text = arguments[name_of(value, names, Field::kNameIid, Field::kName)];
    if (value.has(Field::kInt)) {
      text = std::to_string(*value.number(Field::kInt));
    } else if (value.has(Field::kUint)) {
      text = std::to_string(*value.number(Field::kUint));
    } else if (value.has(Field::kDouble)) {
      text = std::to_string(std::bit_cast<double>(*value.number(Field::kDouble)));
    } else {
      text = name_of(value, InternedData::kAnnotationStrings, Field::kStringIid, Field::kString);
    }
  }

  void take_event(std::uint64_t time_ns, const ProtoFields& event) {
    using perfetto::TrackEvent;
    const std::string& track = tracks_.at(event.number(TrackEvent::kTrackUuid).value());
    std::vector<Slice>& open = open_[track];
    const auto type = static_cast<std::int32_t>(event.number(TrackEvent::kType).value());
    if (type == perfetto::kSliceBegin) {
      Slice& slice = open.emplace_back();
      slice.track = track;
      slice.start_ns = time_ns;
      slice.name =
          name_of(event, InternedData::kEventNames, TrackEvent::kNameIid, TrackEvent::kName);
      slice.category = name_of(event, InternedData::kEventCategories, TrackEvent::kCategoryIids,
                               TrackEvent::kCategories);
      for (const ProtoFields& value : event.messages(TrackEvent::kAnnotations)) {
        add_argument<perfetto::DebugAnnotation>(value, InternedData::kAnnotationNames,
                                                slice.arguments);
      }
    } else if (type == perfetto::kSliceEnd) {
      ASSERT_FALSE(open.empty()) << "an end without a begin on " << track;
      open.back().end_ns = time_ns;
      open.back().launched = event.message(TrackEvent::kGpuCorrelation)
                                 .numbers(perfetto::GpuCorrelation::kSubmittedEventIds);
      slices.push_back(std::move(open.back()));
      open.pop_back();
    }
  }

  void take_work(std::uint64_t time_ns, const ProtoFields& event) {
    using perfetto::GpuRenderStageEvent;
    using perfetto::GpuSpecification;
    const auto specified = [&](GpuRenderStageEvent field) {
      return interned(InternedData::kGpuSpecifications, event.number(field).value())
          .text(GpuSpecification::kName);
    };
    Work& one = work.emplace_back();
    one.id = event.number(GpuRenderStageEvent::kEventId).value();
    one.start_ns = time_ns;
    one.duration_ns = event.number(GpuRenderStageEvent::kDuration).value();
    one.gpu = event.number(GpuRenderStageEvent::kGpuId).value();
    one.pid = interned(InternedData::kGraphicsContexts,
                       event.number(GpuRenderStageEvent::kContext).value())
                  .number(perfetto::GraphicsContext::kPid)
                  .value();
    one.queue = specified(GpuRenderStageEvent::kHwQueueIid);
    one.stage = specified(GpuRenderStageEvent::kStageIid);
    one.name = name_of(event, InternedData::kEventNames, GpuRenderStageEvent::kNameIid,
                       GpuRenderStageEvent::kName);
    if (const auto kernel = event.number(GpuRenderStageEvent::kKernelIid)) {
      one.full_name = interned(InternedData::kComputeKernels, *kernel)
                          .text(perfetto::ComputeKernel::kDemangledName);
    }
    one.waits_for = event.numbers(GpuRenderStageEvent::kEventWaitIds);
    const ProtoFields launch = event.message(GpuRenderStageEvent::kLaunch);
    for (const ProtoFields& value : launch.messages(perfetto::ComputeKernelLaunch::kArgs)) {
      add_argument<perfetto::ExtraComputeArg>(value, InternedData::kComputeArgNames, one.arguments);
    }
    const ProtoFields grid = launch.message(perfetto::ComputeKernelLaunch::kGridSize);
    for (const auto side : {perfetto::Dim3::kX, perfetto::Dim3::kY, perfetto::Dim3::kZ}) {
      if (grid.has(side)) one.grid.push_back(*grid.number(side));
    }
  }

  bool is_first_ = true;
  std::uint64_t last_ns_ = 0;
  std::map<std::pair<InternedData, std::uint64_t>, ProtoFields> interned_;
  std::map<std::uint64_t, std::string> tracks_;
  std::map<std::string, std::vector<Slice>> open_;
};

}  // namespace prof::exports
