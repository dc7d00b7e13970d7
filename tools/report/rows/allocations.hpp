// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases of memory by CUDA as a row kind (row_kinds.hpp: kAllocations), in order
// of time, with the layer and op of the call and how much is allocated after it. Sorted by time, in
// temporary files beyond 64 MB. Filters choose rows: all of them count as allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "analyzers/model/attribution.hpp"
#include "analyzers/timeline/live_memory.hpp"
#include "libprof/store/read/call_lookup.hpp"
#include "tools/report/filter/thread_facts.hpp"
#include "tools/report/rows/row.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// An allocation or a release, and the source of its cells.
class AllocationRow final : public Row {
 public:
  explicit AllocationRow(const TraceMember& trace) : trace_(trace), threads_(trace.reader) {}

  AllocationRecord record;
  LiveMemory::Change change;
  FoundCall call;
  std::shared_ptr<const OpAttribution> op;  ///< What work launched by the call would have.
  std::optional<std::int64_t> step;
  std::optional<std::uint32_t> part;  ///< The captured part of the run.

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] RangeId stack() const override { return call.range; }
  /// Since the start of the trace; absent: unknown.
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override;
  [[nodiscard]] std::optional<std::uint32_t> capture() const override { return part; }
  [[nodiscard]] Cell time(const std::optional<std::int64_t>& time_ns) const {
    return time_ns ? signed_number(on_axis(trace_, *time_ns)) : absent();
  }
  [[nodiscard]] std::optional<std::int64_t> allocated_ns() const;
  [[nodiscard]] std::string_view string(StringId id) const { return trace_.reader.string(id); }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }

 private:
  const TraceMember& trace_;
  ThreadFacts threads_;
};

}  // namespace prof::reports
