// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work and waits for it.
#include <array>

#include "libprof/model/copy_words.hpp"
#include "tools/import/nvprof/tables.hpp"
#include "tools/import/tables/activity_columns.hpp"

namespace prof::importers::nvprof {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL";
/// Written with nvprof --concurrent-kernels off, and where nvprof measures counters.
constexpr std::string_view kSerialKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
/// Launched by kernels.
constexpr std::string_view kDeviceKernels = "CUPTI_ACTIVITY_KIND_CDP_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kPeerCopies = "CUPTI_ACTIVITY_KIND_MEMCPY2";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kSyncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kUnified = "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER";

/// The correlation; null if the work is of another process.
std::optional<Correlation> own_correlation(TableRows& row, std::size_t column,
                                           std::string_view table, Target& target) {
  const Correlation correlation = number_of(row, column).value_or(0);
  switch (target.owner.of_work(correlation)) {
    case Owner::Work::kOwn:
      return correlation;
    case Owner::Work::kOther:
      return std::nullopt;
    case Owner::Work::kAmbiguous:
      break;
  }
  target.findings.damaged(table, "that several processes may have launched, kept without a launch");
  return 0;
}

/// False if the row is not taken.
bool fill(TableRows& row, std::string_view table, Target& target, GpuWork& work) {
  const auto correlation = own_correlation(row, kCorrelation, table, target);
  if (!correlation) return false;
  const auto span = span_of(row, kStart, kEnd, table, target.findings);
  if (!span) return false;
  // CUPTI's record of work that had not run when the program ended, or the GPU failed.
  const bool has_times = span->start_ns != 0 || span->end_ns != 0;
  work.start_ns = has_times ? span->start_ns : TraceBuilder::kNoTime;
  work.end_ns = has_times ? span->end_ns : TraceBuilder::kNoTime;
  work.correlation = *correlation;
  fill_place(row, number_of, work);
  if (work.graph_node != 0) {
    work.origin = Origin::kGraph;
  } else if (work.correlation == 0) {
    work.origin = Origin::kNone;
  }
  return true;
}

/// nvprof keeps CUPTI's numbers.
MemoryKind memory_of(TableRows& row, std::size_t column) {
  const std::uint32_t kind = number_of(row, column).value_or(0);
  return kind < EnumWords<MemoryKind>::kWords.size() ? static_cast<MemoryKind>(kind)
                                                     : MemoryKind::kUnknown;
}

bool is_async(TableRows& row, std::size_t flags) {
  return (number_of(row, flags).value_or(0) & 1) != 0;
}

enum Kernel : std::size_t {
  kName = kOwn,
  kLaunch,
  kLaunchType = kLaunch + kLaunchColumns.size() - 1,
  kParent,
};
constexpr auto kKernelColumns =
    joined(work_columns("name"), kLaunchColumns, std::array<std::string_view, 1>{"parentGridId"});
static_assert(kKernelColumns.size() == kParent + 1);

Status take_kernel(TableRows& row, Target& target, std::string_view table) {
  constexpr std::uint32_t kCooperative = 1, kCooperativeOnManyDevices = 2;
  KernelRecord record;
  if (!fill(row, table, target, record)) return {};
  const auto name = row.integer(kName);
  const auto known = name ? target.texts.name(*name, target.builder) : std::nullopt;
  if (!known) target.findings.damaged(table, "without a name, kept");
  record.name = known.value_or(StringId{});
  fill_launch(row, kLaunch, number_of, record);
  const auto type = number_of(row, kLaunchType);
  record.cooperative = type == kCooperative || type == kCooperativeOnManyDevices;
  if (row.integer(kParent).value_or(0) != 0) record.origin = Origin::kDevice;
  return target.builder.add(record);
}

template <const std::string_view& kTable>
Status take_kernel_of(TableRows& row, Target& target) {
  return take_kernel(row, target, kTable);
}

enum Copy : std::size_t { kBytes = kOwn, kCopyKind, kFrom, kTo, kFlags, kPeer };
constexpr auto kCopyColumns =
    work_columns("bytes", "copyKind", "srcKind", "dstKind", "flags", "dstDeviceId");
static_assert(kCopyColumns.size() == kPeer + 1);

template <const std::string_view& kTable>
Status take_copy(TableRows& row, Target& target) {
  MemcpyRecord record;
  if (!fill(row, kTable, target, record)) return {};
  record.bytes = static_cast<std::uint64_t>(row.integer(kBytes).value_or(0));
  record.copy_kind = static_cast<std::uint8_t>(number_of(row, kCopyKind).value_or(0));
  record.source = memory_of(row, kFrom);
  record.destination = memory_of(row, kTo);
  record.async = is_async(row, kFlags);
  record.peer_device = number_of(row, kPeer).value_or(record.device);
  return target.builder.add(record);
}

enum Set : std::size_t { kSetBytes = kOwn, kValue, kSetMemory, kSetFlags };
constexpr auto kSetColumns = work_columns("bytes", "value", "memoryKind", "flags");
static_assert(kSetColumns.size() == kSetFlags + 1);

Status take_set(TableRows& row, Target& target) {
  MemsetRecord record;
  if (!fill(row, kSets, target, record)) return {};
  record.bytes = static_cast<std::uint64_t>(row.integer(kSetBytes).value_or(0));
  record.value = number_of(row, kValue).value_or(0);
  record.memory = memory_of(row, kSetMemory);
  record.async = is_async(row, kSetFlags);
  return target.builder.add(record);
}

constexpr std::array<std::string_view, kSyncEvent + 1> kSyncColumns = {
    "start", "end", "contextId", "streamId", "correlationId", "type", "cudaEventId"};

Status take_sync(TableRows& row, Target& target) {
  const auto correlation = own_correlation(row, kSyncCorrelation, kSyncs, target);
  if (!correlation) return {};
  const auto span = span_of(row, kStart, kEnd, kSyncs, target.findings);
  if (!span) return {};
  SyncRecord record;
  record.start_ns = span->start_ns;
  record.end_ns = span->end_ns;
  record.correlation = *correlation;
  fill_sync(row, number_of, record);
  return target.builder.add(record);
}

enum Unified : std::size_t { kCounter = kEnd + 1, kAmount, kSource, kDestination, kProcess };
constexpr std::array<std::string_view, kProcess + 1> kUnifiedColumns = {
    "start", "end", "counterKind", "value", "srcId", "dstId", "processId"};

/// Migrations of unified memory, which no call launches; other counters are no work.
Status take_unified(TableRows& row, Target& target) {
  constexpr std::uint8_t kToDevice = 1, kToHost = 2, kBetweenDevices = 8;
  if (!target.owner.owns_process(number_of(row, kProcess).value_or(0))) return {};
  const std::uint32_t kind = number_of(row, kCounter).value_or(0);
  if (kind != kToDevice && kind != kToHost && kind != kBetweenDevices) {
    target.findings.other_row(
        "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER of page faults and hints");
    return {};
  }
  const auto span = span_of(row, kStart, kEnd, kUnified, target.findings);
  if (!span) return {};
  MemcpyRecord record;
  record.origin = Origin::kNone;
  record.start_ns = span->start_ns;
  record.end_ns = span->end_ns;
  record.copy_kind = kMigrations[kind == kToDevice ? 0 : kind == kToHost ? 1 : 2];
  record.source = record.destination = MemoryKind::kManaged;
  record.bytes = static_cast<std::uint64_t>(row.integer(kAmount).value_or(0));
  record.device = id_or_none(row, kind == kToDevice ? kDestination : kSource, number_of);
  record.peer_device =
      kind == kBetweenDevices ? id_or_none(row, kDestination, number_of) : record.device;
  return target.builder.add(record);
}

constexpr std::array kGpuSources = {
    RowSource{kKernels, kKernelColumns, take_kernel_of<kKernels>},
    RowSource{kSerialKernels, kKernelColumns, take_kernel_of<kSerialKernels>},
    RowSource{kDeviceKernels, kKernelColumns, take_kernel_of<kDeviceKernels>},
    RowSource{kCopies, kCopyColumns, take_copy<kCopies>},
    RowSource{kPeerCopies, kCopyColumns, take_copy<kPeerCopies>},
    RowSource{kSets, kSetColumns, take_set},
    RowSource{kSyncs, kSyncColumns, take_sync},
    RowSource{kUnified, kUnifiedColumns, take_unified},
};

}  // namespace

std::span<const RowSource> gpu_sources() { return kGpuSources; }

}  // namespace prof::importers::nvprof
