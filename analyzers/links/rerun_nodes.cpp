// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/rerun_nodes.hpp"

#include "analyzers/links/look_ahead.hpp"

namespace prof {

bool RerunNodes::reruns_forward(RangeId node) {
  if (node == last_) return is_one_;
  last_ = node;
  const RangeRef row = node != 0 ? reader_.range(node) : RangeRef{};
  is_one_ = row && calls_unrecorded(*row);
  return is_one_;
}

bool RerunNodes::calls_unrecorded(const RangeRow& node) {
  const auto stops_at = [&](const RangeRow& row) {
    return row.parent == node.id && is_unrecorded(row);
  };
  return look_ahead(reader_, node, stops_at) == LookAhead::kStopped;
}

bool RerunNodes::is_unrecorded(const RangeRow& called) {
  const dialects::RangeMeaning& meaning = texts_.parse(called).meaning;
  // A backward pass in a node is that of a graph that was made there.
  if (meaning.is<NodeEvaluation>()) return true;
  // Ops that take no tensors, such as those that make one, have no number in any case.
  const auto* op = meaning.as<FrameworkOp>();
  return op != nullptr && !op->is_recorded && !op->op->tensors.empty();
}

}  // namespace prof
