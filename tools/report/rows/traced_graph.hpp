// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TracedGraph: the graph of a trace's steady steps (analyzers/whatif), and what its works and calls
// are in words. Reads the work of the trace twice, once as a timeline.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "analyzers/whatif/step_graph.hpp"
#include "tools/report/rows/chosen_timeline.hpp"

namespace prof::reports {

class TracedGraph {
 public:
  /// The graph of the trace's steady steps; without a steady step it is empty.
  static Result<std::unique_ptr<TracedGraph>> read(const TraceMember& trace, const RowInput& input);

  [[nodiscard]] const whatif::StepGraph& graph() const { return graph_; }
  /// The op of a node: of a work, of the first work of a call, and of the way to that. Null: the
  /// call launches nothing.
  [[nodiscard]] const OpAttribution* op_of(whatif::NodeId node) const;
  /// The function of a call, or of the call that a way leads to; empty: a work.
  [[nodiscard]] std::string_view function_of(whatif::NodeId node) const;

 private:
  explicit TracedGraph(TraceReader& trace) : trace_(trace) {}
  std::uint32_t number_of(const std::shared_ptr<const OpAttribution>& op);

  TraceReader& trace_;
  whatif::StepGraph graph_;
  std::vector<std::shared_ptr<const OpAttribution>> ops_;
  std::map<const OpAttribution*, std::uint32_t> numbers_;
  std::vector<std::uint32_t> op_of_work_, op_of_call_;  // by place
  std::vector<StringId> functions_;                     // by call
};

}  // namespace prof::reports
