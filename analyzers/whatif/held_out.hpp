// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// held_out: how well a graph predicts steps that its lags were not taken from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

struct HeldOut {
  std::size_t steps = 0;
  /// Median error of one step as a part of its period, 0.01 is 1 %, without its sign.
  double step_error = 0;
};

/// Every second steady step of the GPU gives the lags, the others are replayed with these and
/// without residuals. The times of works, calls and ways are the steps' own, and what the first one
/// finds queued is as recorded. Absent: there are fewer than two.
std::optional<HeldOut> held_out(const StepGraph& graph, std::uint32_t device);

}  // namespace prof::whatif
