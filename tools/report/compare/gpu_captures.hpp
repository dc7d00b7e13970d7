// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The data that a comparison reads of each GPU of each trace: its typical step, the times of its
// groups in the steady steps, its clocks meanwhile, and how it and the other ranks of its side wait
// for each other. Reads the GPU work of each trace twice, and once more if there are several ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tools/report/compare/step_groups.hpp"
#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

struct GpuCapture {
  std::size_t trace = 0;  ///< Index into the set.
  std::optional<std::uint32_t> rank;
  std::uint32_t device = 0;
  TypicalStep typical;
  std::vector<double> periods_ns;  ///< Periods of the steady steps, in order of time.
  StepGroups groups;
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;  ///< Extent of the work in steady steps.
  std::optional<double> sm_clock_mhz;  ///< The median of the samples between these.
  /// Among the ranks of its side; null: not every capture has other ranks there. If it is known,
  /// collectives are without waits.
  const RankStanding* standing = nullptr;

  [[nodiscard]] std::size_t steps() const { return typical.has_steps ? typical.steps.size() : 1; }
};

/// In order of traces, then of GPUs; those without a steady step are left out.
Result<std::vector<std::unique_ptr<GpuCapture>>> read_gpu_captures(const RowInput& input);

}  // namespace prof::reports
