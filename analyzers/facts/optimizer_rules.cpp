// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/optimizer_rules.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace prof {
namespace {

bool is_of_passes(Direction direction) {
  return direction == Direction::kFprop || direction == Direction::kBprop;
}

struct Leaves {
  bool operator()(const LayerName&) const { return true; }
  bool operator()(const ModuleCall&) const { return true; }
  bool operator()(const BackwardNode&) const { return true; }
  bool operator()(const NodeEvaluation&) const { return true; }
  bool operator()(const OptimizerClosure&) const { return true; }
  bool operator()(const OpAttributes& attributes) const {
    return is_of_passes(attributes.about->direction);
  }
  bool operator()(const CompiledGraph& graph) const { return graph.direction == Direction::kBprop; }
  bool operator()(const StatedOp& stated) const { return is_of_passes(stated.op->direction); }
  bool operator()(const FrameworkOp& op) const {
    return op.is_backward || op.is_of_model || is_of_passes(op.op->direction);
  }

  bool operator()(const NoMeaning&) const { return false; }
  bool operator()(const PlainName&) const { return false; }
  bool operator()(const StepNumber&) const { return false; }
  bool operator()(const EngineIteration&) const { return false; }
  bool operator()(const ModelCall&) const { return false; }
  bool operator()(const Unmarked&) const { return false; }
  bool operator()(const SourceLine&) const { return false; }
  bool operator()(const CompiledCode&) const { return false; }
  bool operator()(const LibraryCall&) const { return false; }
  bool operator()(const TracedProgram&) const { return false; }
  bool operator()(const TracedOp&) const { return false; }
  bool operator()(const BatchBegin&) const { return false; }
  bool operator()(const BatchLaunch&) const { return false; }
};

}  // namespace

void begin_optimizer(Facts& facts, const FrameworkOp& method) {
  LayerFacts& layer = facts.layer;
  Facts around = facts;
  const bool has_layer = around.layer.drop(method.optimizer);
  // An optimizer that calls another one has it in its layer, if it has one.
  const std::string left = std::move(facts.optimizer.left_path);
  const bool is_called_by_one = !left.empty() && has_layer && method.is_step &&
                                around.layer.path.size() == facts.optimizer.path_bytes;
  if (is_called_by_one) {
    layer.path = left + ':' + method.optimizer;
    layer.name_at = left.size() + 1;
  }
  facts.optimizer.left_path.clear();
  if (facts.optimizer.around != nullptr) return;
  around.optimizer = {};
  around.op = {};
  around.backward = {};
  around.is_recomputed = false;
  facts.optimizer.around = std::make_shared<const Facts>(std::move(around));
}

bool leaves_optimizer(const Facts& facts, const Meaning& meaning) {
  return facts.optimizer.around != nullptr && std::visit(Leaves{}, meaning);
}

Facts leave_optimizer(const Facts& inside) {
  Facts facts = *inside.optimizer.around;
  facts.optimizer.is_left = true;
  if (inside.layer.path != facts.layer.path) facts.optimizer.left_path = inside.layer.path;
  facts.optimizer.path_bytes = facts.layer.path.size();
  return facts;
}

void name_in_optimizer(Facts& facts, const Meaning& meaning) {
  auto around = std::make_shared<Facts>(*facts.optimizer.around);
  if (const auto* plain = std::get_if<PlainName>(&meaning)) around->layer.add_plain(plain->name);
  if (const auto* line = std::get_if<SourceLine>(&meaning)) around->source_line = line->place;
  facts.optimizer.around = std::move(around);
}

}  // namespace prof
