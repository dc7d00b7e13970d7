// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/backward_rules.hpp"

#include <string_view>

namespace prof {
namespace {

/// The op of which the node is the backward, if it states shapes: the op that was called, or the
/// one inside it that made the node.
template <typename Predicate>
OpRef op_of_node(const OpsOnStack& forward, Predicate is_of_node) {
  for (const OpRef& op : {forward.reported, forward.owner}) {
    if (op != nullptr && !op->tensors.empty() && is_of_node(*op)) return op;
  }
  return nullptr;
}

OpRef product_of(const OpsOnStack& forward, const BackwardNode& node, const ops::OpCatalog& ops) {
  if (!ops.has_gradients(*node.forward)) return nullptr;
  return op_of_node(forward, [&](const OpDesc& op) { return ops.has_gradients(op); });
}

/// A composite op has nodes of other names: each computes a part of its gradient.
OpRef namesake_of(const OpsOnStack& forward, const BackwardNode& node) {
  const std::string_view word = ops::word_for_people(*node.forward);
  return op_of_node(forward, [=](const OpDesc& op) { return ops::word_for_people(op) == word; });
}

}  // namespace

Facts in_node(const Facts& from, const BackwardNode& node, bool is_linked,
              const ops::OpCatalog& ops) {
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
  made.is_compiled = node.is_compiled;
  made.backward.has_own_ops = node.has_own_ops;
  made.backward.reruns_forward = node.reruns_forward;
  if (has_forward && !node.accumulates) {
    made.backward.forward = from.op.reported;
    made.backward.product = product_of(from.op, node, ops);
    made.backward.sized =
        made.backward.product != nullptr ? made.backward.product : namesake_of(from.op, node);
    made.backward.weight_first = ops::is_one_of(*node.forward, "mm bmm");
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

void rerun_forward(BackwardFacts& node) {
  if (!node.is_inside || node.has_own_ops) return;
  node.has_own_ops = node.reruns_forward = true;
}

void leave_node(Facts& facts) {
  // Work that waits until a gradient is complete handles gradients of many layers, not just this
  // node's.
  if (facts.backward.is_linked && facts.backward.forward == nullptr) {
    facts.layer.inherited.clear();
    facts.layer.plain_path.clear();
  }
  facts.backward.forward = facts.backward.product = facts.backward.sized = nullptr;
  facts.backward.is_inside = false;
  facts.backward.has_own_ops = facts.backward.reruns_forward = false;
}

}  // namespace prof
