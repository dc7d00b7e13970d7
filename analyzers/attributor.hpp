// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AttributedCursor: streams the GPU work of a trace in launch order, each row with its attribution
// (attribution.hpp). Attribution is a pure function of the trace: nothing is written, and two
// cursors over one trace give the same result. Memory is bounded regardless of the trace's size:
// what repeats is cached, caches are cleared when they grow large, and rows are held back only
// until it is known which kernels share their op's cost.
//
//     AttributedCursor cursor(reader, {.work = TraceReader::Work::kKernels});
//     while (const AttributedRow* item = cursor.next()) print(*item->row, *item->attribution);
//     if (auto status = cursor.status(); !status) return status.error();
//     warn(cursor.counts());
//
// Does not own the reader, which must outlive it and, like any reader, be used by one thread at a
// time. The reader may be used between calls to next().
#pragma once

#include <cstdint>
#include <memory>

#include "analyzers/model/attribution.hpp"
#include "analyzers/model/attribution_counts.hpp"
#include "analyzers/texts/range_options.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

struct AttributedRow {
  const GpuRow* row = nullptr;
  const Attribution* attribution = nullptr;
};

struct AttributorOptions {
  TraceReader::Work work = TraceReader::Work::kKernels;
  RangeOptions range_options = {};
  /// Maximum number of rows held back while an op is open. An op with more kernels in flight gives
  /// its cost to the first of them; the rest are `late`.
  std::uint32_t max_held_rows = 1U << 15;
  /// Number of entries above which a cache is cleared.
  std::uint32_t max_cache_entries = 1U << 16;
};

class AttributedCursor {
 public:
  explicit AttributedCursor(TraceReader& reader, const AttributorOptions& options = {});
  ~AttributedCursor();
  AttributedCursor(const AttributedCursor&) = delete;
  AttributedCursor& operator=(const AttributedCursor&) = delete;

  /// The next row, or null at the end or after an error (see status()). Valid until the next call.
  const AttributedRow* next();

  [[nodiscard]] Status status() const;
  [[nodiscard]] const AttributionCounts& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof
