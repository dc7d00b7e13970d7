// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceReader: read access to a trace.db. Streams GPU work in launch order, each row already joined
// with the call that launched it, and looks up what rows refer to (strings, launch configurations,
// ranges). Memory stays bounded at any size of trace: nothing is read whole but small tables.
// Opens read-only files, files whose capture was killed and files that are still being written.
// One thread at a time. All times that it returns are relative to the trace's start.
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

namespace prof {

using ConfigId = Id<struct ConfigTag>;

/// What repeats from launch to launch of a kernel, interned by the store.
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
  std::uint64_t graph_node = 0;
  Origin origin = Origin::kApi;
  std::uint32_t device = 0, context = 0, stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;

  ConfigId config;  ///< Kernels only.

  // Copies and sets only.
  std::uint64_t bytes = 0;
  std::uint8_t copy_kind = 0;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;  ///< The memory that a memset writes, too.

  // The launching call; `launched` is false where it was not recorded.
  bool launched = false;
  ThreadId thread;
  StringId function;
  RangeId stack = 0;  ///< Innermost range at the launch; for graph work that of the graph's launch.
  std::int64_t launch_start_ns = 0;
  std::int64_t launch_duration_ns = 0;
};

/// One opening of a range, see RangeRecord. Times relative to the trace's start.
struct RangeRow {
  RangeId id = 0;
  RangeId parent = 0;
  RangeId alias_of = 0;
  RangeRecord::Kind kind = RangeRecord::Kind::kPushPop;
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  std::uint32_t template_id = 0;  ///< Equal for texts that differ only in their numbers (below).
  std::string_view text;          ///< The whole text, or its template where `numbers` is not empty.
  std::string_view numbers;       ///< See source/text_template.hpp.
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns;

  /// Byte for byte what the program passed.
  [[nodiscard]] std::string whole_text() const;
};

/// A range of the process (nvtxRangeStart), which is on no thread's stack.
struct ProcessRangeRow {
  RangeId id = 0;
  DomainId domain = kDefaultDomain;
  std::string text;  ///< Byte for byte what the program passed.
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns;
};

/// A schema of NVTX's payload extension, see PayloadSchemaRecord.
struct PayloadSchemaRow {
  DomainId domain;
  std::uint64_t schema = 0;
  std::string fields_json;
};

/// A binary payload of a range. Its bytes are valid while it is shown.
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

/// How the capture ended.
struct CaptureEnd {
  std::string how;             ///< "stop" or "exit"; empty: it was killed, or still runs.
  bool still_written = false;  ///< What was read is a copy of what was committed so far.
  /// Kernel launches that succeeded but have no kernel. Counted only where `how` is empty: else the
  /// collector has counted them (loss launch_without_record).
  std::uint64_t launches_without_record = 0;
};

/// Streams GPU work in launch order (by correlation, then start). Keeps its reader alive and open.
class GpuCursor {
 public:
  virtual ~GpuCursor() = default;
  /// The next row, or null at the end or after an error (see status()). Valid until the next call.
  virtual const GpuRow* next() = 0;
  [[nodiscard]] virtual Status status() const = 0;
};

class TraceReader {
 public:
  enum class Work : std::uint8_t { kKernels, kKernelsAndCopies };

  /// Errors say whether the file is missing, not a trace, truncated, foreign or of a newer schema.
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path);
  virtual ~TraceReader() = default;

  [[nodiscard]] virtual std::unique_ptr<GpuCursor> gpu_work(Work work) = 0;

  /// Rows of each table, cheap enough to ask before streaming.
  [[nodiscard]] virtual std::uint64_t kernel_count() = 0;

  [[nodiscard]] virtual std::string_view string(StringId id) = 0;
  [[nodiscard]] virtual const LaunchConfig& config(ConfigId id) = 0;
  /// Null for an id that the trace does not hold. Valid until the next call of range().
  [[nodiscard]] virtual const RangeRow* range(RangeId id) = 0;
  /// The range with the smallest id above `id`, or null: all ranges in the order of their ids, also
  /// those under which nothing was launched. Valid until the next call of range() or range_after().
  [[nodiscard]] virtual const RangeRow* range_after(RangeId /*id*/) { return nullptr; }
  /// False where no range's text was split into a template and numbers.
  [[nodiscard]] virtual bool has_numbered_ranges() { return false; }
  [[nodiscard]] virtual std::string_view domain_name(DomainId id) = 0;

  [[nodiscard]] virtual const std::vector<ThreadRow>& threads() = 0;
  [[nodiscard]] virtual const std::vector<DeviceRow>& devices() = 0;
  /// With a row "killed" or a notice that the file is still written where the capture did not end,
  /// and one for launches without a record then.
  [[nodiscard]] virtual const std::vector<LossRow>& losses() = 0;
  /// Empty where the key is absent. Keys: docs/schema.md.
  [[nodiscard]] virtual std::string meta(std::string_view key) = 0;
  /// The trace's start, ns of CLOCK_REALTIME since the epoch (UTC).
  [[nodiscard]] virtual std::int64_t start_realtime_ns() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;

  /// The innermost range under which a node of a CUDA graph, or the node it was cloned from, was
  /// made.
  [[nodiscard]] virtual RangeId graph_node_stack(std::uint64_t /*graph_node*/) { return 0; }
  /// Empty where no range has a payload that could be read.
  [[nodiscard]] virtual std::vector<PayloadSchemaRow> payload_schemas() { return {}; }
  /// Shows the payloads of a range, in the order in which the program gave them.
  virtual void payloads_of(RangeId /*id*/,
                           const std::function<void(const PayloadRow&)>& /*visit*/) {}
  /// Shows all payloads of a schema, oldest first. Reads the whole table of payloads.
  virtual void payloads_with(DomainId /*domain*/, std::uint64_t /*schema*/,
                             const std::function<void(const PayloadRow&)>& /*visit*/) {}

  /// Shows every range of the process, in the order of their starts.
  virtual void process_ranges(const std::function<void(const ProcessRangeRow&)>& /*visit*/) {}
  [[nodiscard]] virtual CaptureEnd capture_end() { return {}; }
  /// The first look-up that failed (a damaged file), or ok. Look-ups then gave empty answers.
  [[nodiscard]] virtual Status status() const { return {}; }
};

}  // namespace prof
