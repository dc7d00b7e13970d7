// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of CUPTI's activity records, see cupti_decode.hpp. CUPTI only ever appends fields to a
// record, so the structs of this build's headers describe every version's prefix: each record is
// copied into the newest struct as far as the version in use fills it, and the rest stays zero.
#include "collectors/cupti/cupti_decode.hpp"

#include <cupti.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "libprof/model/overhead_words.hpp"

namespace prof::collectors {
namespace {

// cuptiGetVersion() of the releases that appended fields.
constexpr std::uint32_t kCuda11_1 = 14;
constexpr std::uint32_t kCuda11_8 = 18;
constexpr std::uint32_t kCuda12_8 = 26;
constexpr std::uint32_t kCuda13_0 = 130000;

/// Size of a struct up to and including a field.
#define PROF_SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(type::field))

std::size_t kernel_bytes(std::uint32_t version) {
  using Kernel = CUpti_ActivityKernel10;
  if (version >= kCuda13_0) return sizeof(Kernel);
  if (version >= kCuda11_8) return PROF_SIZE_THROUGH(Kernel, localMemoryTotal_v2);
  if (version >= kCuda11_1) return PROF_SIZE_THROUGH(Kernel, graphId);
  return PROF_SIZE_THROUGH(Kernel, graphNodeId);
}

std::size_t memcpy_bytes(std::uint32_t version) {
  using Memcpy = CUpti_ActivityMemcpy6;
  if (version >= kCuda13_0) return sizeof(Memcpy);
  return version >= kCuda11_1 ? PROF_SIZE_THROUGH(Memcpy, graphId)
                              : PROF_SIZE_THROUGH(Memcpy, graphNodeId);
}

std::size_t peer_copy_bytes(std::uint32_t version) {
  using Copy = CUpti_ActivityMemcpyPtoP4;
  return version >= kCuda11_1 ? PROF_SIZE_THROUGH(Copy, graphId)
                              : PROF_SIZE_THROUGH(Copy, graphNodeId);
}

std::size_t memset_bytes(std::uint32_t version) {
  using Memset = CUpti_ActivityMemset4;
  if (version >= kCuda13_0) return sizeof(Memset);
  return version >= kCuda11_1 ? PROF_SIZE_THROUGH(Memset, graphId)
                              : PROF_SIZE_THROUGH(Memset, graphNodeId);
}

/// The end's device may be in releases older than 12.8, too.
std::size_t whole_graph_bytes(std::uint32_t version) {
  using Graph = CUpti_ActivityGraphTrace2;
  return version >= kCuda12_8 ? sizeof(Graph) : PROF_SIZE_THROUGH(Graph, streamId);
}

template <typename T>
T read_prefix(const void* record, std::size_t bytes) {
  T value{};
  std::memcpy(&value, record, std::min(bytes, sizeof(T)));
  return value;
}

std::int64_t to_ns(std::uint64_t cupti_time) { return static_cast<std::int64_t>(cupti_time); }

MemoryKind to_memory_kind(std::uint32_t cupti_kind) {
  return cupti_kind <= CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC
             ? static_cast<MemoryKind>(cupti_kind)
             : MemoryKind::kUnknown;
}

Origin origin_of(const GpuWork& work, bool is_device_launched) {
  if (work.graph_node != 0) return Origin::kGraph;
  if (is_device_launched) return Origin::kDevice;
  return work.correlation == 0 ? Origin::kNone : Origin::kApi;
}

/// Whether a record belongs to the body of a conditional node whose executable was made while CUPTI
/// was not attached, or which has been detached since. Each launch has one record of each node in
/// such a body, without times if the node did not run, else with those of the last time. (A record
/// of another body has no correlation.)
template <typename Record>
bool is_in_unwatched_body(const DecodeContext& context, const Record& record) {
  return context.cupti_version >= kCuda11_1 && record.graphNodeId != 0 && record.graphId == 0 &&
         record.correlationId != 0;
}

/// Reads the fields with the same name in all records of GPU work. False: the work has not run.
template <typename Record>
[[nodiscard]] bool fill_work(const DecodeContext& context, const Record& record,
                             bool is_device_launched, GpuWork& work, ActivitySink& sink) {
  work.correlation = context.correlations->widen(record.correlationId);
  work.graph_node = record.graphNodeId;
  const bool is_unwatched = is_in_unwatched_body(context, record);
  const bool is_in_body = is_unwatched || (record.correlationId == 0 && record.graphNodeId != 0);
  if (is_in_body && context.has_bodies != nullptr) *context.has_bodies = true;
  const bool has_times = record.start != 0 || record.end != 0;
  if (is_unwatched && !has_times) return false;
  if (is_unwatched) sink.lost(Loss::kUnwatchedBody, 1);
  work.graph = record.graphId;
  work.device = record.deviceId;
  work.context = record.contextId;
  work.stream = record.streamId;
  work.start_ns = to_ns(record.start);
  work.end_ns = to_ns(record.end);
  work.origin = origin_of(work, is_device_launched);
  if (!has_times) sink.lost(Loss::kZeroTimestamp, 1);
  return true;
}

Dim3 to_dim3(std::int32_t x, std::int32_t y, std::int32_t z) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
          static_cast<std::uint32_t>(z)};
}

