// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations: allocations and releases of memory by CUDA in order of time, with the layer and op
// of the call and how much is allocated after it. Sorted by time, in temporary files beyond 64 MB.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "analyzers/base/record_sort.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "analyzers/timeline/live_memory.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/call_lookup.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// An allocation or a release. Times are since the start of the trace; absent: unknown.
struct Allocation {
  AllocationRecord record;
  LiveMemory::Change change;
  FoundCall call;
  std::shared_ptr<const OpAttribution> op;  ///< The op that work launched by the call would have.
  std::optional<std::int64_t> step;
  std::optional<std::uint32_t> part;                  ///< The captured part of the run.
  std::optional<std::int64_t> time_ns, allocated_ns;  ///< The latter of a release.
};

class Allocations {
 public:
  /// The trace must outlive it.
  Allocations(TraceReader& trace, const RangeOptions& options);

  /// Null at the end or after an error; valid until the next call.
  const Allocation* next();
  [[nodiscard]] Status status() const { return status_; }

 private:
  void read(const RangeOptions& options);
  void attribute();
  [[nodiscard]] std::optional<std::int64_t> since_start(std::int64_t time_ns) const;

  TraceReader& trace_;
  RecordSort<NeverBefore> by_time_;
  std::optional<StackWalker> stacks_;  // only for traces with allocations: it reads ranges
  CallLookup calls_;
  LiveMemory memory_;
  Allocation current_;
  Status status_;
};

/// The most memory that was allocated on a GPU, by cudaMalloc and its pools, and where: the call
/// after which most was allocated, the first of several.
struct MemoryPeak {
  std::uint64_t bytes = 0;
  std::string layer, op, direction;
  std::optional<std::int64_t> step;

  /// In order of time, those of one GPU.
  void take(const Allocation& one);
};

}  // namespace prof
