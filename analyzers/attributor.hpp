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

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzers/model/attribution.hpp"
#include "analyzers/texts/range_options.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

struct AttributedRow {
  const GpuRow* row = nullptr;
  const Attribution* attribution = nullptr;
};

struct ContradictionCount {
  std::uint64_t kernels = 0;
  std::string first;  ///< The first one: op, params, kernel.
};

/// What could not be attributed, counted over the rows returned by next().
struct AttributionCounts {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  ///< Memory copies and sets.

  // Counts of kernels, not of copies.
  std::uint64_t without_layer = 0;
  std::uint64_t without_op = 0;
  std::uint64_t without_direction = 0;
  std::uint64_t of_unknown_op = 0;  ///< With an op that no op model knows.
  /// Without a layer, but inside of ranges of these domains, which are not read.
  std::map<std::string, std::uint64_t, std::less<>> in_unread_domains;
  /// Without a layer, but launched while ranges of the process were open, which are not asked for.
  std::uint64_t in_process_ranges = 0;
  std::uint64_t unattributed = 0;  ///< At least one of the four above.
  std::uint64_t unattributed_in_steps = 0;
  std::uint64_t without_launch = 0;  ///< The launching call was not recorded.
  std::uint64_t before_launch = 0;   ///< Started before it: the clocks of CPU and GPU are apart.

  std::uint64_t replayed = 0;  ///< Of graphs' nodes, attributed by what the nodes were made under.
  /// Work of graphs' nodes whose making is not in the trace, or not proved to be theirs; it is
  /// attributed by the launch of its graph.
  std::uint64_t unknown_nodes = 0;

  std::uint64_t repeated = 0;  ///< In steps that are not marked, attributed by one that is.
  /// In steps that are not marked and launched something else than each marked one before.
  std::uint64_t unmarked = 0;

  /// Rows that came after their op's cost had been distributed; they carry none of it.
  std::uint64_t late = 0;
  /// Rows whose stack refers to a range that is not in the trace.
  std::uint64_t broken_stacks = 0;
  /// Rows whose stack has more ranges than are considered (StackMeaning::kMaxDepth).
  std::uint64_t deep_stacks = 0;

  /// Batches of calls (NCCL groups) that launched work but whose calls are not in the trace.
  std::uint64_t batches_without_beginning = 0;

  /// Backward nodes and their forward ops.
  LinkCounts links;
  /// Kernels with each kind of contradiction, indexed by Contradiction.
  std::array<ContradictionCount, kContradictions> contradictions = {};

  /// Distinct texts that look like a native op but are not one; they count as plain ranges.
  std::uint64_t malformed_op_texts = 0;
  std::string first_malformed_text;  ///< At most 200 bytes of it.
  std::string first_malformed_why;

  /// Name of each unknown op and its number of kernels; the first 256 names.
  std::map<std::string, std::uint64_t, std::less<>> unknown_ops;
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
