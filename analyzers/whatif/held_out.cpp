// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < steady.size(); i += 2) others.push_back(steady[i]);
  const Lags lags = calibrate(graph, nodes_of(graph, others));
  std::vector<bool> before(graph.size(), false);
  std::fill_n(before.begin(), graph.steps[steady.front()].first, true);
  const Times observed = replay(graph);
  const Times predicted =
      replay(graph, {}, {.residuals = Residuals::kNone, .lags = &lags, .keep = &before});
  std::vector<double> errors;
  for (std::size_t i = 1; i < steady.size(); i += 2) {
    const auto own = static_cast<double>(observed.periods_ns[steady[i]]);
    const double apart = static_cast<double>(predicted.periods_ns[steady[i]]) - own;
    if (own > 0) errors.push_back(std::abs(apart) / own);
  }
  if (errors.empty()) return std::nullopt;
  return HeldOut{errors.size(), median(errors)};
}

}  // namespace prof::whatif
