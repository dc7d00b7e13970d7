// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Activity of threads apart from NVTX: CUDA calls, calls of the operating system, nodes of graphs,
// overheads; names of threads, and nsys's messages about its own capture.
#include <array>

#include "tools/import/nsys/row_source.hpp"

namespace prof::importers::nsys {
namespace {

constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kOsCalls = "OSRT_API";
constexpr std::string_view kNodes = "CUDA_GRAPH_NODE_EVENTS";
constexpr std::string_view kCudaOverheads = "CUPTI_ACTIVITY_KIND_OVERHEAD";
constexpr std::string_view kOverheads = "PROFILER_OVERHEAD";
constexpr std::string_view kThreadNames = "ThreadNames";
constexpr std::string_view kMessages = "DIAGNOSTIC_EVENT";

constexpr std::size_t kHostStart = 0, kHostEnd = 1;

enum Call : std::size_t {
  kCallThread = kHostEnd + 1,
  kClass,
  kCallCorrelation,
  kFunction,
  kResult
};
constexpr std::array<std::string_view, kResult + 1> kCallColumns = {
    "start", "end", "globalTid", "eventClass", "correlationId", "nameId", "returnValue"};

/// By the event's class; of other classes, and without one, by the name.
Slice::Kind kind_of(std::optional<std::int64_t> event_class, std::string_view name) {
  constexpr std::int64_t kRuntime = 0, kDriver = 1;
  if (event_class == kRuntime) return Slice::Kind::kRuntimeCall;
  if (event_class == kDriver) return Slice::Kind::kDriverCall;
  const bool is_driver = name.starts_with("cu") && !name.starts_with("cuda");
  return is_driver ? Slice::Kind::kDriverCall : Slice::Kind::kRuntimeCall;
}

Status take_call(TableRows& row, Target& target) {
  const auto span = span_of(row, kHostStart, kHostEnd, kCalls, target.findings);
  if (!span) return {};
  Slice slice;
  slice.start_ns = span->start_ns;
  slice.end_ns = span->end_ns;
  slice.thread = thread_of(row, kCallThread, target.builder);
  if (!slice.thread) {
    target.findings.damaged(kCalls, "without a thread, left out");
    return {};
  }
  const auto name_id = row.integer(kFunction);
  const auto name = name_id ? target.texts.function(*name_id, target.builder) : std::nullopt;
  if (!name) target.findings.damaged(kCalls, "without a name, kept");
  slice.name = name.value_or(StringId{});
  const auto event_class = row.integer(kClass);
  const bool by_name = !event_class && name_id;
  slice.kind =
      kind_of(event_class, by_name ? target.texts.text(*name_id).value_or("") : std::string_view());
  slice.correlation = correlation_of(row, kCallCorrelation);
  slice.status = static_cast<std::int32_t>(row.integer(kResult).value_or(0));
  ++target.taken;
  return target.builder.add(slice);
}

enum OsCall : std::size_t { kOsCallThread = kHostEnd + 1, kOsFunction, kOsClass };
constexpr std::array<std::string_view, kOsClass + 1> kOsCallColumns = {"start", "end", "globalTid",
                                                                       "nameId", "eventClass"};

/// nsys's own marks of when it began and ended to trace calls.
bool is_mark_of_nsys(std::optional<std::int64_t> event_class) {
  constexpr std::int64_t kTracingStarts = 31, kTracingEnds = 32;
  return event_class == kTracingStarts || event_class == kTracingEnds;
}

Status take_os_call(TableRows& row, Target& target) {
  if (is_mark_of_nsys(row.integer(kOsClass))) return {};
  const auto span = span_of(row, kHostStart, kHostEnd, kOsCalls, target.findings);
  if (!span) return {};
  Slice slice;
  slice.kind = Slice::Kind::kOsCall;
  slice.start_ns = span->start_ns;
  slice.end_ns = span->end_ns;
  slice.thread = thread_of(row, kOsCallThread, target.builder);
  if (!slice.thread) {
    target.findings.damaged(kOsCalls, "without a thread, left out");
    return {};
  }
  const auto name_id = row.integer(kOsFunction);
  const auto name = name_id ? target.texts.name(*name_id, target.builder) : std::nullopt;
  if (!name) target.findings.damaged(kOsCalls, "without a name, kept");
  slice.name = name.value_or(StringId{});
  ++target.taken;
  return target.builder.add(slice);
}

enum Node : std::size_t { kNodeThread = kHostStart + 1, kNode, kOriginal };
constexpr std::array<std::string_view, kOriginal + 1> kNodeColumns = {
    "start", "globalTid", "graphNodeId", "originalGraphNodeId"};

Status take_node(TableRows& row, Target& target) {
  const auto created = row.integer(kHostStart);
  if (!created) {
    target.findings.damaged(kNodes, "without a start, left out");
    return {};
  }
  Slice slice;
  slice.kind = Slice::Kind::kGraphNode;
  slice.start_ns = slice.end_ns = *created;
  slice.thread = thread_of(row, kNodeThread, target.builder);
  slice.op = static_cast<std::uint64_t>(row.integer(kNode).value_or(0));
  slice.sequence = static_cast<std::uint64_t>(row.integer(kOriginal).value_or(0));
  if (slice.op == 0) {
    target.findings.damaged(kNodes, "without a node, left out");
    return {};
  }
  return target.builder.add(slice);
}

enum Overhead : std::size_t { kOverheadThread = kHostEnd + 1, kOverheadName, kOverheadType };
constexpr std::array<std::string_view, kOverheadType + 1> kOverheadColumns = {
    "start", "end", "globalTid", "nameId", "overheadType"};

Status take_overhead(TableRows& row, Target& target, std::string_view table) {
  const auto span = span_of(row, kHostStart, kHostEnd, table, target.findings);
  if (!span) return {};
  OverheadRecord record;
  record.start_ns = span->start_ns;
  record.end_ns = span->end_ns;
  const auto thread = row.integer(kOverheadThread);
  record.os_tid = low_bits(static_cast<std::uint64_t>(thread.value_or(0)));
  const auto type = row.integer(kOverheadType);
  const auto name = row.integer(kOverheadName);
  const auto word = type ? target.overheads.find(*type) : target.overheads.end();
  if (word != target.overheads.end()) {
    record.kind = target.builder.text(word->second);
  } else if (name) {
    record.kind = target.texts.name(*name, target.builder).value_or(StringId{});
  }
  return target.builder.add(record);
}

Status take_cuda_overhead(TableRows& row, Target& target) {
  return take_overhead(row, target, kCudaOverheads);
}

Status take_profiler_overhead(TableRows& row, Target& target) {
  return take_overhead(row, target, kOverheads);
}

enum ThreadName : std::size_t { kName, kNamed };
constexpr std::array<std::string_view, kNamed + 1> kThreadNameColumns = {"nameId", "globalTid"};

Status take_thread_name(TableRows& row, Target& target) {
  const auto packed = row.integer(kNamed);
  const auto id = row.integer(kName);
  const auto name = id ? target.texts.text(*id) : std::nullopt;
  if (!packed || !name) {
    target.findings.damaged(kThreadNames, "without a thread or a name, left out");
    return {};
  }
  name_thread(*packed, *name, target);
  return {};
}

enum Message : std::size_t { kSeverity, kText };
constexpr std::array<std::string_view, kText + 1> kMessageColumns = {"severity", "text"};

Status take_message(TableRows& row, Target& target) {
  constexpr std::int64_t kWarning = 2, kError = 3;
  const auto severity = row.integer(kSeverity);
  if (severity == kWarning || severity == kError) target.messages.add(row.text(kText));
  return {};
}

constexpr std::array kHostSources = {
    RowSource{kThreadNames, "globalTid", kThreadNameColumns, take_thread_name,
              RowKind::kThreadNames},
    RowSource{kCalls, "globalTid", kCallColumns, take_call},
    RowSource{kOsCalls, "globalTid", kOsCallColumns, take_os_call, RowKind::kOsCalls},
    RowSource{kNodes, "globalTid", kNodeColumns, take_node, RowKind::kOfThreads},
    RowSource{kCudaOverheads, "globalTid", kOverheadColumns, take_cuda_overhead,
              RowKind::kOfThreads},
    RowSource{kOverheads, "globalTid", kOverheadColumns, take_profiler_overhead,
              RowKind::kOfThreads},
    RowSource{kMessages, "globalPid", kMessageColumns, take_message, RowKind::kMessages},
};

}  // namespace

std::span<const RowSource> host_sources() { return kHostSources; }

}  // namespace prof::importers::nsys
