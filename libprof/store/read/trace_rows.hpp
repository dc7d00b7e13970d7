// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of the tables that need no attribution, as returned by TraceReader's cursors: internal ids
// are already resolved. Times are relative to the trace's start; absent: unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libprof/model/records.hpp"

namespace prof {

/// One call of a CUDA function, see ApiRecord.
struct ApiCallRow {
  Correlation correlation = 0;
  std::uint32_t depth = 0;
  ApiRecord::Domain domain = ApiRecord::Domain::kRuntime;
  StringId function;
  ThreadId thread;
  RangeId range = 0;  ///< Innermost open range of the thread over all domains.
  std::int32_t status = 0;
  std::optional<std::int64_t> start_ns, duration_ns;
};

/// One opening of a range of any kind, see RangeRecord. An alias repeats the opening `alias_of`.
struct RangeSpanRow {
  RangeId id = 0;
  RangeId parent = 0;
  RangeId alias_of = 0;
  RangeRecord::Kind kind = RangeRecord::Kind::kPushPop;
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  std::string text;  ///< Byte for byte as the program passed it.
  std::optional<std::int64_t> start_ns;
  std::optional<std::int64_t> duration_ns;  ///< Also absent if it was never closed.
  std::uint32_t category = 0;
  Payload payload;
};

/// One mark, see MarkRecord.
struct MarkRow {
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  RangeId parent = 0;  ///< The innermost open range of its thread.
  std::string text;    ///< Byte for byte as the program passed it.
  std::uint32_t category = 0;
  Payload payload;
  std::optional<std::int64_t> time_ns;
};

/// One synchronization, see SyncRecord, with the call that waited.
struct SyncRow {
  SyncRecord::Type type = SyncRecord::Type::kUnknown;
  std::uint32_t context = 0, stream = 0, event = 0;
  Correlation correlation = 0;
  std::optional<std::int64_t> start_ns, duration_ns;
  bool called = false;  ///< The call was recorded; otherwise there is no thread and no function.
  ThreadId thread;
  StringId function;
};

/// An event of a CUDA graph, see the records graph_node, graph_exec, graph_end, graph_update.
struct GraphEventRow {
  enum class Kind : std::uint8_t {
    kExecBegin,  ///< The thread begins to make the executable `graph`.
    kNode,       ///< `node` was made, `other` is the node of which it is a clone, or 0.
    kEnd,        ///< `graph` is gone.
    kUpdate,     ///< `node` now does what `other` does, or what the call states.
    kExecEnd,    ///< The executable `graph` is made.
  };
  Kind kind = Kind::kNode;
  std::int64_t time_ns = 0;  ///< 0 if unknown.
  ThreadId thread;
  std::uint32_t graph = 0;
  std::uint64_t node = 0, other = 0;
  std::uint32_t node_type = 0;  ///< CUgraphNodeType.
  RangeId stack = 0;            ///< Innermost open range of the thread.
  StringId function;            ///< Mangled name of the kernel; none: unknown, or a clone.
  Dim3 grid{0, 0, 0};
};

/// A launch of an executable graph, see GraphLaunchRecord, with the outermost call that made it.
struct GraphLaunchRow {
  Correlation correlation = 0;
  std::uint32_t graph_exec = 0;
  bool launched = false;  ///< The call was recorded; otherwise the rest is unknown.
  ThreadId thread;
  StringId function;
  RangeId stack = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
};

/// Time spent in CUDA or CUPTI itself, see OverheadRecord.
struct OverheadRow {
  std::string kind;          ///< CUPTI's word.
  std::uint32_t os_tid = 0;  ///< 0: unknown, or the whole process.
  std::optional<std::int64_t> start_ns, duration_ns;
};

}  // namespace prof
