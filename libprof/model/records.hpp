// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The record stream: what a capture records, as plain facts without interpretation. Collectors
// produce these structs; a RecordSink (source/record_sink.hpp) consumes them: the store, the text
// form of the stream, or both. Times are nanoseconds of CLOCK_REALTIME, the clock that CUPTI maps
// device times to; a time of 0 means "unknown". Ids are assigned by the producer and unique in one
// process's capture; id 0 means "none". Texts are referred to by StringId and defined by a
// StringRecord before their first use.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof {

/// A 32-bit id that cannot be confused with another kind of id. 0 is "none".
template <typename Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using StringId = Id<struct StringTag>;
using ThreadId = Id<struct ThreadTag>;
using DomainId = Id<struct DomainTag>;  ///< An NVTX domain; DomainId{1} is the default domain.

/// One opening of an NVTX range. Ids grow in the order in which a thread opens ranges. A range id
/// also identifies the whole stack that was open at the time: follow RangeRecord::parent.
using RangeId = std::uint64_t;

/// CUPTI's 32-bit correlation id, widened so that it never repeats in one process: the upper half
/// counts wraps and capture sessions. Grows in launch order over all threads. 0: no correlation.
using Correlation = std::uint64_t;

inline constexpr DomainId kDefaultDomain{1};
/// Replaces every text that exceeds the string table's limit; losses count them.
inline constexpr StringId kOverflowString{0xffffffffU};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

/// Defines an id for a text (meant as UTF-8, but kept as the program passed it, whatever the
/// bytes).
struct StringRecord {
  StringId id;
  std::string_view text;  ///< Valid only during the call that passes the record.
  friend bool operator==(const StringRecord&, const StringRecord&) = default;
};

/// One fact about the capture as a whole: "command_line", "cupti_version", ... (docs/schema.md
/// lists).
struct MetaRecord {
  std::string_view key;
  std::string_view value;
  friend bool operator==(const MetaRecord&, const MetaRecord&) = default;
};

struct ThreadRecord {
  ThreadId id;
  std::uint32_t os_tid = 0;      ///< gettid(); Linux reuses it, the id never repeats.
  std::uint32_t generation = 0;  ///< How many earlier threads of this capture had the same os_tid.
  StringId name;
  friend bool operator==(const ThreadRecord&, const ThreadRecord&) = default;
};

struct DeviceRecord {
  std::uint32_t device = 0;  ///< CUDA ordinal as CUPTI reports it.
  std::string_view name;
  std::string_view uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", or empty.
  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t sm_count = 0;
  std::uint32_t core_clock_khz = 0;
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t memory_bus_bits = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_bandwidth_bytes_per_s = 0;
  std::uint32_t l2_bytes = 0;
  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};

struct DomainRecord {
  DomainId id;
  StringId name;
  friend bool operator==(const DomainRecord&, const DomainRecord&) = default;
};

/// A name that the program assigned: to an NVTX category, a stream, a device, ...
struct NameRecord {
  enum class Kind : std::uint8_t { kCategory, kDevice, kContext, kStream, kEvent, kOther };
  Kind kind = Kind::kOther;
  DomainId domain;           ///< For categories.
  std::uint64_t object = 0;  ///< Category number, device ordinal, or the handle's value.
  StringId name;
  friend bool operator==(const NameRecord&, const NameRecord&) = default;
};

/// The typed 64-bit payload of an NVTX event (nvtxEventAttributes_t::payload).
struct Payload {
  enum class Type : std::uint8_t { kNone, kUint64, kInt64, kDouble, kUint32, kInt32, kFloat };
  Type type = Type::kNone;
  std::uint64_t bits = 0;  ///< The value's bits, zero-extended.
  friend bool operator==(const Payload&, const Payload&) = default;
};

/// One NVTX range, recorded when it ends; a range still open at a commit is also recorded then,
/// with end_ns 0, and again when it ends (same id, the later record wins).
struct RangeRecord {
  enum class Kind : std::uint8_t {
    kPushPop,
    kStartEnd,  ///< Belongs to the process, not to a thread's stack; never a parent.
    kAlias,     ///< The same opening as `alias_of`, on a stack that changed below it through an
                ///< out-of-order pop.
  };
  RangeId id = 0;
  RangeId parent = 0;  ///< The next outer range on the thread's stack over all domains, or 0.
  RangeId alias_of = 0;
  Kind kind = Kind::kPushPop;
  ThreadId thread;
  ThreadId end_thread;  ///< May differ from thread only for start/end ranges.
  DomainId domain = kDefaultDomain;
  StringId text;             ///< The whole text, or its template where `numbers` is not empty.
  std::string_view numbers;  ///< See source/text_template.hpp. Valid only during the call.
  std::uint32_t category = 0;
  std::uint32_t color_argb = 0;
  Payload payload;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< 0: still open, or never closed.
  friend bool operator==(const RangeRecord&, const RangeRecord&) = default;
};

struct MarkRecord {
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  RangeId parent = 0;
  StringId text;
  std::string_view numbers;  ///< As RangeRecord::numbers.
  std::uint32_t category = 0;
  std::uint32_t color_argb = 0;
  Payload payload;
  std::int64_t time_ns = 0;
  friend bool operator==(const MarkRecord&, const MarkRecord&) = default;
};

