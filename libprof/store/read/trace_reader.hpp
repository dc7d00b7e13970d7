// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceReader: read access to a trace.db. Streams GPU work in launch order, each row joined with
// the call that launched it, and the other tables in their own order; looks up the objects to which
// rows refer (strings, launch configurations, ranges). Memory is bounded whatever the trace's size:
// only small tables are read whole. Opens read-only files, files whose capture was killed and files
// still being written. One thread at a time. All returned times are relative to the trace's start.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/read/captures.hpp"
#include "libprof/store/read/range_ref.hpp"
#include "libprof/store/read/row_cursor.hpp"
#include "libprof/store/read/trace_rows.hpp"

namespace prof {

using ConfigId = Id<struct ConfigTag>;

/// A kernel's launch parameters, interned by the store.
struct LaunchConfig {
  StringId name;  ///< Mangled kernel name.
  Dim3 grid, block, cluster{0, 0, 0};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
  bool cooperative = false;
};

/// One kernel, memory copy or memory set with its launch.
struct GpuRow {
  enum class Kind : std::uint8_t { kKernel, kMemcpy, kMemset };
  Kind kind = Kind::kKernel;
  Correlation correlation = 0;
  std::int64_t origin_id = 0, repeat = 0;  ///< Together with `correlation` the key in its table.
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;
  Origin origin = Origin::kApi;
  std::uint32_t device = 0, context = 0, stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;

  ConfigId config;  ///< Kernels only.

  // Copies and sets only.
  std::uint64_t bytes = 0;
  std::uint8_t copy_kind = 0;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;  ///< For a memset, the memory that is set.

  // The launching call; `launched` is false if it was not recorded.
  /// The call's correlation, which work in bodies of graphs does not have itself.
  Correlation launch = 0;
  bool launched = false;
  ThreadId thread;
  StringId function;
  RangeId stack = 0;  ///< Innermost range at the launch (for graph work, at the graph's launch).
  std::int64_t launch_start_ns = 0;
  std::int64_t launch_duration_ns = 0;

  [[nodiscard]] std::optional<std::int64_t> launch_time_ns() const {
    return launched ? std::optional(launch_start_ns) : std::nullopt;
  }
  /// Whether the start and the duration are known. The duration may be 0: some files have whole
  /// microseconds.
  [[nodiscard]] bool has_times() const { return start_ns != 0 || duration_ns > 0; }
  /// Whether the work seems to start before its launch. No work does: the clocks of CPU and GPU are
  /// apart by then.
  [[nodiscard]] bool starts_before_launch() const {
    return launched && has_times() && start_ns < launch_start_ns;
  }
};

/// The capture of GPU work: the one in which it starts on the GPU, or else was launched.
inline std::optional<std::uint32_t> capture_of(const GpuRow& work, const Captures& captures) {
  return captures.at(work.has_times() ? std::optional(work.start_ns) : work.launch_time_ns());
}

/// A range with its text: of the process (nvtxRangeStart), which is on no thread's stack, or of a
/// thread.
struct TextRangeRow {
  RangeId id = 0;
  DomainId domain = kDefaultDomain;
  std::string text;  ///< As the program passed it, or its template (source/text_template.hpp).
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns;
  ThreadId thread{};
  ThreadId end_thread{};  ///< The thread that ended it; `thread` if it is still open.
  RangeId parent = 0;     ///< The range around it on its thread's stack.
  StringId signature{};   ///< Signature of an op fact, which has no text.
};

/// Properties shared by ranges on threads' stacks.
struct StackFormRow {
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  std::string_view text;  ///< The text or its template. Valid for the reader's lifetime.
  StringId signature{};   ///< Signature of an op fact, which has no text.
};

/// The place on its thread's stack at which a range was opened.
struct StackPlaceRow {
  RangeId id = 0;
  RangeId parent = 0;      ///< The range around it; 0: none.
  std::uint32_t form = 0;  ///< The caller's number for the form of the range.
};

/// A schema of NVTX's payload extension, see PayloadSchemaRecord.
struct PayloadSchemaRow {
  DomainId domain;
  std::uint64_t schema = 0;
  std::string fields_json;
};

/// A document, see DocumentRecord.
struct DocumentRow {
  std::int64_t id = 0;
  std::string kind, name;
};

/// A binary payload of a range. Its bytes are valid during the visit.
struct PayloadRow {
  RangeId range = 0;
  DomainId domain;
  std::uint64_t schema = 0;
  std::string_view bytes;
};

struct ThreadRow {
  ThreadId id;
  std::uint32_t process = 0;  ///< The operating system's pid.
  std::uint32_t os_tid = 0;
  std::string name;
};

struct DeviceRow {
  std::uint32_t device = 0;
  std::string name, uuid;
  std::uint32_t compute_major = 0, compute_minor = 0, sm_count = 0;
  std::uint32_t core_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0, l2_bytes = 0;
  std::uint64_t memory_bytes = 0, memory_bandwidth_bytes_per_s = 0;
};

struct LossRow {
  std::string what;  ///< A word of model/losses.hpp, or of a newer version of it.
  std::uint64_t count = 0;
  std::string detail;
};

/// The way in which the capture ended.
struct CaptureEnd {
  std::string how;             ///< "stop" or "exit"; empty: it was killed or is still running.
  bool still_written = false;  ///< The data is a copy of the state committed so far.
  /// Kernel launches that succeeded but have no kernel. Counted only if `how` is empty: otherwise
  /// the collector has counted them (loss launch_without_record).
  std::uint64_t launches_without_record = 0;
};

/// GPU work in launch order: by correlation, then start.
using GpuCursor = RowCursor<const GpuRow>;

class SqliteDb;
struct TraceTables;

class TraceReader {
 public:
  enum class Work : std::uint8_t { kKernels, kKernelsAndCopies };