void decode_kernel(const DecodeContext& context, const void* bytes, ActivitySink& sink) {
  const auto record =
      read_prefix<CUpti_ActivityKernel10>(bytes, kernel_bytes(context.cupti_version));
  KernelRecord kernel;
  if (!fill_work(context, record, record.isDeviceLaunched != 0, kernel, sink)) return;
  if (record.name != nullptr) kernel.name = sink.intern(record.name);
  kernel.grid = to_dim3(record.gridX, record.gridY, record.gridZ);
  kernel.block = to_dim3(record.blockX, record.blockY, record.blockZ);
  kernel.cluster = {record.clusterX, record.clusterY, record.clusterZ};
  kernel.registers_per_thread = record.registersPerThread;
  kernel.static_shared_bytes = static_cast<std::uint32_t>(record.staticSharedMemory);
  kernel.dynamic_shared_bytes = static_cast<std::uint32_t>(record.dynamicSharedMemory);
  kernel.local_bytes_per_thread = record.localMemoryPerThread;
  kernel.cooperative = record.launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE ||
                       record.launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE;
  sink.on(kernel);
}

/// All work of one launch of a graph, of which only the times are known.
template <typename Record>
KernelRecord whole_graph(const Record& record, Origin origin, ActivitySink& sink) {
  KernelRecord graph;
  graph.origin = origin;
  graph.name = sink.intern("[CUDA graph " + std::to_string(record.graphId) + "]");
  graph.grid = graph.block = {0, 0, 0};
  graph.graph = record.graphId;
  graph.start_ns = to_ns(record.start);
  graph.end_ns = to_ns(record.end);
  if (record.start == 0 && record.end == 0) sink.lost(Loss::kZeroTimestamp, 1);
  return graph;
}

void decode_graph(const DecodeContext& context, const void* bytes, ActivitySink& sink) {
  using Record = CUpti_ActivityGraphTrace2;
  constexpr std::uint32_t kHost = std::numeric_limits<std::int32_t>::max();
  const auto record = read_prefix<Record>(bytes, whole_graph_bytes(context.cupti_version));
  KernelRecord graph = whole_graph(record, Origin::kGraph, sink);
  graph.correlation = context.correlations->widen(record.correlationId);
  graph.stream = record.streamId;
  // A graph may begin on the host; its GPU is then the one on which it ends.
  const bool begins_on_host = record.deviceId == kHost;
  graph.device = begins_on_host ? record.endDeviceId : record.deviceId;
  graph.context = begins_on_host ? record.endContextId : record.contextId;
  if (graph.device == kHost) graph.device = graph.context = 0;
  sink.on(graph);
}

/// Decodes a graph that a kernel has launched: there is no call.
void decode_device_graph(const void* bytes, ActivitySink& sink) {
  using Record = CUpti_ActivityDeviceGraphTrace;
  const auto record = read_prefix<Record>(bytes, PROF_SIZE_THROUGH(Record, streamId));
  KernelRecord graph = whole_graph(record, Origin::kDevice, sink);
  graph.device = record.deviceId;
  graph.context = record.contextId;
  graph.stream = static_cast<std::uint32_t>(record.streamId);
  sink.on(graph);
}

void decode_memcpy(const DecodeContext& context, const void* bytes, ActivitySink& sink) {
  const auto record =
      read_prefix<CUpti_ActivityMemcpy6>(bytes, memcpy_bytes(context.cupti_version));
  MemcpyRecord copy;
  if (!fill_work(context, record, record.isDeviceLaunched != 0, copy, sink)) return;
  copy.copy_kind = record.copyKind;
  copy.source = to_memory_kind(record.srcKind);
  copy.destination = to_memory_kind(record.dstKind);
  copy.async = (record.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  copy.peer_device = record.deviceId;
  copy.bytes = record.bytes;
  copy.count = std::max<std::uint64_t>(1, record.copyCount);
  sink.on(copy);
}

void decode_peer_copy(const DecodeContext& context, const void* bytes, ActivitySink& sink) {
  const auto record =
      read_prefix<CUpti_ActivityMemcpyPtoP4>(bytes, peer_copy_bytes(context.cupti_version));
  MemcpyRecord copy;
  if (!fill_work(context, record, false, copy, sink)) return;
  copy.copy_kind = record.copyKind;
  copy.source = to_memory_kind(record.srcKind);
  copy.destination = to_memory_kind(record.dstKind);
  copy.async = (record.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  copy.peer_device = record.dstDeviceId;
  copy.bytes = record.bytes;
  sink.on(copy);
}

void decode_memset(const DecodeContext& context, const void* bytes, ActivitySink& sink) {
  const auto record =
      read_prefix<CUpti_ActivityMemset4>(bytes, memset_bytes(context.cupti_version));
  MemsetRecord set;
  if (!fill_work(context, record, record.isDeviceLaunched != 0, set, sink)) return;
  set.memory = to_memory_kind(record.memoryKind);
  set.async = (record.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0;
  set.value = record.value;
  set.bytes = record.bytes;
  sink.on(set);
}

/// Absent for CUPTI's "none" of a context or a stream.
std::optional<std::uint32_t> id_or_none(std::uint32_t id) {
  return id == UINT32_MAX ? std::nullopt : std::optional(id);
}

AllocationRecord::Operation to_operation(CUpti_ActivityMemoryOperationType type) {
  switch (type) {
    case CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION:
      return AllocationRecord::Operation::kAllocate;
    case CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE:
      return AllocationRecord::Operation::kRelease;
    default:
      return AllocationRecord::Operation::kUnknown;
  }
}

void decode_allocation(const DecodeContext& context, const void* bytes, ActivitySink& sink) {
  using Record = CUpti_ActivityMemory4;
  // The members that all versions of the record have.
  const auto record = read_prefix<Record>(bytes, PROF_SIZE_THROUGH(Record, memoryPoolConfig.pool));
  AllocationRecord made;
  made.correlation = context.correlations->widen(record.correlationId);
  made.operation = to_operation(record.memoryOperationType);
  made.memory = to_memory_kind(record.memoryKind);
  made.device = id_or_none(record.deviceId);
  made.context = id_or_none(record.contextId);
  made.stream = id_or_none(record.streamId);
  made.time_ns = to_ns(record.timestamp);
  made.address = record.address;
  made.bytes = record.bytes;
  if (record.name != nullptr) made.name = sink.intern(record.name);
  const auto& pool = record.memoryPoolConfig;
  if (pool.memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID) made.pool = pool.address;
  if (pool.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL)
    made.pool_bytes = pool.pool.size;
  if (record.timestamp == 0) sink.lost(Loss::kZeroTimestamp, 1);
  sink.records().on(made);
}

static_assert(overhead_word(CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER) == "DRIVER_COMPILER");
static_assert(overhead_word(CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT) == "UVM_ACTIVITY_INIT");

void decode_overhead(const void* bytes, ActivitySink& sink) {
  using Overhead = CUpti_ActivityOverhead3;
  const auto record = read_prefix<Overhead>(bytes, PROF_SIZE_THROUGH(Overhead, end));
  OverheadRecord overhead;
  overhead.kind = sink.intern(overhead_word(record.overheadKind));
  if (record.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
    overhead.os_tid = record.objectId.pt.threadId;
  overhead.start_ns = to_ns(record.start);
  overhead.end_ns = to_ns(record.end);
  sink.on(overhead);
}

#undef PROF_SIZE_THROUGH

}  // namespace

void decode_activity(const DecodeContext& context, const void* record, ActivitySink& sink) {
  switch (static_cast<const CUpti_Activity*>(record)->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return decode_kernel(context, record, sink);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return decode_memcpy(context, record, sink);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return decode_peer_copy(context, record, sink);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return decode_memset(context, record, sink);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return decode_allocation(context, record, sink);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return decode_overhead(record, sink);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return decode_graph(context, record, sink);
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE:
      return decode_device_graph(record, sink);
    default:
      sink.lost(Loss::kUnknownRecord, 1);
  }
}

std::size_t decode_activity_buffer(const DecodeContext& context, std::uint8_t* buffer,
                                   std::size_t valid_bytes, ActivitySink& sink) {
  std::size_t count = 0;
  void* record = nullptr;
  while (valid_bytes > 0) {
    const int result = context.next(buffer, valid_bytes, &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;
    if (result != CUPTI_SUCCESS || record == nullptr) {
      // Everything after an incomplete record in the buffer is lost: its launches are counted.
      sink.lost(Loss::kUnknownRecord, 1);
      break;
    }
    decode_activity(context, record, sink);
    ++count;
  }
  return count;
}

}  // namespace prof::collectors
