// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes of a step, as values: what a program would do differently. Works and calls are named by
// their places in the run (recorded_run.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "analyzers/whatif/replay.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

using Places = std::vector<std::uint32_t>;

/// GPU work takes another time: `ns` has one for each.
struct Take {
  Places works;
  std::vector<std::int64_t> ns;
};
/// GPU work takes its time times the factor.
struct Scale {
  Places works;
  double factor = 1;
};
/// GPU work does not run. Nor does its call, nor what the host does on its way to it, unless the
/// call launches other work or the way is a pause.
struct Drop {
  Places works;
};
/// In each step the works are launched by the first of their calls, as by a CUDA graph. Pauses of
/// the host on the way, other calls and waits stay.
struct NoLaunch {
  Places works;
};
/// The calls do not wait for the GPU.
struct NoWait {
  Places calls;
};
/// The host comes to these calls as it comes to others: its pause before them is gone.
struct NoIdle {
  Places calls;
};
/// The work takes that much longer, in each step.
struct Add {
  Places after;
  std::int64_t ns = 0;
};
using Change = std::variant<Take, Scale, Drop, NoLaunch, NoWait, NoIdle, Add>;

/// The changed graph: changes apply in their order.
Overlay apply(const StepGraph& graph, std::span<const Change> changes);

/// By step of the graph, what the changes take away at most: the times of what they touch.
/// Waits that end are not among them.
std::vector<std::int64_t> touched_ns(const StepGraph& graph, const Overlay& changed);

}  // namespace prof::whatif
