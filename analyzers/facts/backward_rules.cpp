// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/backward_rules.hpp"

namespace prof {

Facts in_node(const Facts& from, const BackwardNode& node, bool is_linked,
              const ops::Knowledge& ops) {
  // A forward stack without an op adds nothing to the node's own stack.
  const bool has_forward = is_linked && from.op.reported != nullptr;
  Facts made;
  made.source_line = from.source_line;
  if (has_forward) {
    made.layer.plain_path = from.layer.plain_path;
    made.layer.inherited = from.layer.path.empty() ? from.layer.inherited : from.layer.path;
    made.attributes = from.attributes;
  } else {
    made.layer = from.layer;
  }
  made.backward.is_inside = true;
  made.backward.is_linked = has_forward;
  made.backward.reruns_ops = node.reruns_ops;
  if (has_forward && !node.accumulates) {
    made.backward.forward = from.op.reported;
    made.op.reported = from.op.reported;
    made.op.is_known = from.op.is_known;
    made.op.is_builtin = from.op.is_builtin;
  } else {
    made.op.reported = node.forward;
    made.op.is_known = ops.model_of(*node.forward) != nullptr;
  }
  made.op.is_framework = true;
  made.set_direction(Direction::kBprop, Provenance::kExact);
  return made;
}

void leave_node(Facts& facts) {
  // Work that waits until a gradient is complete handles gradients of many layers, not just this
  // node's.
  if (facts.backward.is_linked && facts.backward.forward == nullptr) {
    facts.layer.inherited.clear();
    facts.layer.plain_path.clear();
  }
  facts.backward.forward = nullptr;
  facts.backward.is_inside = facts.backward.reruns_ops = false;
}

}  // namespace prof
