// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/rules.hpp"

#include <utility>

#include "analyzers/facts/backward_rules.hpp"
#include "analyzers/facts/framework_rules.hpp"
#include "analyzers/facts/optimizer_rules.hpp"
#include "analyzers/facts/traced_rules.hpp"

namespace prof {
namespace {

/// Adds to `facts` what a meaning states.
struct Enter {
  Facts& facts;
  const ops::OpCatalog& ops;

  // Steps and batches state nothing about the work itself: the walker and the links read them.
  void operator()(const NoMeaning&) const {}
  void operator()(const StepNumber&) const {}
  void operator()(const EngineIteration&) const {}
  void operator()(const ModelCall&) const {}
  void operator()(const Unmarked&) const {}
  void operator()(const BatchBegin&) const {}
  void operator()(const BatchLaunch&) const {}

  void operator()(const PlainName& plain) const { facts.layer.add_plain(plain.name); }

  void operator()(const LayerName& layer) const {
    facts.layer.add_layer(layer.name);
    facts.module_call = nullptr;
    rerun_forward(facts.backward);  // as a module called inside a node does
  }

  void operator()(const SourceLine& line) const { facts.source_line = line.place; }

  void operator()(const OpAttributes& attributes) const {
    const OpDesc& about = *attributes.about;
    if (!about.op.empty()) facts.attributes = attributes.about;
    if (about.direction != Direction::kNone && !facts.op.is_framework) {
      facts.set_direction(about.direction, Provenance::kExact);
    }
  }

  void operator()(const ModuleCall& made) const { facts.module_call = made.call; }

  void operator()(const CompiledCode&) const { facts.is_compiled = true; }

  void operator()(const StatedOp& stated) const {
    facts.op = {};
    facts.compiled = {};
    facts.op.reported = facts.op.inner = facts.op.subject = facts.op.owner = stated.op;
    // An op whose inner ops are parts of it has their costs, so it counts as known.
    facts.op.is_known = stated.is_whole || ops.model_of(*stated.op) != nullptr;
    facts.op.is_framework = facts.op.is_builtin = stated.is_whole;
    if (stated.op->direction != Direction::kNone) {
      facts.set_direction(stated.op->direction, Provenance::kExact);
    }
  }

  void operator()(const FrameworkOp& op) const { enter_framework_op(facts, op, ops); }
  void operator()(const LibraryCall& call) const { enter_library_call(facts, call, ops); }
  void operator()(const BackwardNode& node) const { facts = in_node(facts, node, false, ops); }
  void operator()(const NodeEvaluation& around) const { (*this)(around.node); }

  void operator()(const CompiledGraph& graph) const {
    facts.compiled = {std::make_shared<const CompiledGraph>(graph), facts.op.reported, nullptr};
    // An optimizer's own graph knows no direction.
    if (facts.optimizer.around != nullptr || graph.direction == Direction::kNone) return;
    facts.set_direction(graph.direction, Provenance::kExact);
  }

  void operator()(const TracedProgram& program) const { enter_traced_program(facts, program); }
  void operator()(const TracedOp& op) const { enter_traced_op(facts, op, ops); }

  void operator()(const OptimizerClosure& closure) const {
    // Without ops, the step's layer alone shows that this is in an optimizer.
    if (facts.optimizer.left_path.empty()) facts.layer.drop(closure.optimizer);
    facts.optimizer = {};
  }
};

/// A name for what is in an optimizer and not its own.
bool names_others(const Facts& around, const Meaning& meaning) {
  return around.optimizer.around != nullptr && (std::holds_alternative<PlainName>(meaning) ||
                                                std::holds_alternative<SourceLine>(meaning));
}

}  // namespace

Facts enter(const Facts& around, const Meaning& meaning, const ops::OpCatalog& ops) {
  Facts facts = around;
  if (names_others(around, meaning)) {
    name_in_optimizer(facts, meaning);
    return facts;
  }
  std::visit(Enter{facts, ops}, meaning);
  return facts;
}

Facts enter_site(const Facts& around, const std::shared_ptr<const CompiledSite>& site) {
  Facts facts = around;
  facts.compiled.site = site;
  facts.layer.add_part(site->layer);
  if (!site->source_line.empty()) facts.source_line = site->source_line;
  const bool is_in_optimizer = facts.optimizer.around != nullptr;
  const OpRef optimizer = is_in_optimizer ? facts.op.reported : site->optimizer;
  if (site->computed != nullptr) {
    facts.backward = {};
    facts.op = {};
    facts.op.reported = facts.op.inner = facts.op.subject = facts.op.owner = site->computed;
    facts.op.is_framework = true;
  }
  if (site->op != nullptr) facts.op.reported = site->op;
  if (optimizer != nullptr) {
    facts.op.reported = optimizer;
    facts.set_direction(Direction::kUpdate, Provenance::kExact);
  }
  facts.op.is_known = facts.op.is_known || site->is_known || optimizer != nullptr;
  facts.is_recomputed = site->is_recomputed && facts.direction == Direction::kBprop;
  return facts;
}

Facts enter_linked(const Facts& forward, const BackwardNode& node, const ops::OpCatalog& ops) {
  return in_node(forward, node, true, ops);
}

Facts enter_rerun(const Facts& node) {
  Facts facts = node;
  rerun_forward(facts.backward);
  return facts;
}

bool changes_facts(const Facts& around, const Meaning& meaning) {
  if (names_others(around, meaning)) return changes_facts(*around.optimizer.around, meaning);
  if (std::holds_alternative<PlainName>(meaning)) {
    return around.layer.path.empty() && !around.op.is_framework;
  }
  // Inside a framework's op, this is not the line that calls the op.
  if (std::holds_alternative<SourceLine>(meaning)) return !around.op.is_framework;
  if (std::holds_alternative<CompiledCode>(meaning)) return !around.is_compiled;
  // Facts that ops state take precedence over those of a module's call.
  if (std::holds_alternative<ModuleCall>(meaning)) return around.op.reported == nullptr;
  return !std::holds_alternative<NoMeaning>(meaning) &&
         !std::holds_alternative<StepNumber>(meaning) &&
         !std::holds_alternative<EngineIteration>(meaning) &&
         !std::holds_alternative<ModelCall>(meaning) &&
         !std::holds_alternative<Unmarked>(meaning) &&
         !std::holds_alternative<BatchBegin>(meaning) &&
         !std::holds_alternative<BatchLaunch>(meaning);
}

}  // namespace prof