/// A schema of NVTX's payload extension, kept as the program registered it, so that binary payloads
/// can be decoded later. `fields_json` is an array of {"name","type","offset","array","flags"}.
struct PayloadSchemaRecord {
  DomainId domain;
  std::uint64_t schema = 0;
  StringId name;
  std::string_view fields_json;
  friend bool operator==(const PayloadSchemaRecord&, const PayloadSchemaRecord&) = default;
};

/// A binary payload of NVTX's payload extension, attached to a range or (range 0) a mark.
struct PayloadBlobRecord {
  RangeId range = 0;
  DomainId domain;
  std::uint64_t schema = 0;
  std::string_view bytes;
  friend bool operator==(const PayloadBlobRecord&, const PayloadBlobRecord&) = default;
};

/// One call of a CUDA runtime or driver function, with the range stack under which it was made.
struct ApiRecord {
  enum class Domain : std::uint8_t { kRuntime, kDriver };
  Correlation correlation = 0;
  std::uint32_t depth = 0;  ///< 0: called by the program; n: inside n other recorded calls.
  Domain domain = Domain::kRuntime;
  StringId function;  ///< As CUPTI names it, without its version suffix: "cudaLaunchKernel".
  ThreadId thread;
  RangeId stack = 0;        ///< Innermost open range of the thread over all domains.
  std::int32_t status = 0;  ///< The cudaError_t or CUresult that it returned.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const ApiRecord&, const ApiRecord&) = default;
};

/// How GPU work was launched. A launch key is (correlation, graph node): graph work has both, work
/// launched by a kernel may have neither.
enum class Origin : std::uint8_t { kApi, kGraph, kDevice, kNone };

/// Fields common to all GPU work.
struct GpuWork {
  Correlation correlation = 0;
  std::uint64_t graph_node =
      0;  ///< CUPTI's graph node id (upper half: the graph's id), 0: not in a graph.
  std::uint32_t graph = 0;  ///< CUPTI's graph id.
  Origin origin = Origin::kApi;
  std::uint32_t device = 0, context = 0, stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const GpuWork&, const GpuWork&) = default;
};

struct KernelRecord : GpuWork {
  StringId name;                       ///< Mangled, as CUPTI gives it.
  Dim3 grid, block, cluster{0, 0, 0};  ///< A cluster of all 0: launched without clusters.
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
  bool cooperative = false;
  friend bool operator==(const KernelRecord&, const KernelRecord&) = default;
};

/// Values as in CUpti_ActivityMemoryKind.
enum class MemoryKind : std::uint8_t {
  kUnknown,
  kPageable,
  kPinned,
  kDevice,
  kArray,
  kManaged,
  kDeviceStatic,
  kManagedStatic
};

struct MemcpyRecord : GpuWork {
  std::uint8_t copy_kind = 0;  ///< CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ...
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;
  bool async = false;
  std::uint32_t peer_device = 0;  ///< Destination device of a peer copy; otherwise equal to device.
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;  ///< Copies of a batch that CUPTI reports in one record.
  friend bool operator==(const MemcpyRecord&, const MemcpyRecord&) = default;
};

struct MemsetRecord : GpuWork {
  MemoryKind memory = MemoryKind::kUnknown;
  bool async = false;
  std::uint32_t value = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const MemsetRecord&, const MemsetRecord&) = default;
};

/// A synchronization as CUPTI reports it.
struct SyncRecord {
  enum class Type : std::uint8_t { kUnknown, kEvent, kStreamWaitEvent, kStream, kContext };
  Correlation correlation = 0;
  Type type = Type::kUnknown;
  std::uint32_t context = 0, stream = 0, event = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const SyncRecord&, const SyncRecord&) = default;
};

/// Time spent in CUDA or CUPTI itself.
struct OverheadRecord {
  StringId kind;             ///< CUPTI's word: "DRIVER_COMPILER", "CUPTI_BUFFER_FLUSH",
                             ///< "LAZY_FUNCTION_LOADING", ...
  std::uint32_t os_tid = 0;  ///< 0: of the process or unknown.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const OverheadRecord&, const OverheadRecord&) = default;
};

/// A CUDA graph node, with the stack under which the program created it.
struct GraphNodeRecord {
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;
  std::uint64_t original_node = 0;  ///< The node from which this one was cloned, or 0.
  std::uint32_t node_type = 0;      ///< CUgraphNodeType.
  ThreadId thread;
  RangeId stack = 0;
  std::int64_t time_ns = 0;
  friend bool operator==(const GraphNodeRecord&, const GraphNodeRecord&) = default;
};

/// The same instant on three clocks, sampled about every second.
struct ClockSyncRecord {
  std::int64_t realtime_ns = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t cupti_ns = 0;
  friend bool operator==(const ClockSyncRecord&, const ClockSyncRecord&) = default;
};

/// Something lost or inconsistent. Losses are data: counted, stored and reported.
struct LossRecord {
  std::string_view what;  ///< A word of model/losses.hpp.
  std::uint64_t count = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::string_view detail;  ///< One line for a person, may be empty.
  friend bool operator==(const LossRecord&, const LossRecord&) = default;
};

}  // namespace prof
