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
    last_ = meaning(stack);
    last_stack_ = stack;
  }
  return last_;
}

StackMeaning StackWalker::walk(RangeId stack) {
  if (stack == 0) return nothing();
  if (const StackMeaning* found = known(stack)) return *found;

  // Walk down to a range whose parent is known, then up again. Outer calls may have entries above.
  const std::size_t first = pending_.size();
  StackMeaning result = nothing();
  for (RangeId at = stack; at != 0;) {
    const RangeRef row = reader_.range(at);
    // A parent is older than its child: anything else is damage and could be circular.
    if (!row || row->parent >= at) {
      result.broken = true;
      break;
    }
    const StackMeaning* below = row->parent != 0 ? known(row->parent) : nullptr;
    if (below != nullptr || row->parent == 0) {
      if (below != nullptr) result = *below;
      result = enter(*row, result);
      remember(at, result);
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
    result = enter(*row, result);
    remember(at, result);
  }
  return result;
}

StackMeaning StackWalker::with_plain_op(StackMeaning stack) {
  const Facts& facts = stack.attributed->facts;
  if (stack.plain.id == 0 || !may_have_plain_op(facts)) return stack;
  if (!plain_paths_) plain_paths_.emplace(reader_, texts_.dialects(), options_);
  const PlainRole role = plain_paths_->role_of(facts.layer.plain_path);
  if (role == PlainRole::kLayer) return stack;
  const bool has_call = facts.op.reported != nullptr;
  stack.attributed = contexts_.enter_plain_op(stack.attributed, role);
  if (has_call) return stack;
  stack.op_id = stack.call_id = stack.plain.id;
  stack.own(stack.plain.id, stack.plain.around, stack.plain.end_ns);
  return stack;
}

Context& StackWalker::in_plain_kernel(const StackMeaning& stack, Context& around,
                                      std::string_view kernel, StringId name) {
  const Facts& facts = around.facts;
  if (stack.plain.id == 0 || !plain_paths_ || !plain_paths_->name_ops() ||
      facts.op.reported != nullptr || !facts.plain_op.empty() || !may_have_plain_op(facts)) {
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
  if (const StackMeaning* found = stacks_.find(at)) return found;
  return landmarks_.find(at);
}

void StackWalker::remember(RangeId at, const StackMeaning& meaning) {
  stacks_.put(at, meaning);
  if (meaning.depth == 0 || meaning.depth % kLandmarkDistance != 0) return;
  if (landmarks_.size() >= kMaxLandmarks) landmarks_.clear();
  if (landmarks_.find(at) == nullptr) landmarks_.insert(at, meaning);
}

StackMeaning StackWalker::enter(const RangeRow& range, const StackMeaning& below) {
  StackMeaning result = below.depth < StackMeaning::kMaxDepth ? resolve(range, below) : below;
  result.broken |= below.broken;
  result.depth = below.depth + 1;
  return result;
}

StackMeaning StackWalker::resolve(const RangeRow& range, const StackMeaning& below) {
  const RangeRow* row = &range;
  RangeRef original;
  for (int aliases = 0; row->alias_of != 0 && row->alias_of < row->id; ++aliases) {
    original = aliases < kMaxAliases ? reader_.range(row->alias_of) : RangeRef{};
    if (!original) {
      StackMeaning result = below;
      result.broken = true;
      return result;
    }
    row = &*original;
  }
  if (row->kind == RangeRecord::Kind::kStartEnd) return below;
  const ParsedText& text = texts_.parse(*row);
  const Opening opening{*row, range.parent, text, below};
  const auto enter_it = [&](const Opening& on) {
    return std::visit([&](const auto& what) { return enter(on, what); }, text.meaning.what);
  };
  StackMeaning result;
  if (leaves_optimizer(opening)) {
    const StackMeaning around = leave_optimizer(below);
    result = enter_it({*row, range.parent, text, around});
  } else {
    result = enter_it(opening);
  }
  if (const auto step = steps_.index_of(row->id)) result.step = steps_.step(*step);
  return result;
}

bool StackWalker::leaves_optimizer(const Opening& opening) {
  const Facts& facts = opening.below.context->facts;
  if (facts.optimizer.around == nullptr) return false;
  if (prof::leaves_optimizer(facts, opening.text.meaning.what)) return true;
  const auto* op = opening.text.meaning.as<FrameworkOp>();
  return op != nullptr && optimizer_ops_.is_of_closure(opening.below.optimizer, *op);
}

StackMeaning StackWalker::leave_optimizer(const StackMeaning& below) {
  StackMeaning result = below;
  result.context = result.attributed = contexts_.leave_optimizer(below.context);
  result.op_id = result.call_id = 0;
  result.own(0, 0, std::nullopt);
  result.optimizer = 0;
  result.nested = false;
  result.seq = {};
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const NoMeaning&) {
  StackMeaning result = opening.below;
  if (result.unread == kDefaultDomain) result.unread = opening.row.domain;
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const Unmarked&) { return opening.below; }

StackMeaning StackWalker::enter(const Opening& opening, const StepNumber&) { return opening.below; }

StackMeaning StackWalker::enter(const Opening& opening, const EngineIteration&) {
  return opening.below;
}

StackMeaning StackWalker::enter(const Opening& opening, const ModelCall&) { return opening.below; }

StackMeaning StackWalker::enter(const Opening& opening, const PlainName&) {
  StackMeaning result = enter_name(opening);
  if (result.context != opening.below.context) {
    result.plain = {opening.row.id, opening.parent, opening.row.end_ns.value_or(INT64_MAX)};
  }
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const LayerName&) {
  return enter_name(opening);
}

/// Names inside a stated op are not its layer; those around it are.
StackMeaning StackWalker::enter_name(const Opening& opening) {
  StackMeaning result = descend(opening);
  const bool is_framework = opening.below.context->facts.op.is_framework;
  if (result.op_id == 0 || is_framework) result.attributed = result.context;
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const SourceLine&) {
  return enter_around_ops(opening);
}

StackMeaning StackWalker::enter(const Opening& opening, const ModuleCall&) {
  return enter_around_ops(opening);
}

StackMeaning StackWalker::enter(const Opening& opening, const CompiledCode&) {
  return enter_around_ops(opening);
}

/// Says something of the work of an op only from around the op.
StackMeaning StackWalker::enter_around_ops(const Opening& opening) {
  StackMeaning result = descend(opening);
  if (result.op_id == 0) result.attributed = result.context;
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const OpAttributes&) {
  return descend(opening);
}

StackMeaning StackWalker::enter(const Opening& opening, const StatedOp&) {
  return enter_own_op(opening);
}

StackMeaning StackWalker::enter_own_op(const Opening& opening) {
  StackMeaning result = descend(opening);
  result.attributed = result.context;
  begin_op(opening, result);
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const LibraryCall&) {
  return enter_library_call(opening, opening.text);
}

/// Inside a known op, a library works for that op.
StackMeaning StackWalker::enter_library_call(const Opening& opening, const ParsedText& call) {
  StackMeaning result = opening.below;
  result.context = result.attributed = contexts_.enter(opening.below.context, call);
  const OpRef& before = opening.below.context->facts.op.reported;
  if (result.context->facts.op.reported != before) begin_op(opening, result);
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const FrameworkOp& op) {
  if (op.join_calls != nullptr) {
    const ParsedText* const launched = batches_.launched_by(opening.row);
    if (launched != nullptr) return enter_library_call(opening, *launched);
  }
  StackMeaning below = opening.below;
  if (op.is_recorded && is_rerun(opening)) below.context = contexts_.enter_rerun(below.context);
  StackMeaning result = enter_op({opening.row, opening.parent, opening.text, below});
  result.optimizer = op.optimizer.empty() ? 0 : opening.row.id;
  return result;
}

bool StackWalker::is_rerun(const Opening& opening) {
  const Facts& around = opening.below.context->facts;
  const bool is_own = around.backward.has_own_ops || around.op.inner != nullptr;
  return around.backward.is_inside && !is_own && reruns_.reruns_forward(opening.below.node);
}

StackMeaning StackWalker::enter_op(const Opening& opening) {
  StackMeaning result = descend(opening);
  result.attributed = result.context;
  const Facts& before = opening.below.context->facts;
  const Facts& after = result.context->facts;
  const RangeRow& row = opening.row;
  const std::uint64_t owner_before = result.owner_id;
  const std::uint64_t subject_before = result.subject_id != 0 ? result.subject_id : owner_before;
  if (after.op.reported != before.op.reported || result.op_id == 0) {
    result.op_id = result.call_id = row.id;
  }
  if (after.op.owner != before.op.owner || result.owner_id == 0) {
    result.own(row.id, opening.parent, row.end_ns);
    if (after.op.subject != after.op.owner) {
      result.subject_id = subject_before;
      if (owner_before != subject_before) result.caller_id = owner_before;
    }
  }
  result.nested = true;
  if (before.backward.has_own_ops) result.seq = {};
  if (const auto seq = texts_.sequence(row, opening.text.meaning.ties)) result.seq.add(*seq);
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const BackwardNode& node) {
  if (opening.below.node == opening.row.id) return opening.below;  // entered with its evaluation
  return enter_node(opening, opening.row, opening.text, node);
}

StackMeaning StackWalker::enter(const Opening& opening, const NodeEvaluation&) {
  const RangeId id = autograd_.node_in(opening.row.id);
  const RangeRef node = id != 0 ? reader_.range(id) : RangeRef{};
  if (node) {
    const ParsedText& text = texts_.parse(*node);
    if (const auto* named = text.meaning.as<BackwardNode>()) {
      return enter_node(opening, *node, text, *named);
    }
  }
  // The node itself is unknown, and so is its forward op.
  StackMeaning result = descend(opening);
  begin_node(opening, 0, result);
  return result;
}

StackMeaning StackWalker::enter_node(const Opening& opening, const RangeRow& row,
                                     const ParsedText& text, const BackwardNode& node) {
  const auto seq = texts_.sequence(row, text.meaning.ties);
  const std::optional<StackMeaning> forward = forward_of(row, text.meaning.ties);
  StackMeaning result = opening.below;
  if (forward) {
    result.context = contexts_.enter_linked(forward->context, text, node);
    if (!result.step) result.step = forward->step;
  } else {
    result.context = contexts_.enter(opening.below.context, text);
  }
  begin_node(opening, row.id, result);
  // A node that accumulates a gradient is linked, but is an op of its own.
  const OpRef& reported = result.context->facts.op.reported;
  if (forward && forward->call_id != 0 && reported == forward->context->facts.op.reported) {
    result.call_id = forward->call_id;
  }
  if (seq) result.seq.add(*seq);
  return result;
}

std::optional<StackMeaning> StackWalker::forward_of(const RangeRow& node,
                                                    const dialects::GraphTies& ties) {
  if (depth_ >= kMaxForwardDepth) {
    autograd_.give_up(node);
    return std::nullopt;
  }
  const RangeId range = autograd_.forward_of(node, ties);
  if (range == 0) return std::nullopt;
  ++depth_;
  const StackMeaning forward = walk(range);
  --depth_;
  return forward;
}

StackMeaning StackWalker::enter(const Opening& opening, const OptimizerClosure&) {
  return enter_around_ops(opening);
}

StackMeaning StackWalker::enter(const Opening& opening, const CompiledGraph&) {
  StackMeaning result = descend(opening);
  result.attributed = result.context;
  result.graph_call = opening.row.id;
  return result;
}

StackMeaning StackWalker::enter(const Opening& opening, const TracedProgram&) {
  return enter_around_ops(opening);
}

StackMeaning StackWalker::enter(const Opening& opening, const TracedOp&) {
  // Inside an op that the program states, it is how that op is computed.
  const OpsOnStack& around = opening.below.context->facts.op;
  const bool is_inside = around.reported != nullptr && !around.is_traced;
  return is_inside ? enter_around_ops(opening) : enter_own_op(opening);
}

StackMeaning StackWalker::enter(const Opening& opening, const BatchBegin&) { return opening.below; }

StackMeaning StackWalker::enter(const Opening& opening, const BatchLaunch&) {
  const ParsedText* launched = batches_.launched_by(opening.row);
  return launched == nullptr ? opening.below : enter_library_call(opening, *launched);
}

StackMeaning StackWalker::descend(const Opening& opening) {
  StackMeaning result = opening.below;
  if (changes_facts(result.context->facts, opening.text.meaning.what)) {
    result.context = contexts_.enter(result.context, opening.text);
  }
  return result;
}

void StackWalker::begin_op(const Opening& opening, StackMeaning& to) {
  to.op_id = to.call_id = opening.row.id;
  to.nested = false;
  to.own(opening.row.id, opening.parent, opening.row.end_ns);
}

void StackWalker::begin_node(const Opening& opening, RangeId node, StackMeaning& to) {
  to.attributed = to.context;
  to.op_id = to.call_id = opening.row.id;
  to.own(opening.row.id, opening.parent, opening.row.end_ns);
  to.nested = true;
  to.node = node;
  to.graph_call = 0;
  to.seq = {};
}

}  // namespace prof
