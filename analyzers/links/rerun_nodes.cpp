// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/rerun_nodes.hpp"

namespace prof {
namespace {

/// Half of what the reader keeps: what is looked at here is soon needed again.
constexpr int kMaxRanges = 1 << 15;

}  // namespace

bool RerunNodes::is_one(RangeId node) {
  if (node == last_) return is_one_;
  last_ = node;
  const RangeRef row = node != 0 ? reader_.range(node) : RangeRef{};
  is_one_ = row && calls_unrecorded(*row);
  return is_one_;
}

bool RerunNodes::calls_unrecorded(const RangeRow& node) {
  RangeId at = node.id;
  for (int count = 0; count < kMaxRanges; ++count) {
    const RangeRef row = reader_.range_after(at);
    if (!row) return false;
    at = row->id;
    if (row->thread != node.thread) continue;
    if (node.end_ns && row->start_ns > *node.end_ns) return false;
    if (row->parent == node.id && is_unrecorded(*row)) return true;
  }
  return false;
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
