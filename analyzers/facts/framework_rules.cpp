// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/framework_rules.hpp"

#include <utility>

#include "analyzers/facts/backward_rules.hpp"
#include "analyzers/facts/optimizer_rules.hpp"
#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/triton_kernels.hpp"

namespace prof {
namespace {

/// The op with the attributes that an enclosing range states for such ops.
OpRef with_attributes(const OpRef& op, const Facts& around) {
  if (around.attributes == nullptr) return op;
  if (!ops::is_one_of(*op, around.attributes->op)) return op;
  auto made = std::make_shared<OpDesc>(*op);
  made->attrs.insert(around.attributes->attrs.begin(), around.attributes->attrs.end());
  return made;
}

/// A collective in a backward node or in an optimizer is an op of its own, no part of that.
bool runs_apart(const OpDesc& op, const Facts& facts, const ops::OpCatalog& ops) {
  const bool is_in_optimizer = facts.optimizer.around != nullptr && facts.op.reported != nullptr &&
                               !ops.is_between_devices(*facts.op.reported);
  return (facts.backward.is_inside || is_in_optimizer) && ops.is_between_devices(op);
}

/// The op states no shapes; its sizes follow from the op that the node is the backward of. A copy
/// or a fill is no part of a gradient, but one of preparing a product.
bool is_sized_by_node(const OpDesc& op, const Facts& facts) {
  if (!facts.backward.is_inside || facts.op.owner != nullptr || !op.tensors.empty()) return false;
  return facts.backward.product != nullptr ||
         (facts.backward.sized != nullptr && !ops::prepares(op));
}

/// What changes weights outside of modules and optimizers, such as a moving average of them.
bool updates_lists(const Facts& facts, const FrameworkOp& meant) {
  return !meant.is_recorded && facts.layer.path.empty() && ops::changes_lists(meant.op->op);
}

/// The op is the outermost one of its framework.
void begin_op(Facts& facts, const FrameworkOp& meant, const ops::OpCatalog& ops) {
  const bool is_update = meant.op->direction == Direction::kUpdate;
  facts.op.is_framework = true;
  facts.op.library = nullptr;
  facts.op.subject = facts.op.owner = nullptr;
  facts.op.is_counted = facts.op.prepares = false;
  if (facts.backward.has_own_ops) {
    facts.is_recomputed = facts.backward.reruns_forward && meant.is_recorded && !is_update;
    facts.backward = {};
  } else if (is_update) {
    facts.backward.is_inside = false;
  }
  if (is_update) {
    facts.set_direction(Direction::kUpdate, Provenance::kExact);
  } else if (facts.direction == Direction::kNone &&
             (meant.looks_like_update || updates_lists(facts, meant))) {
    facts.set_direction(Direction::kUpdate, Provenance::kEstimated);
  } else if (facts.direction == Direction::kNone && meant.is_backward) {
    const bool is_by_name = ops::is_triton_kernel(meant.op->op);
    facts.set_direction(Direction::kBprop,
                        is_by_name ? Provenance::kEstimated : Provenance::kExact);
  } else if (facts.direction == Direction::kNone && !meant.is_library_call) {
    // Outside of modules it may also be a step's own work, such as clipping gradients by hand. A
    // collective there carries anything: gradients, parameters, a loss.
    const bool is_in_module = !facts.layer.path.empty();
    if (!is_in_module && ops.is_between_devices(*meant.op)) return;
    // Nor do ranges that are not PyTorch's show to which pass a kernel belongs.
    if (!is_in_module && meant.is_kernel && !facts.is_compiled) return;
    // A layer on the stack of an optimizer may be what a program calls a part of the update.
    const bool is_sure =
        is_in_module && !meant.is_kernel && (!facts.optimizer.is_left || meant.is_recorded);
    facts.set_direction(Direction::kFprop, is_sure ? Provenance::kExact : Provenance::kEstimated);
  }
}

/// The work belongs to the innermost op that a model can count, because that is what runs; what is
/// shown is the outermost one. Ops that only prepare operands are shown as themselves.
/// A Triton kernel whose arguments are stated moves them, in whatever unknown op it runs.
void settle_owner(OpsOnStack& facts, const OpRef& op, const ops::OpCatalog& ops) {
  const bool is_launch = ops::is_triton_kernel(op->op) && !op->tensors.empty();
  if (is_launch && !facts.is_counted) facts.is_known = true;
  const bool is_counted = is_launch ? !facts.is_counted : ops.can_count(op);
  if (facts.is_counted && facts.prepares) return;
  if (facts.is_counted && ops::prepares(*op)) {
    facts.subject = facts.owner = op;
    facts.is_counted = is_counted;
    facts.prepares = true;
  } else if (facts.is_counted) {
    if (is_counted && ops.counts_apart(op, facts.owner)) facts.owner = op;
  } else if (is_counted || facts.subject == nullptr || facts.subject->tensors.empty()) {
    facts.subject = facts.owner = op;
    facts.is_counted = is_counted;
    facts.prepares = ops::prepares(*op);
  }
}

/// PyTorch's range around any collective, of which nothing more is stated.
bool is_unnamed_collective(const OpsOnStack& op) {
  return op.reported != nullptr && ops::is_one_of(*op.reported, "record_param_comms");
}

}  // namespace

void enter_framework_op(Facts& facts, const FrameworkOp& meant, const ops::OpCatalog& ops) {
  const OpRef op = with_attributes(meant.op, facts);
  // The call around it has stated what it is.
  if (meant.is_launch && facts.op.library != nullptr) {
    facts.op.inner = op;
    return;
  }
  const bool is_known = ops.model_of(*op) != nullptr;
  const bool is_own = facts.op.has_own_ops || facts.backward.has_own_ops;
  const bool apart = !is_own && runs_apart(*op, facts, ops);
  const bool turns_to_update =
      op->direction == Direction::kUpdate && facts.direction != Direction::kUpdate;
  // One that another optimizer calls is an op of its own.
  const bool is_optimizer = !meant.optimizer.empty();
  const bool begins = !facts.op.is_framework || is_own || apart || turns_to_update || is_optimizer;
  if (is_optimizer) begin_optimizer(facts, meant);
  if (apart) leave_node(facts);
  // An op called by a third-party library or a function of the program counts only if no other op
  // is known. In a backward node the op is the forward op.
  const bool is_model_of_op = is_known && !ops::is_triton_kernel(op->op);
  const bool is_better =
      (is_model_of_op && !facts.op.is_known && !facts.op.is_builtin && !facts.backward.is_inside) ||
      (meant.is_launch && is_unnamed_collective(facts.op));
  if (begins || is_better) {
    facts.op.reported = op;
    facts.op.is_known = is_known;
    facts.op.is_builtin = meant.is_builtin;
    facts.op.has_own_ops = meant.has_own_ops;
    facts.op.is_kernel = meant.is_kernel;
    facts.op.is_library_call = meant.is_library_call;
    facts.op.is_traced = false;
  }
  if (begins) begin_op(facts, meant, ops);
  if (begins && !meant.source_line.empty()) facts.source_line = meant.source_line;
  if (begins && facts.layer.path.empty() && !meant.layer.empty()) {
    facts.layer.add_layer(meant.layer);
  }
  facts.op.inner = op;
  if (!is_sized_by_node(*op, facts)) settle_owner(facts.op, op, ops);
}

void enter_library_call(Facts& facts, const LibraryCall& call, const ops::OpCatalog& ops) {
  facts.op.library = call.op;
  OpDesc function;
  function.module = call.op->module;
  function.op = call.function;
  facts.op.inner = std::make_shared<const OpDesc>(std::move(function));
  const bool apart = runs_apart(*call.op, facts, ops);
  const bool has_op = facts.op.reported != nullptr;
  if (has_op && (facts.op.is_known || !facts.op.is_framework) && !apart) return;
  if (apart) leave_node(facts);
  // The framework's op around it was not known to be a collective.
  const bool is_guess = facts.direction_from == Provenance::kEstimated;
  if (is_guess && facts.direction == Direction::kFprop && ops.is_between_devices(*call.op)) {
    facts.set_direction(Direction::kNone, Provenance::kNone);
  }
  facts.op.reported = facts.op.subject = facts.op.owner = call.op;
  facts.op.is_known = ops.model_of(*call.op) != nullptr;
  facts.op.is_library_call = true;
  facts.op.is_framework = facts.op.is_traced = false;
}

}  // namespace prof
