// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields of Perfetto's traces that we write, by message. Source: google/perfetto v58.2, the
// .proto files below protos/perfetto/trace that are named with the messages. Names, stages, queues
// and the like are interned: a packet states each with a number of its own ("iid", not 0), and
// others refer to it. What describes GPU work as compute, and ties it to launches, is in Perfetto
// since v55.
#pragma once

#include <protozero/types.hpp>

#include <cstdint>

namespace prof::exports::perfetto {

using Tag = protozero::pbf_tag_type;

enum class Trace : Tag {  // trace.proto
  kPacket = 1,            ///< TracePacket.
};

enum class TracePacket : Tag {  // trace_packet.proto
  kClockSnapshot = 6,           ///< ClockSnapshot.
  kTimestamp = 8,               ///< In nanoseconds, by default of CLOCK_BOOTTIME.
  kSequenceId = 10,             ///< The sequence whose iids the packet uses, from 1.
  kTrackEvent = 11,             ///< TrackEvent.
  kInternedData = 12,           ///< InternedData.
  kSequenceFlags = 13,          ///< Bits: kStateCleared, kNeedsState.
  kGpuRenderStageEvent = 53,    ///< GpuRenderStageEvent.
  kTrackDescriptor = 60,        ///< TrackDescriptor.
  kGpuInfo = 128,               ///< GpuInfo.
};
inline constexpr std::uint32_t kStateCleared = 1;  ///< No iid from before is used from here on.
inline constexpr std::uint32_t kNeedsState = 2;    ///< Useless without packets before it.

enum class ClockSnapshot : Tag {  // clock_snapshot.proto
  kClock = 1,                     ///< Clock: what each shows at one instant.
  kPrimaryClock = 2,              ///< The one to which timestamps are converted.
};
enum class Clock : Tag {
  kId = 1,  ///< kRealtime, kBoottime.
  kTimestamp = 2,
};
inline constexpr std::uint32_t kRealtime = 1, kBoottime = 6;  // common/builtin_clock.proto

/// The messages of texts all have these two.
enum class InternedText : Tag {
  kIid = 1,
  kText = 2,
};
enum class InternedData : Tag {  // interned_data/interned_data.proto
  kEventCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kGraphicsContexts = 23,   ///< InternedGraphicsContext.
  kGpuSpecifications = 24,  ///< InternedGpuRenderStageSpecification: a queue or a stage.
  kAnnotationStrings = 29,  ///< Used by ExtraComputeArg, too.
  kComputeKernels = 1000,   ///< InternedComputeKernel; gpu/gpu_interned_data.proto.
  kComputeArgNames = 1001,  ///< gpu/gpu_interned_data.proto.
};

enum class TrackDescriptor : Tag {  // track_event/track_descriptor.proto
  kUuid = 1,                        ///< 0: the root, which has orders of processes and threads.
  kName = 2,
  kProcess = 3,  ///< ProcessDescriptor: it is this process's own track.
  kThread = 4,   ///< ThreadDescriptor: it is this thread's own track.
  kParentUuid = 5,
  kCounter = 8,                ///< CounterDescriptor.
  kSiblingOrderRank = 12,      ///< Lower ones come first.
  kSiblingMergeBehavior = 15,  ///< kMergeNone: tracks of one name stay apart.
  kProcessOrdering = 19,       ///< kOrderExplicit: by rank.
  kThreadOrdering = 20,
};
inline constexpr std::int32_t kMergeNone = 2, kOrderExplicit = 1;

enum class ProcessDescriptor : Tag {  // track_event/process_descriptor.proto
  kPid = 1,
  kName = 6,
};
enum class ThreadDescriptor : Tag {  // track_event/thread_descriptor.proto
  kPid = 1,
  kTid = 2,
  kName = 5,
};
enum class CounterDescriptor : Tag {  // track_event/counter_descriptor.proto
  kUnit = 3,                          ///< kUnitBytes.
  kUnitName = 6,                      ///< Name of any other unit.
};
inline constexpr std::int32_t kUnitBytes = 3;

enum class TrackEvent : Tag {  // track_event/track_event.proto
  kCategoryIids = 3,
  kAnnotations = 4,  ///< DebugAnnotation.
  kType = 9,         ///< kSliceBegin, kSliceEnd, kCounter.
  kNameIid = 10,
  kTrackUuid = 11,
  kCategories = 22,  ///< A text that is not interned, as the next.
  kName = 23,
  kCounterValue = 30,
  kDoubleCounterValue = 44,
  kGpuCorrelation = 3000,  ///< GpuCorrelation; gpu/gpu_track_event.proto.
};
inline constexpr std::int32_t kSliceBegin = 1, kSliceEnd = 2, kCounter = 4;

/// An end of a slice may have it, too: it is then the slice's.
enum class GpuCorrelation : Tag {  // gpu/gpu_track_event.proto
  kSubmittedEventIds = 1,          ///< Ids of the GpuRenderStageEvents that the slice launched.
};

/// Named values. The numbers of their fields differ where they stand.
enum class DebugAnnotation : Tag {  // track_event/debug_annotation.proto
  kNameIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kName = 10,
  kStringIid = 17,
};
enum class ExtraComputeArg : Tag {  // gpu/gpu_render_stage_event.proto, as all below
  kNameIid = 1,
  kName = 2,
  kInt = 3,
  kUint = 4,
  kDouble = 5,
  kString = 6,
  kStringIid = 7,
};

/// A piece of GPU work, placed at its packet's timestamp.
enum class GpuRenderStageEvent : Tag {
  kEventId = 1,
  kDuration = 2,
  kContext = 5,        ///< InternedGraphicsContext.
  kSubmissionId = 10,  ///< Equal for all events that one call submits.
  kGpuId = 11,         ///< An index into GpuInfo.
  kHwQueueIid = 13,
  kStageIid = 14,
  kName = 17,
  kEventWaitIds = 18,  ///< Ids of the events for which it waits.
  kKernelIid = 19,
  kNameIid = 20,  ///< An event name.
  kLaunch = 21,   ///< ComputeKernelLaunch.
};
enum class ComputeKernelLaunch : Tag {
  kGridSize = 1,       ///< Dim3: blocks.
  kWorkgroupSize = 2,  ///< Dim3: threads of a block.
  kArgs = 3,           ///< ExtraComputeArg.
};
enum class Dim3 : Tag { kX = 1, kY = 2, kZ = 3 };

enum class GraphicsContext : Tag {
  kIid = 1,
  kPid = 2,
  kApi = 3,  ///< kApiCuda.
};
inline constexpr std::int32_t kApiCuda = 4;

enum class GpuSpecification : Tag {
  kIid = 1,
  kName = 2,
  kDescription = 3,
  kCategory = 4,  ///< kCategoryOther, kCategoryCompute.
};
inline constexpr std::int32_t kCategoryOther = 0, kCategoryCompute = 2;

enum class ComputeKernel : Tag {
  kIid = 1,
  kName = 2,
  kDemangledName = 3,
};

enum class GpuInfo : Tag {  // system_info/gpu_info.proto
  kGpus = 1,                ///< Gpu; the first has the id 0.
};
enum class Gpu : Tag {
  kName = 1,
};

}  // namespace prof::exports::perfetto
