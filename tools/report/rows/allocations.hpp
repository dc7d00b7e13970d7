// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases of memory by CUDA as a row kind (row_kinds.hpp: kAllocations), in order
// of time (analyzers/timeline/allocations.hpp). Filters choose rows: all of them count as
// allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzers/timeline/allocations.hpp"
#include "tools/report/filter/thread_facts.hpp"
#include "tools/report/rows/row.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// An allocation or a release, and the source of its cells.
class AllocationRow final : public Row {
 public:
  explicit AllocationRow(const TraceMember& trace) : trace_(trace), threads_(trace.reader) {}
  void set(const Allocation& allocation) { allocation_ = &allocation; }

  [[nodiscard]] const Allocation& of() const { return *allocation_; }
  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] RangeId stack() const override { return of().call.range; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override { return of().time_ns; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override { return of().part; }
  [[nodiscard]] Cell time(const std::optional<std::int64_t>& time_ns) const {
    return time_ns ? signed_number(on_axis(trace_, *time_ns)) : absent();
  }
  [[nodiscard]] std::string_view string(StringId id) const { return trace_.reader.string(id); }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }

 private:
  const TraceMember& trace_;
  ThreadFacts threads_;
  const Allocation* allocation_ = nullptr;
};

}  // namespace prof::reports
