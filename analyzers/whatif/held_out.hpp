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

/// Parts of a step's period: 0.01 is 1 %.
struct HeldOut {
  std::size_t steps = 0;
  double error = 0;        ///< Of the sum of the predicted periods; above 0: predicted too long.
  double step_error = 0;   ///< Median error of one step, without its sign.
  double unexplained = 0;  ///< Waits on the critical paths that no edge explains.
};

/// Every second steady step of the GPU gives the lags, the others are replayed with these and
/// without residuals. The times of works, calls and ways are the steps' own. Absent: there are
/// fewer than two.
std::optional<HeldOut> held_out(const StepGraph& graph, std::uint32_t device);

}  // namespace prof::whatif
