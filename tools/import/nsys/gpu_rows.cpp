// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work and waits for it.
#include <algorithm>
#include <array>

#include "libprof/model/copy_words.hpp"
#include "tools/import/nsys/row_source.hpp"

namespace prof::importers::nsys {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kSyncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

// Columns that all GPU work has come first.
enum Common : std::size_t {
  kStart,
  kEnd,
  kDevice,
  kContext,
  kStream,
  kCorrelation,
  kGraphNode,
  kGraph,
  kCommon,
};
constexpr std::array<std::string_view, kCommon> kCommonColumns = {
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "graphNodeId", "graphId"};

/// Those columns, and a table's own after them.
template <typename... Names>
constexpr auto with_common(Names... names) {
  std::array<std::string_view, kCommon + sizeof...(names)> columns = {};
  std::ranges::copy(kCommonColumns, columns.begin());
  std::size_t at = kCommon;
  ((columns[at++] = names), ...);
  return columns;
}

/// CUPTI gives numbers of all ones where there is none.
std::uint32_t number_or_none(TableRows& row, std::size_t column) {
  const std::uint32_t number = row.number32(column).value_or(0);
  return number == UINT32_MAX ? 0 : number;
}

bool fill(TableRows& row, std::string_view table, Target& target, GpuWork& work) {
  const auto span = span_of(row, kStart, kEnd, table, target.findings);
  if (!span) return false;
  work.start_ns = span->start_ns;
  work.end_ns = span->end_ns;
  work.device = row.number32(kDevice).value_or(0);
  work.context = row.number32(kContext).value_or(0);
  work.stream = row.number32(kStream).value_or(0);
  work.correlation = correlation_of(row, kCorrelation);
  work.graph_node = static_cast<std::uint64_t>(row.integer(kGraphNode).value_or(0));
  work.graph = row.number32(kGraph).value_or(static_cast<std::uint32_t>(work.graph_node >> 32));
  if (work.graph_node != 0 || work.graph != 0) work.origin = Origin::kGraph;
  return true;
}

/// nsys counts as CUPTI does, but from "pageable", with "unknown" at the end.
MemoryKind memory_of(TableRows& row, std::size_t column) {
  constexpr std::uint32_t kKinds = 8;
  const auto kind = row.number32(column);
  return kind && *kind < kKinds ? static_cast<MemoryKind>((*kind + 1) % kKinds)
                                : MemoryKind::kUnknown;
}

enum Kernel : std::size_t {
  kMangled = kCommon,
  kDemangled,
  kShort,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kClusterX,
  kClusterY,
  kClusterZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kLocal,
  kLaunchType,
};
constexpr auto kKernelColumns =
    with_common("mangledName", "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX",
                "blockY", "blockZ", "clusterX", "clusterY", "clusterZ", "registersPerThread",
                "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "launchType");
static_assert(kKernelColumns.size() == kLaunchType + 1);

Dim3 dim3_of(TableRows& row, std::size_t x) {
  return {row.number32(x).value_or(0), row.number32(x + 1).value_or(0),
          row.number32(x + 2).value_or(0)};
}

Status take_kernel(TableRows& row, Target& target) {
  constexpr std::int64_t kCooperative = 2, kCooperativeOnManyDevices = 3;
  KernelRecord record;
  if (!fill(row, kKernels, target, record)) return {};
  record.name =
      target.kernel_names.of({row.integer(kMangled), row.integer(kDemangled), row.integer(kShort)});
  if (!record.name) target.findings.damaged(kKernels, "without a name, kept");
  record.grid = dim3_of(row, kGridX);
  record.block = dim3_of(row, kBlockX);
  record.cluster = dim3_of(row, kClusterX);
  record.registers_per_thread = row.number32(kRegisters).value_or(0);
  record.static_shared_bytes = row.number32(kStaticShared).value_or(0);
  record.dynamic_shared_bytes = row.number32(kDynamicShared).value_or(0);
  record.local_bytes_per_thread = row.number32(kLocal).value_or(0);
  const auto type = row.integer(kLaunchType);
  record.cooperative = type == kCooperative || type == kCooperativeOnManyDevices;
  ++target.taken;
  return target.builder.add(record);
}

enum Copy : std::size_t { kBytes = kCommon, kKind, kFrom, kTo, kPeer, kCount };
constexpr auto kCopyColumns =
    with_common("bytes", "copyKind", "srcKind", "dstKind", "dstDeviceId", "copyCount");
static_assert(kCopyColumns.size() == kCount + 1);

/// nsys counts as a trace does.
std::uint8_t copy_kind(std::uint32_t kind) {
  return kind <= kMigrations.back() ? static_cast<std::uint8_t>(kind) : std::uint8_t{0};
}

Status take_copy(TableRows& row, Target& target) {
  MemcpyRecord record;
  if (!fill(row, kCopies, target, record)) return {};
  record.bytes = static_cast<std::uint64_t>(row.integer(kBytes).value_or(0));
  record.copy_kind = copy_kind(row.number32(kKind).value_or(0));
  record.source = memory_of(row, kFrom);
  record.destination = memory_of(row, kTo);
  constexpr std::uint8_t kPeerToPeer = 10;
  record.peer_device = record.device;
  if (record.copy_kind == kPeerToPeer) {
    record.peer_device = row.number32(kPeer).value_or(record.device);
  }
  record.count = static_cast<std::uint64_t>(row.integer(kCount).value_or(1));
  ++target.taken;
  return target.builder.add(record);
}

enum Set : std::size_t { kSetBytes = kCommon, kValue, kMemory };
constexpr auto kSetColumns = with_common("bytes", "value", "memKind");
static_assert(kSetColumns.size() == kMemory + 1);

Status take_set(TableRows& row, Target& target) {
  MemsetRecord record;
  if (!fill(row, kSets, target, record)) return {};
  record.bytes = static_cast<std::uint64_t>(row.integer(kSetBytes).value_or(0));
  record.value = row.number32(kValue).value_or(0);
  record.memory = memory_of(row, kMemory);
  ++target.taken;
  return target.builder.add(record);
}

enum Sync : std::size_t { kSyncContext = kEnd + 1, kSyncStream, kSyncCorrelation, kType, kEvent };
constexpr std::array<std::string_view, kEvent + 1> kSyncColumns = {
    "start", "end", "contextId", "streamId", "correlationId", "syncType", "eventId"};

Status take_sync(TableRows& row, Target& target) {
  const auto span = span_of(row, kStart, kEnd, kSyncs, target.findings);
  if (!span) return {};
  SyncRecord record;
  record.start_ns = span->start_ns;
  record.end_ns = span->end_ns;
  record.context = row.number32(kSyncContext).value_or(0);
  record.stream = number_or_none(row, kSyncStream);
  record.correlation = correlation_of(row, kSyncCorrelation);
  record.event = number_or_none(row, kEvent);
  const std::uint32_t type = row.number32(kType).value_or(0);
  if (type < EnumWords<SyncRecord::Type>::kWords.size()) {
    record.type = static_cast<SyncRecord::Type>(type);
  }
  ++target.taken;
  return target.builder.add(record);
}

/// All the work of one launch of a graph: one piece of GPU work, of which only the times are known.
Status take_graph(TableRows& row, Target& target) {
  KernelRecord record;
  if (!fill(row, kGraphs, target, record)) return {};
  record.origin = Origin::kGraph;
  record.name = target.builder.text("[CUDA graph " + std::to_string(record.graph) + "]");
  record.grid = record.block = {0, 0, 0};
  ++target.taken;
  target.findings.whole_graph();
  return target.builder.add(record);
}

constexpr std::array kGpuSources = {
    RowSource{kKernels, "globalPid", kKernelColumns, take_kernel},
    RowSource{kCopies, "globalPid", kCopyColumns, take_copy},
    RowSource{kSets, "globalPid", kSetColumns, take_set},
    RowSource{kSyncs, "globalPid", kSyncColumns, take_sync},
    RowSource{kGraphs, "globalPid", kCommonColumns, take_graph},
};

}  // namespace

std::span<const RowSource> gpu_sources() { return kGpuSources; }

}  // namespace prof::importers::nsys
