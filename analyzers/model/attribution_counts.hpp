// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AttributionCounts: what could not be attributed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "analyzers/model/attribution.hpp"

namespace prof {

struct ContradictionCount {
  std::uint64_t kernels = 0;
  std::string first;  ///< The first one: op, params, kernel.
};

/// Kernels that compiled code launched and whose call in it is not known.
struct CompiledCounts {
  std::uint64_t without_code = 0;  ///< The code is not in the trace.
  std::uint64_t unmatched = 0;     ///< No call of the code is for them.
  std::string first_graph;         ///< The key of the first graph with such kernels.
  std::uint64_t unplaced = 0;      ///< Their call is known; none of the nodes that it names.
  std::uint64_t damaged = 0;       ///< Documents that cannot be read.
};

/// Counted over the rows that AttributedWork::next() has returned.
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

  /// With names of libraries that were to be traced, of which no call was seen: by their words.
  std::map<std::string, std::uint64_t, std::less<>> of_unseen_libraries;

  /// Work of graph nodes, attributed by the ranges that the nodes were made under.
  std::uint64_t replayed = 0;
  /// Work of graphs' nodes whose making is not in the trace, or not proved to be theirs; it is
  /// attributed by the launch of its graph.
  std::uint64_t unknown_nodes = 0;

  CompiledCounts compiled;

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

}  // namespace prof
