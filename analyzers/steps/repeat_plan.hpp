// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RepeatPlan: which steps the program did not mark, and which marked step before it each repeats
// (docs/decisions/0006-pytorch.md). A step repeats another if each thread launched the same
// kernels in the same order: equal names, grids, blocks and shared memory, on the same streams.
// Copies and sets are compared apart from kernels: some steps fetch a result that others do not.
// Work of graphs' nodes has a meaning of its own and takes no part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzers/steps/step_ranges.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// Kernels and copies are compared separately.
enum class RepeatKind : std::uint8_t { kKernels, kCopies };
inline constexpr std::size_t kRepeatKinds = 2;

inline RepeatKind repeat_kind(const GpuRow& row) {
  return row.kind == GpuRow::Kind::kKernel ? RepeatKind::kKernels : RepeatKind::kCopies;
}
/// The work's stack of ranges at its launch says what it means.
inline bool can_repeat(const GpuRow& row) { return row.launched && row.graph_node == 0; }

/// A step of StepRanges, by its index there.
struct StepRepeats {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  bool is_marked = true;
  /// For a step that is not marked: the step that it repeats, by RepeatKind.
  std::array<std::uint32_t, kRepeatKinds> source = {kNone, kNone};
  /// For a marked step: the last step that repeats it.
  std::uint32_t last_repeat = kNone;
};

/// Empty: all steps are marked. Otherwise reads the trace's work once.
Result<std::vector<StepRepeats>> plan_repeats(TraceReader& reader, const StepRanges& steps);

}  // namespace prof