  /// Errors say whether the file is missing, not a trace, truncated, of another program or of a
  /// newer schema.
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path);
  virtual ~TraceReader() = default;

  [[nodiscard]] virtual std::unique_ptr<GpuCursor> gpu_work(Work work) = 0;

  /// Calls in call order: by correlation, then depth.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const ApiCallRow>> api_calls() = 0;
  /// Ranges of every kind, ordered by id.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const RangeSpanRow>> all_ranges() = 0;
  // These cursors are in storage order.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const MarkRow>> marks() = 0;
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const SyncRow>> synchronizations() = 0;
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const OverheadRow>> overheads() = 0;
  /// Ordered by time.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const GraphEventRow>> graph_events() = 0;
  /// Ordered by correlation. Only processes with conditional nodes have any.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const GraphLaunchRow>> graph_launches() = 0;
  /// Times of three clocks, not relative to the trace's start.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const ClockSyncRecord>> clock_syncs() = 0;

  [[nodiscard]] virtual std::string_view string(StringId id) = 0;
  [[nodiscard]] virtual const LaunchConfig& config(ConfigId id) = 0;
  /// The range with that id; empty for an unknown id.
  [[nodiscard]] virtual RangeRef range(RangeId id) = 0;
  /// The range with the smallest id above `id`, or none. Visits all ranges by id, including
  /// those under which nothing was launched.
  [[nodiscard]] virtual RangeRef range_after(RangeId id) = 0;
  /// Frees the cached ranges. To be called if nobody will ask for them soon.
  virtual void forget_ranges() {}
  /// False if no range's text was split into a template and numbers, and no op has a sequence
  /// number.
  [[nodiscard]] virtual bool has_numbered_ranges() = 0;
  [[nodiscard]] virtual std::string_view domain_name(DomainId id) = 0;

  [[nodiscard]] virtual const std::vector<ThreadRow>& threads() = 0;
  [[nodiscard]] virtual const std::vector<DeviceRow>& devices() = 0;
  /// If the capture did not end, includes a row "killed" or a notice that the file is still being
  /// written, and one for launches without a record.
  [[nodiscard]] virtual const std::vector<LossRow>& losses() = 0;
  /// The parts of the run that the trace holds.
  [[nodiscard]] virtual const Captures& captures() = 0;
  /// The value of a key, empty if it is absent. Keys: docs/formats/schema.md.
  [[nodiscard]] virtual std::string meta(std::string_view key) = 0;
  /// The trace's start, ns of CLOCK_REALTIME since the epoch (UTC).
  [[nodiscard]] virtual std::int64_t start_realtime_ns() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;

  /// All payload schemas. Empty if no range has a readable payload.
  [[nodiscard]] virtual std::vector<PayloadSchemaRow> payload_schemas() = 0;
  [[nodiscard]] virtual std::vector<DocumentRow> documents() = 0;
  [[nodiscard]] virtual std::string document_bytes(const DocumentRow& document) = 0;
  /// Visits the payloads of a range, in the order in which the program passed them.
  virtual void payloads_of(RangeId id, const std::function<void(const PayloadRow&)>& visit) = 0;
  /// Visits all payloads of a schema, oldest first. Reads the whole table of payloads.
  virtual void payloads_with(DomainId domain, std::uint64_t schema,
                             const std::function<void(const PayloadRow&)>& visit) = 0;

  /// Visits every range of the process, ordered by start.
  virtual void process_ranges(const std::function<void(const TextRangeRow&)>& visit) = 0;
  /// Visits every range on a thread's stack whose text, or template of it, is wanted. Reads the
  /// table of ranges if there are some.
  virtual void thread_ranges(const std::function<bool(DomainId, std::string_view)>& wants,
                             const std::function<void(const TextRangeRow&)>& visit) = 0;
  [[nodiscard]] virtual CaptureEnd capture_end() = 0;
  /// The tables that records_of() reads (record_cursor.hpp). Null: not read from a file.
  [[nodiscard]] virtual std::shared_ptr<TraceTables> tables() { return nullptr; }
  /// The trace's connection for a user's own statements, see SqliteDb::prepare_query(), with the
  /// views of schema.hpp even if the file has others of these names. Null: not read from a file.
  [[nodiscard]] virtual Result<SqliteDb*> for_queries() = 0;
  /// The first failed lookup (a damaged file), or ok. Failed lookups return empty results.
  [[nodiscard]] virtual Status status() const = 0;
  /// The place of every range on a thread's stack, ordered by id. `number` is called beforehand,
  /// once or more for each form that ranges have.
  [[nodiscard]] virtual std::unique_ptr<RowCursor<const StackPlaceRow>> thread_stacks(
      const std::function<std::uint32_t(const StackFormRow&)>& number) = 0;
};

}  // namespace prof
