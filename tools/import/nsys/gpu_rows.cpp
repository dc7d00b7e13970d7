// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work and waits for it.
#include <array>

#include "libprof/model/copy_words.hpp"
#include "tools/import/nsys/row_source.hpp"
#include "tools/import/tables/activity_columns.hpp"

namespace prof::importers::nsys {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kSyncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

std::optional<std::uint32_t> number_of(TableRows& row, std::size_t column) {
  return row.number32(column);
}

bool fill(TableRows& row, std::string_view table, Target& target, GpuWork& work) {
  const auto span = span_of(row, kStart, kEnd, table, target.findings);
  if (!span) return false;
  work.start_ns = span->start_ns;
  work.end_ns = span->end_ns;
  work.correlation = correlation_of(row, kCorrelation);
  fill_place(row, number_of, work);
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
  kMangled = kOwn,
  kDemangled,
  kShort,
  kLaunch,
  kLaunchType = kLaunch + kLaunchColumns.size() - 1,
};
constexpr auto kKernelColumns =
    joined(work_columns("mangledName", "demangledName", "shortName"), kLaunchColumns);
static_assert(kKernelColumns.size() == kLaunchType + 1);

Status take_kernel(TableRows& row, Target& target) {
  constexpr std::int64_t kCooperative = 2, kCooperativeOnManyDevices = 3;
  KernelRecord record;
  if (!fill(row, kKernels, target, record)) return {};
  record.name =
      target.kernel_names.of({row.integer(kMangled), row.integer(kDemangled), row.integer(kShort)});
  if (!record.name) target.findings.damaged(kKernels, "without a name, kept");
  fill_launch(row, kLaunch, number_of, record);
  const auto type = row.integer(kLaunchType);
  record.cooperative = type == kCooperative || type == kCooperativeOnManyDevices;
  ++target.taken;
  return target.builder.add(record);
}

enum Copy : std::size_t { kBytes = kOwn, kKind, kFrom, kTo, kPeer, kCount };
constexpr auto kCopyColumns =
    work_columns("bytes", "copyKind", "srcKind", "dstKind", "dstDeviceId", "copyCount");
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

enum Set : std::size_t { kSetBytes = kOwn, kValue, kMemory };
constexpr auto kSetColumns = work_columns("bytes", "value", "memKind");
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

constexpr std::array<std::string_view, kSyncEvent + 1> kSyncColumns = {
    "start", "end", "contextId", "streamId", "correlationId", "syncType", "eventId"};

Status take_sync(TableRows& row, Target& target) {
  const auto span = span_of(row, kStart, kEnd, kSyncs, target.findings);
  if (!span) return {};
  SyncRecord record;
  record.start_ns = span->start_ns;
  record.end_ns = span->end_ns;
  record.correlation = correlation_of(row, kSyncCorrelation);
  fill_sync(row, number_of, record);
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
    RowSource{kGraphs, "globalPid", kWorkColumns, take_graph},
};

}  // namespace

std::span<const RowSource> gpu_sources() { return kGpuSources; }

}  // namespace prof::importers::nsys
