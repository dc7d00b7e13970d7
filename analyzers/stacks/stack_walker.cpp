// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/stacks/stack_walker.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "analyzers/facts/optimizer_rules.hpp"
#include "analyzers/facts/rules.hpp"

namespace prof {
namespace {

/// A range is looked up while it is open and seldom afterwards; a table that fits the cache is
/// faster.
constexpr std::size_t kStacks = 2048;
/// A stack this much deeper than the last landmark is kept longer, so that stacks on top of it need
/// not be walked to the root again.
constexpr std::uint32_t kLandmarkDistance = 64;
constexpr std::size_t kMaxLandmarks = 1U << 14;
/// An alias refers to an opening, not to another alias; chains only occur in damaged files.
constexpr int kMaxAliases = 4;
/// Depth of forward ops that were themselves launched by a backward node, and so on.
constexpr int kMaxForwardDepth = 16;

}  // namespace

StackWalker::StackWalker(TraceReader& reader, std::size_t max_entries, const RangeOptions& options)
    : reader_(reader),
      max_entries_(max_entries),
      options_(options),
      texts_(reader, max_entries, options.domains),
      steps_(reader, texts_.dialects(), options),
      batches_(reader, texts_),
      autograd_(reader, texts_),
      reruns_(reader, texts_),
      optimizer_ops_(reader, texts_),
      stacks_(kStacks) {}

bool StackWalker::trim() {
  if (contexts_.size() <= max_entries_ && !texts_.is_large()) return false;
  stacks_.clear();
  landmarks_.clear();
  contexts_.clear();
  texts_.clear();
  last_ = {};
  return true;
}

const StackMeaning& StackWalker::at_launch(const GpuRow& row) {
  const RangeId stack = row.launched ? row.stack : 0;
  if (row.launched) advance(row.launch_start_ns);
  if (stack != last_stack_ || last_.context == nullptr) {
    const StackMeaning& found = meaning(stack, last_);
    if (&found != &last_) last_ = found;
    last_stack_ = stack;
  }
  return last_;
}

const StackMeaning& StackWalker::meaning(RangeId stack, StackMeaning& made) {
  const StackMeaning& found = walk(stack, made);
  const PlainRole role = plain_role(found);
  if (role == PlainRole::kLayer) return found;
  if (&found != &made) made = found;
  enter_plain_op(role, made);
  return made;
}

StackMeaning StackWalker::explain(RangeId stack, StackObserver& observer) {
  observer_ = &observer;
  StackMeaning made = meaning(stack);
  observer_ = nullptr;
  return made;
}

const StackMeaning& StackWalker::walk(RangeId stack, StackMeaning& made) {
  if (stack == 0) return made = nothing();
  if (const StackMeaning* found = known(stack)) return *found;

  // Walk down to a range whose parent is known, then up again. Outer calls may have entries above.
  const std::size_t first = pending_.size();
  for (RangeId at = stack;;) {
    const RangeRef row = reader_.range(at);
    // A parent is older than its child: anything else is damage and could be circular.
    if (!row || row->parent >= at) {
      made = nothing();
      made.broken = true;
      break;
    }
    const StackMeaning* below = row->parent != 0 ? known(row->parent) : nullptr;
    if (below != nullptr || row->parent == 0) {
      made = below != nullptr ? *below : nothing();
      enter(*row, made);
      remember(at, made);
      break;
    }
    pending_.push_back(at);
    at = row->parent;
  }
  while (pending_.size() > first) {
    const RangeId at = pending_.back();
    pending_.pop_back();
    const RangeRef row = reader_.range(at);
    if (!row) continue;
    enter(*row, made);
    remember(at, made);
  }
  return made;
}

PlainRole StackWalker::plain_role(const StackMeaning& stack) {
  const Facts& facts = stack.attributed->facts;
  if (stack.plain.id == 0 || !may_have_plain_op(facts)) return PlainRole::kLayer;
  if (!plain_paths_) plain_paths_.emplace(reader_, texts_.dialects(), options_, steps_);
  return plain_paths_->role_of(facts.layer.plain_path);
}

void StackWalker::enter_plain_op(PlainRole role, StackMeaning& on) {
  const Facts& before = on.attributed->facts;
  const bool has_call = before.op.reported != nullptr;
  on.attributed = contexts_.enter_plain_op(on.attributed, role);
  if (is_observed()) observer_->added(Effect::kPlainOp, before, on.attributed->facts);
  if (has_call) return;
  on.op_id = on.call_id = on.plain.id;
  on.own(on.plain.id, on.plain.around, on.plain.end_ns);
}

Context& StackWalker::in_plain_kernel(const StackMeaning& stack, Context& around,
                                      std::string_view kernel, StringId name) {
  const Facts& facts = around.facts;
  if (stack.plain.id == 0 || !plain_paths_ || facts.op.reported != nullptr ||
      !facts.plain_op.empty() || !may_have_plain_op(facts) || !plain_paths_->name_ops()) {
    return around;
  }
  return *contexts_.enter_plain_kernel(&around, kernel, name);
}

const ProcessLayers& StackWalker::process_layers() {
  if (!process_layers_) process_layers_.emplace(reader_, texts_.dialects(), options_);
  return *process_layers_;
}

Context& StackWalker::attributed(const StackMeaning& stack, std::optional<std::int64_t> time_ns) {
  Context& own = *stack.attributed;
  if (!options_.process_ranges || !time_ns || !own.facts.layer.is_empty()) return own;
  const std::uint32_t layer = process_layers().at(*time_ns);
  if (layer == 0) return own;
  return *contexts_.enter_layer(&own, layer, process_layers().path(layer));
}

const StackMeaning* StackWalker::known(RangeId at) {
  if (is_observed()) return nullptr;
  if (const StackMeaning* found = stacks_.find(at)) return found;
  return landmarks_.size() == 0 ? nullptr : landmarks_.find(at);
}

void StackWalker::remember(RangeId at, const StackMeaning& meaning) {
  stacks_.put(at, meaning);
  if (meaning.depth == 0 || meaning.depth % kLandmarkDistance != 0) return;
  if (landmarks_.size() >= kMaxLandmarks) landmarks_.clear();
  if (landmarks_.find(at) == nullptr) landmarks_.insert(at, meaning);
}

void StackWalker::enter(const RangeRow& range, StackMeaning& on) {
  if (is_observed()) observer_->entered(range, on);
  if (on.depth < StackMeaning::kMaxDepth) resolve(range, on);
  ++on.depth;
  if (is_observed()) observer_->left(on);
}

void StackWalker::resolve(const RangeRow& range, StackMeaning& on) {
  const RangeRow* row = &range;
  RangeRef original;
  for (int aliases = 0; row->alias_of != 0 && row->alias_of < row->id; ++aliases) {
    original = aliases < kMaxAliases ? reader_.range(row->alias_of) : RangeRef{};
    if (!original) {
      on.broken = true;
      return;
    }
    row = &*original;
  }
  if (row->kind == RangeRecord::Kind::kStartEnd) return;
  const ParsedText& text = texts_.parse(*row);
  if (is_observed()) observer_->read(*row, text);
  const Opening opening{*row, range.parent, text, on};
  if (leaves_optimizer(opening)) leave_optimizer(on);
  std::visit([&](const auto& what) { enter(opening, what); }, text.meaning.what);
  if (const auto step = steps_.index_of(row->id)) on.step = steps_.step(*step);
}

bool StackWalker::leaves_optimizer(const Opening& opening) {
  const Facts& facts = opening.on.context->facts;
  if (facts.optimizer.around == nullptr) return false;
  if (prof::leaves_optimizer(facts, opening.text.meaning.what)) return true;
  const auto* op = opening.text.meaning.as<FrameworkOp>();
  return op != nullptr && optimizer_ops_.is_of_closure(opening.on.optimizer, *op);
}

void StackWalker::leave_optimizer(StackMeaning& on) {
  if (is_observed()) observer_->followed(Effect::kLeavesOptimizer, 0);
  on.context = on.attributed = contexts_.leave_optimizer(on.context);
  on.op_id = on.call_id = 0;
  on.own(0, 0, std::nullopt);
  on.optimizer = 0;
  on.nested = false;
  on.seq = {};
}

void StackWalker::enter(const Opening& opening, const NoMeaning&) {
  StackMeaning& on = opening.on;
  if (on.unread == kDefaultDomain) on.unread = opening.row.domain;
}

void StackWalker::enter(const Opening& opening, const PlainName&) {
  if (steps_.is_around_step(opening.row)) return;
  StackMeaning& on = opening.on;
  const Context* const around = on.context;
  enter_name(opening);
  if (on.context != around) {
    on.plain = {opening.row.id, opening.parent, opening.row.end_ns.value_or(INT64_MAX)};
  }
}

void StackWalker::enter(const Opening& opening, const LayerName&) { enter_name(opening); }

/// Names inside a stated op are not its layer; those around it are.
void StackWalker::enter_name(const Opening& opening) {
  StackMeaning& on = opening.on;
  const bool is_framework = on.context->facts.op.is_framework;
  descend(opening);
  if (on.op_id == 0 || is_framework) on.attributed = on.context;
}

void StackWalker::enter(const Opening& opening, const SourceLine&) { enter_around_ops(opening); }

void StackWalker::enter(const Opening& opening, const ModuleCall&) { enter_around_ops(opening); }

void StackWalker::enter(const Opening& opening, const CompiledCode&) { enter_around_ops(opening); }

/// Says something of the work of an op only from around the op.
void StackWalker::enter_around_ops(const Opening& opening) {
  descend(opening);
  if (opening.on.op_id == 0) opening.on.attributed = opening.on.context;
}

void StackWalker::enter(const Opening& opening, const OpAttributes&) { descend(opening); }

void StackWalker::enter(const Opening& opening, const StatedOp&) { enter_own_op(opening); }

void StackWalker::enter_own_op(const Opening& opening) {
  descend(opening);
  opening.on.attributed = opening.on.context;
  begin_op(opening);
}

void StackWalker::enter(const Opening& opening, const LibraryCall&) {
  enter_library_call(opening, opening.text);
}

/// Inside a known op, a library works for that op.
void StackWalker::enter_library_call(const Opening& opening, const ParsedText& call) {
  StackMeaning& on = opening.on;
  const OpRef& before = on.context->facts.op.reported;
  on.context = on.attributed = contexts_.enter(on.context, call);
  if (on.context->facts.op.reported != before) begin_op(opening);
}

void StackWalker::enter(const Opening& opening, const FrameworkOp& op) {
  StackMeaning& on = opening.on;
  if (op.join_calls != nullptr) {
    const ParsedText* const launched = batches_.launched_by(opening.row);
    if (is_observed() && launched != nullptr) observer_->followed(Effect::kGroup, opening.row.id);
    if (launched != nullptr) return enter_library_call(opening, *launched);
  }
  if (op.is_recorded && is_rerun(opening)) {
    on.context = contexts_.enter_rerun(on.context);
    if (is_observed()) observer_->followed(Effect::kRerun, 0);
  }
  enter_op(opening);
  on.optimizer = op.optimizer.empty() ? 0 : opening.row.id;
}

bool StackWalker::is_rerun(const Opening& opening) {
  const Facts& around = opening.on.context->facts;
  const bool is_own = around.backward.has_own_ops || around.op.inner != nullptr;
  return around.backward.is_inside && !is_own && reruns_.reruns_forward(opening.on.node);
}

void StackWalker::enter_op(const Opening& opening) {
  StackMeaning& on = opening.on;
  const Facts& before = on.context->facts;
  descend(opening);
  on.attributed = on.context;
  const Facts& after = on.context->facts;
  const RangeRow& row = opening.row;
  const std::uint64_t owner_before = on.owner_id;
  const std::uint64_t subject_before = on.subject_id != 0 ? on.subject_id : owner_before;
  if (after.op.reported != before.op.reported || on.op_id == 0) on.op_id = on.call_id = row.id;
  if (after.op.owner != before.op.owner || on.owner_id == 0) {
    on.own(row.id, opening.parent, row.end_ns);
    if (after.op.subject != after.op.owner) {
      on.subject_id = subject_before;
      if (owner_before != subject_before) on.caller_id = owner_before;
    }
  }
  on.nested = true;
  if (before.backward.has_own_ops) on.seq = {};
  std::uint64_t seq = 0;
  if (texts_.find_sequence(row, opening.text.meaning.ties, seq)) on.seq.add(seq);
}

void StackWalker::enter(const Opening& opening, const BackwardNode& node) {
  if (opening.on.node == opening.row.id) return;  // entered with its evaluation
  enter_node(opening, opening.row, opening.text, node);
}

void StackWalker::enter(const Opening& opening, const NodeEvaluation&) {
  const RangeId id = autograd_.node_in(opening.row.id);
  const RangeRef node = id != 0 ? reader_.range(id) : RangeRef{};
  if (is_observed()) observer_->followed(Effect::kNodeInside, id);
  if (node) {
    const ParsedText& text = texts_.parse(*node);
    if (const auto* named = text.meaning.as<BackwardNode>()) {
      return enter_node(opening, *node, text, *named);
    }
  }
  // The node itself is unknown, and so is its forward op.
  descend(opening);
  begin_node(opening, 0);
}

void StackWalker::enter_node(const Opening& opening, const RangeRow& row, const ParsedText& text,
                             const BackwardNode& node) {
  StackMeaning& on = opening.on;
  const auto seq = texts_.sequence(row, text.meaning.ties);
  const Forward forward = forward_of(row, text.meaning.ties);
  if (forward.context != nullptr) {
    on.context = contexts_.enter_linked(forward.context, text, node);
    if (!on.step) on.step = forward.step;
  } else {
    on.context = contexts_.enter(on.context, text);
  }
  begin_node(opening, row.id);
  // A node that accumulates a gradient is linked, but is an op of its own.
  const OpRef& reported = on.context->facts.op.reported;
  if (forward.context != nullptr && forward.call_id != 0 &&
      reported == forward.context->facts.op.reported) {
    on.call_id = forward.call_id;
  }
  if (seq) on.seq.add(*seq);
}

StackWalker::Forward StackWalker::forward_of(const RangeRow& node,
                                             const dialects::GraphTies& ties) {
  if (depth_ >= kMaxForwardDepth) {
    autograd_.give_up(node);
    return {};
  }
  const ForwardIndex::Found found = autograd_.forward_of(node, ties);
  if (is_observed()) observer_->linked(found, texts_.sequence(node, ties));
  if (found.range == 0) return {};
  ++depth_;
  StackMeaning made;
  const StackMeaning& forward = walk(found.range, made);
  --depth_;
  return {forward.context, forward.call_id, forward.step};
}

void StackWalker::enter(const Opening& opening, const OptimizerClosure&) {
  enter_around_ops(opening);
}

void StackWalker::enter(const Opening& opening, const CompiledGraph&) {
  StackMeaning& on = opening.on;
  descend(opening);
  on.attributed = on.context;
  on.graph_call = opening.row.id;
}

void StackWalker::enter(const Opening& opening, const TracedProgram&) { enter_around_ops(opening); }

void StackWalker::enter(const Opening& opening, const TracedOp&) {
  // Inside an op that the program states, it is how that op is computed.
  const OpsOnStack& around = opening.on.context->facts.op;
  const bool is_inside = around.reported != nullptr && !around.is_traced;
  return is_inside ? enter_around_ops(opening) : enter_own_op(opening);
}

void StackWalker::enter(const Opening& opening, const BatchLaunch&) {
  const ParsedText* launched = batches_.launched_by(opening.row);
  if (is_observed()) observer_->followed(Effect::kGroup, launched != nullptr ? opening.row.id : 0);
  if (launched != nullptr) enter_library_call(opening, *launched);
}

void StackWalker::descend(const Opening& opening) {
  StackMeaning& on = opening.on;
  if (changes_facts(on.context->facts, opening.text.meaning.what)) {
    on.context = contexts_.enter(on.context, opening.text);
  }
}

void StackWalker::begin_op(const Opening& opening) {
  StackMeaning& on = opening.on;
  on.op_id = on.call_id = opening.row.id;
  on.nested = false;
  on.own(opening.row.id, opening.parent, opening.row.end_ns);
}

void StackWalker::begin_node(const Opening& opening, RangeId node) {
  StackMeaning& on = opening.on;
  on.attributed = on.context;
  on.op_id = on.call_id = opening.row.id;
  on.own(opening.row.id, opening.parent, opening.row.end_ns);
  on.nested = true;
  on.node = node;
  on.graph_call = 0;
  on.seq = {};
}

}  // namespace prof
