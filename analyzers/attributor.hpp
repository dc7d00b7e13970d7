// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes the GPU work of a trace, row by row in launch order. Attribution is a pure function of
// the trace: nothing is written, and two streams over one trace give the same rows. Memory is
// bounded regardless of the trace's size: what repeats is cached, caches are cleared when they grow
// large, and rows are held back only until it is known which kernels share their op's cost.
//
//     const auto work = attribute_work(reader, {.work = TraceReader::Work::kKernels});
//     while (const AttributedRow* row = work->next()) print(*row);
//     if (auto status = work->status(); !status) return status.error();
//     warn(work->counts());
#pragma once

#include <cstdint>
#include <memory>

#include "analyzers/attributed_work.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class Explainer;

struct AttributorOptions {
  TraceReader::Work work = TraceReader::Work::kKernels;
  RangeOptions range_options = {};
  /// Maximum number of rows held back while an op is open. An op with more kernels in flight gives
  /// its cost to the first of them; the rest are `late`.
  std::uint32_t max_held_rows = 1U << 15;
  /// Number of entries above which a cache is cleared.
  std::uint32_t max_cache_entries = 1U << 16;
  Explainer* explainer = nullptr;  ///< Null: no row is explained.
};

/// The reader must outlive what is returned and, like any reader, be used by one thread at a time.
/// It may be used between calls to next().
std::unique_ptr<AttributedWork> attribute_work(TraceReader& reader,
                                               const AttributorOptions& options = {});

}  // namespace prof
