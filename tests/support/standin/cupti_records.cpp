// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Real CUPTI record structs for what the stand-in driver did. Bytes that this version of a record
// does not have are not there: the next record begins at once, as in the real library's buffers.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cupti_state.hpp"

namespace standin {
namespace {

bool wanted(const Subscriber& to, CUpti_ActivityKind kind) {
  return to.kinds[kind].load(std::memory_order_relaxed);
}

template <typename Record>
void send(Subscriber& to, Record& record, std::uint64_t end_ns) {
  append(to, &record, sizeof record, end_ns);
}

/// What records of GPU work have in common.
template <typename Record>
Record gpu_record(CUpti_ActivityKind kind, const Work& work) {
  Record record{};
  record.kind = kind;
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.deviceId = 0;
  record.contextId = 1;
  record.streamId = work.stream;
  record.correlationId = work.correlation;
  record.graphId = work.graph;
  record.graphNodeId = work.graph_node;
  if (fails("zero_timestamps") || work.never_ran) record.start = record.end = 0;
  return record;
}

void kernel(Subscriber& to, const Work& work) {
  const bool concurrent = wanted(to, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (!concurrent && !wanted(to, CUPTI_ACTIVITY_KIND_KERNEL)) return;
  auto record = gpu_record<KernelRecord>(
      concurrent ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL : CUPTI_ACTIVITY_KIND_KERNEL, work);
  record.name = work.name;
  record.gridX = static_cast<std::int32_t>(work.grid.x);
  record.gridY = static_cast<std::int32_t>(work.grid.y);
  record.gridZ = static_cast<std::int32_t>(work.grid.z);
  record.blockX = static_cast<std::int32_t>(work.block.x);
  record.blockY = static_cast<std::int32_t>(work.block.y);
  record.blockZ = static_cast<std::int32_t>(work.block.z);
  record.registersPerThread = 42;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 2048;
  record.launchType = work.cooperative ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE
                                       : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  send(to, record, work.end_ns);
}

void copy(Subscriber& to, const Work& work) {
  if (!wanted(to, CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  auto record = gpu_record<MemcpyRecord>(CUPTI_ACTIVITY_KIND_MEMCPY, work);
  const auto memory = [](bool device) {
    return static_cast<std::uint8_t>(device ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE
                                            : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  };
  record.copyKind = work.copy_kind;
  record.srcKind = memory(work.copy_kind != CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  record.dstKind = memory(work.copy_kind != CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  record.flags = work.async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : CUPTI_ACTIVITY_FLAG_NONE;
  record.bytes = work.bytes;
#ifndef STANDIN_CUPTI_12
  record.copyCount = 1;
#endif
  send(to, record, work.end_ns);
}

void set(Subscriber& to, const Work& work) {
  if (!wanted(to, CUPTI_ACTIVITY_KIND_MEMSET)) return;
  auto record = gpu_record<MemsetRecord>(CUPTI_ACTIVITY_KIND_MEMSET, work);
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.flags = work.async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : CUPTI_ACTIVITY_FLAG_NONE;
  record.bytes = work.bytes;
  send(to, record, work.end_ns);
}

void memory(Subscriber& to, const Work& work) {
  if (!wanted(to, CUPTI_ACTIVITY_KIND_MEMORY2)) return;
  if (work.is_release && work.async && !work.is_of_pool) std::abort();  // as CUPTI 13.0 crashes
  MemoryRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType = work.is_release ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                               : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.correlationId = work.correlation;
  record.address = work.address;
  record.bytes = work.bytes;
  record.timestamp = work.start_ns;
  record.contextId = 1;
  record.streamId = work.async ? work.stream : CUPTI_INVALID_STREAM_ID;
  record.isAsync = work.async ? 1 : 0;
  if (work.async) {
    record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
    record.memoryPoolConfig.address = 0x5000;
    record.memoryPoolConfig.pool.size = 32U << 20U;
  }
  send(to, record, work.end_ns);
}

void graph(Subscriber& to, const Work& work) {
  GraphRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  record.correlationId = work.correlation;
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.graphId = work.graph;
  record.contextId = record.endContextId = 1;
  record.streamId = work.stream;
  send(to, record, work.end_ns);
}

void graph_of_kernel(Subscriber& to, const Work& work) {
  DeviceGraphRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE;
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.graphId = work.graph;
  record.deviceLaunchMode = CUPTI_DEVICE_GRAPH_LAUNCH_MODE_FIRE_AND_FORGET;
  record.contextId = 1;
  record.streamId = work.stream;
  send(to, record, work.end_ns);
}

/// Either whole graphs are told or their nodes; graphs that kernels launch only if asked for.
bool is_recorded(const Subscriber& to, const Work& work) {
  const CuptiState& state = cupti_state();
  const bool is_shared = state.is_shared.load();
  const bool wants_whole = wanted(to, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  const bool whole = is_shared ? state.whole_graphs.load() : wants_whole;
  if (work.kind != WorkKind::kGraph) return work.graph == 0 || !whole;
  return whole && wants_whole && (work.correlation != 0 || cupti_state().graphs_of_kernels.load());
}

/// The first kernel of a process makes the driver load it, which CUPTI reports as overhead.
void overhead_of_first(Subscriber& to, const Work& work) {
  if (!wanted(to, CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  if (to.has_overhead.exchange(true)) return;
  OverheadRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  record.objectId.pt.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  record.start = work.start_ns - 500;
  record.end = work.start_ns - 100;
  send(to, record, record.end);
}

/// A record of a kind that no profiler of ours decodes.
void strange_record(Subscriber& to, const Work& work) {
  CUpti_ActivityName record{};
  record.kind = CUPTI_ACTIVITY_KIND_NAME;
  send(to, record, work.end_ns);
}

}  // namespace

std::size_t record_bytes(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(MemcpyRecord);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(MemsetRecord);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return sizeof(MemoryRecord);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(OverheadRecord);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(GraphRecord);
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE:
      return sizeof(DeviceGraphRecord);
    case CUPTI_ACTIVITY_KIND_NAME:
      return sizeof(CUpti_ActivityName);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(ApiRecord);
    default:
      return 0;
  }
}

namespace {

void record_work(Subscriber& to, const Work& work, std::uint64_t number) {
  static const bool drop = fails("drop_records"), strange = fails("unknown_kind");
  if (!is_recorded(to, work)) return;
  if (drop && number % 10 == 0) {
    ++to.dropped;
    return;
  }
  if (strange && number % 10 == 0) strange_record(to, work);
  switch (work.kind) {
    case WorkKind::kKernel:
      overhead_of_first(to, work);
      kernel(to, work);
      break;
    case WorkKind::kMemcpy:
      copy(to, work);
      break;
    case WorkKind::kMemset:
      set(to, work);
      break;
    case WorkKind::kMemory:
      memory(to, work);
      break;
    case WorkKind::kGraph:
      work.correlation != 0 ? graph(to, work) : graph_of_kernel(to, work);
      break;
    case WorkKind::kOverhead:
      break;
  }
}

}  // namespace

void on_work(const Work& work) {
  CuptiState& state = cupti_state();
  if (state.dead.load(std::memory_order_relaxed) || state.pid != getpid()) return;
  const auto records = [&](const Subscriber& subscriber) { return is_recorded(subscriber, work); };
  if (std::none_of(std::begin(state.subscribers), std::end(state.subscribers), records)) return;
  const std::uint64_t number = state.records.fetch_add(1) + 1;
  static const bool fatal = fails("fatal_midway");
  if (fatal && number > 100) {
    raise_fatal_error();
    return;
  }
  for (Subscriber& subscriber : state.subscribers) {
    if (subscriber.index == 0 || subscriber.callback.load(std::memory_order_relaxed) != nullptr)
      record_work(subscriber, work, number);
  }
}

void on_api_record(const ApiSite& site, std::uint64_t start_ns, std::uint64_t end_ns) {
  const bool runtime = site.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  CuptiState& state = cupti_state();
  const CUpti_ActivityKind kind =
      runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  if (state.api_off[runtime ? 0 : 1][site.cbid].load() || state.pid != getpid()) return;
  ApiRecord record{};
  record.kind = kind;
  record.cbid = site.cbid;
  record.start = start_ns;
  record.end = end_ns;
  record.processId = static_cast<std::uint32_t>(getpid());
  record.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  record.correlationId = site.correlation;
  record.returnValue = static_cast<std::uint32_t>(site.status);
  for (Subscriber& subscriber : state.subscribers) {
    if (wanted(subscriber, kind)) send(subscriber, record, end_ns);
  }
}

}  // namespace standin
