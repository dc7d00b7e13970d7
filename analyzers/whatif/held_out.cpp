// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/held_out.hpp"

#include <cmath>
#include <vector>

#include "analyzers/whatif/critical_path.hpp"
#include "analyzers/whatif/lags.hpp"
#include "analyzers/whatif/replay.hpp"
#include "libprof/base/statistics.hpp"

namespace prof::whatif {

std::optional<HeldOut> held_out(const StepGraph& graph, std::uint32_t device) {
  std::vector<std::size_t> steady;
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const StepMark& step = graph.steps[i];
    const bool has_end = step.next != kNoNode;
    if (step.is_steady && step.device == device && has_end) steady.push_back(i);
  }
  if (steady.size() < 2) return std::nullopt;
  std::vector<bool> calibrates(graph.size(), false);
  for (std::size_t i = 0; i < steady.size(); i += 2) {
    const StepMark& step = graph.steps[steady[i]];
    for (NodeId node = step.first; node < step.next; ++node) calibrates[node] = true;
  }
  const Lags lags = calibrate(graph, [&](NodeId node) { return calibrates[node]; });
  const Times observed = replay(graph);
  const Times predicted =
      replay(graph, {}, {.residuals = Residuals::kNone, .from_empty_queue = true, .lags = &lags});
  HeldOut result;
  double period = 0, error = 0, unexplained = 0;
  std::vector<double> errors;
  for (std::size_t i = 1; i < steady.size(); i += 2) {
    const StepMark& step = graph.steps[steady[i]];
    const auto own = static_cast<double>(observed.periods_ns[steady[i]]);
    const double apart = static_cast<double>(predicted.periods_ns[steady[i]]) - own;
    period += own;
    error += apart;
    if (own > 0) errors.push_back(std::abs(apart) / own);
    walk_path(graph, observed, step, [&](const PathPiece& piece) {
      if (piece.kind != PathKind::kUnexplained) return;
      unexplained += static_cast<double>(difference_of_times(piece.end_ns, piece.begin_ns));
    });
    ++result.steps;
  }
  if (period <= 0) return std::nullopt;
  result.error = error / period;
  result.unexplained = unexplained / period;
  result.step_error = median(errors);
  return result;
}

}  // namespace prof::whatif
