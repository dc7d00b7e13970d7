// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/traced_rules.hpp"

#include <string>

#include "analyzers/facts/plain_names.hpp"

namespace prof {
namespace {

/// An op that names nothing, such as a copy that the compiler adds, is of what runs it.
void enter_names(Facts& facts, const TracedNames& names) {
  if (names.is_empty()) return;
  LayerFacts& layer = facts.layer;
  layer.scopes = names.is_whole ? std::string() : layer.common_scopes;
  if (!layer.scopes.empty() && !names.layer.empty()) layer.scopes += ':';
  layer.scopes += names.layer;
  if (!names.source_line.empty()) facts.source_line = names.source_line;
  if (facts.direction != Direction::kNone && facts.direction_from != Provenance::kEstimated) return;
  // The update has no sign of its own; programs name it.
  const Direction by_name = named_pass(layer.scopes).direction;
  const Direction direction = names.direction != Direction::kNone ? names.direction : by_name;
  if (direction == Direction::kNone) return;
  facts.set_direction(direction, Provenance::kEstimated);
  facts.is_recomputed = names.is_recomputed;
}

}  // namespace

void enter_traced_program(Facts& facts, const TracedProgram& program) {
  facts.layer.program = program.name;
  facts.layer.scopes.clear();
  facts.layer.common_scopes.clear();
  enter_names(facts, program.names);
  facts.layer.common_scopes = facts.layer.scopes;
}

void enter_traced_op(Facts& facts, const TracedOp& op, const ops::OpCatalog& ops) {
  enter_names(facts, op.names);
  OpsOnStack& stack = facts.op;
  if (stack.reported != nullptr && !stack.is_traced) return;
  stack = {};
  stack.reported = stack.subject = stack.owner = op.op;
  stack.inner = op.instruction;
  stack.is_known = ops.model_of(*op.op) != nullptr;
  stack.is_framework = stack.is_traced = true;
  stack.is_counted = ops.can_count(op.op);
}

}  // namespace prof
