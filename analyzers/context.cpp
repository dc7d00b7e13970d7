// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/context.hpp"

#include <algorithm>
#include <utility>

namespace prof {
namespace {

using Kind = dialects::RangeMeaning::Kind;

/// A range is asked for while it is open and seldom after; a table that fits a cache is faster.
constexpr std::size_t kStacks = 2048;
constexpr std::size_t kMaxForwardNumbers = 1U << 18;
constexpr std::size_t kCountedNodes = 1U << 12;

/// Longer paths come from damaged files.
constexpr std::size_t kMaxPathBytes = 4096;
/// A stack so much deeper than another is kept for long: what is on top of it is then found out
/// without going all the way down again.
constexpr std::uint32_t kLandmarkDistance = 64;
constexpr std::size_t kMaxLandmarks = 1U << 14;
/// An alias is of an opening, not of another alias; only damage makes chains.
constexpr int kMaxAliases = 4;
/// A forward op that was itself launched by a backward node, and so on.
constexpr int kMaxForwardDepth = 16;
/// Nodes in a row that no kernel has asked for, such as those of views.
constexpr int kMaxGraphDepth = 64;
constexpr int kMaxOpDepth = 64;

void append_path(std::string& path, std::string_view name) {
  constexpr std::string_view kCut = "...";
  if (path.ends_with(kCut) && path.size() >= kMaxPathBytes) return;
  if (!path.empty()) path += ':';
  path += name;
  if (path.size() > kMaxPathBytes) {
    path.resize(kMaxPathBytes);
    path += kCut;
  }
}

/// "bert.encoder" continues "bert": the qualified name of a part of it.
bool continues(std::string_view name, std::string_view around) {
  return !around.empty() && name.size() > around.size() + 1 && name.starts_with(around) &&
         name[around.size()] == '.';
}

/// `name_at` is where the innermost name begins in `path`.
void append_layer(std::string& path, std::size_t& name_at, std::string_view name) {
  if (!path.empty() && continues(name, std::string_view(path).substr(name_at))) {
    // The name takes the place of the one that it continues.
    path.resize(name_at == 0 ? 0 : name_at - 1);
  }
  name_at = path.empty() ? 0 : path.size() + 1;
  append_path(path, name);
  name_at = std::min(name_at, path.size());
}

/// An op instance that owns its cost.
void begin_op(const RangeRow& opening, RangeId parent, StackMeaning& to) {
  to.op_id = opening.id;
  to.nested = false;
  to.owner_id = opening.id;
  to.around_owner = parent;  // of the stack as it is now, not as it was at the opening
  to.owner_end_ns = opening.end_ns.value_or(INT64_MAX);
}

}  // namespace

void SequenceNumbers::add(std::uint64_t number) {
  const auto end = numbers.begin() + count;
  if (count == kMax || std::find(numbers.begin(), end, number) != end) return;
  numbers[count++] = number;
}

ContextCache::ContextCache(TraceReader& reader, std::size_t max_entries,
                           std::vector<std::string> domains)
    : reader_(reader),
      max_entries_(max_entries),
      texts_(reader, max_entries, std::move(domains)),
      batches_(reader, texts_),
      forwards_(reader, texts_, kMaxForwardNumbers),
      stacks_(kStacks) {
  ops::register_builtin(ops_);
  counted_nodes_.resize(forwards_.active() ? kCountedNodes : 1);
  node_threads_.resize(counted_nodes_.size());
  start_empty();
}

void ContextCache::start_empty() {
  stacks_.clear();
  landmarks_.clear();
  children_.clear();
  contexts_.clear();
  texts_.clear();
  contexts_.emplace_back();
}

bool ContextCache::trim() {
  const std::size_t largest = std::max(children_.size(), contexts_.size());
  if (largest <= max_entries_ && !texts_.is_large()) return false;
  start_empty();
  return true;
}

StackMeaning ContextCache::meaning(RangeId stack) {
  if (stack == 0) return nothing();
  if (const StackMeaning* found = known(stack)) return *found;

  // Down to a range whose parent is known, then up again. Others may be on their way above.
  const std::size_t first = pending_.size();
  StackMeaning result = nothing();
  const RangeRow* row = nullptr;
  for (RangeId at = stack; at != 0;) {
    row = reader_.range(at);
    // A parent is older than its child: what says otherwise is damaged and could lead in circles.
    if (row == nullptr || row->parent >= at) {
      result.broken = true;
      break;
    }
    pending_.push_back(at);
    at = row->parent;
    if (at == 0) break;
    if (const StackMeaning* below = known(at)) {
      result = *below;
      break;
    }
  }
  while (pending_.size() > first) {
    const RangeId at = pending_.back();
    pending_.pop_back();
    if (row == nullptr || row->id != at) row = reader_.range(at);
    if (row != nullptr) {
      result = enter(*row, result);
      remember(at, result);
    }
    row = nullptr;
  }
  return result;
}

const StackMeaning* ContextCache::known(RangeId at) {
  if (const StackMeaning* found = stacks_.find(at)) return found;
  return landmarks_.find(at);
}

void ContextCache::remember(RangeId at, const StackMeaning& meaning) {
  stacks_.put(at, meaning);
  if (meaning.depth == 0 || meaning.depth % kLandmarkDistance != 0) return;
  if (landmarks_.size() >= kMaxLandmarks) landmarks_.clear();
  if (landmarks_.find(at) == nullptr) landmarks_.insert(at, meaning);
}

StackMeaning ContextCache::enter(const RangeRow& range, const StackMeaning& below) {
  StackMeaning result = below.depth < StackMeaning::kMaxDepth ? resolve(range, below) : below;
  result.broken |= below.broken;
  result.depth = below.depth + 1;
  return result;
}

StackMeaning ContextCache::resolve(const RangeRow& range, const StackMeaning& below) {
  const RangeId parent = range.parent;
  RangeId opening = range.id;
  const RangeRow* row = &range;
  for (int aliases = 0; row != nullptr && row->alias_of != 0 && row->alias_of < opening;) {
    opening = row->alias_of;
    row = ++aliases <= kMaxAliases ? reader_.range(opening) : nullptr;
  }
  if (row == nullptr) {
    StackMeaning result = below;
    result.broken = true;
    return result;
  }
  if (row->kind == RangeRecord::Kind::kStartEnd) return below;

  const ParsedText& parsed = texts_.parse(*row);
  StackMeaning result = below;
  switch (parsed.meaning.kind) {
    case Kind::kNothing:
      break;
    case Kind::kStep:
      result.step = parsed.meaning.step;
      result.in_step = true;
      break;
    case Kind::kPlain:
      // It would change nothing.
      if (!below.context->facts_.layer_path.empty() || below.context->facts_.nested) break;
      [[fallthrough]];
    case Kind::kLayer:
      result.context = child(below.context, parsed);
      if (result.op_id == 0 || below.context->facts_.nested) result.attributed = result.context;
      break;
    case Kind::kTrace:
      if (below.context->facts_.nested) break;  // inside an op: not where that is called
      result.context = child(below.context, parsed);
      if (result.op_id == 0) result.attributed = result.context;
      break;
    case Kind::kAttrs:
      result.context = child(below.context, parsed);
      break;
    case Kind::kBatch:
      break;
    case Kind::kLaunch: {
      const RangeRow opened = *row;  // others are read on the way
      const ParsedText* launched = batches_.launched_by(opened);
      if (launched != nullptr) return enter_library_op(opened, *launched, parent, below);
      break;
    }
    case Kind::kOp:
      if (parsed.meaning.library) return enter_library_op(*row, parsed, parent, below);
      return parsed.meaning.nested ? enter_nested_op(*row, parent, below)
                                   : enter_native_op(*row, parent, below);
    case Kind::kNode:
      return below.node == opening ? below : enter_node(opening, opening, below);
    case Kind::kEvaluate:
      return enter_node(forwards_.active() ? forwards_.node_in(opening) : 0, opening, below);
  }
  return result;
}

StackMeaning ContextCache::enter_native_op(const RangeRow& opening, RangeId parent,
                                           const StackMeaning& below) {
  StackMeaning result = below;
  result.context = child(below.context, texts_.parse(opening));
  result.attributed = result.context;
  begin_op(opening, parent, result);
  return result;
}

/// Within an op that is known, a library works for that.
StackMeaning ContextCache::enter_library_op(const RangeRow& opening, const ParsedText& parsed,
                                            RangeId parent, const StackMeaning& below) {
  StackMeaning result = below;
  result.context = child(below.context, parsed);
  result.attributed = result.context;
  if (result.context->facts_.op == below.context->facts_.op) return result;
  begin_op(opening, parent, result);
  return result;
}

StackMeaning ContextCache::enter_nested_op(const RangeRow& opening, RangeId parent,
                                           const StackMeaning& below) {
  const ParsedText& parsed = texts_.parse(opening);
  StackMeaning result = below;
  result.context = child(below.context, parsed);
  result.attributed = result.context;
  const Context::Facts& before = below.context->facts_;
  const Context::Facts& after = result.context->facts_;
  if (after.op != before.op || below.op_id == 0) result.op_id = opening.id;
  result.nested = true;
  if (before.recomputes) result.seq = {};
  if (after.owner != before.owner || below.owner_id == 0) {
    result.owner_id = opening.id;
    result.around_owner = parent;
    result.owner_end_ns = opening.end_ns.value_or(INT64_MAX);
  }
  add_number(opening, parsed.meaning, result);
  return result;
}

void ContextCache::add_number(const RangeRow& range, const dialects::RangeMeaning& text,
                              StackMeaning& to) {
  if (text.seq < 0) return;
  if (const auto seq = texts_.number(range, text.seq)) to.seq.add(*seq);
}

/// `opening` is the node itself or the engine's range around it.
StackMeaning ContextCache::enter_node(RangeId node, RangeId opening, const StackMeaning& below) {
  StackMeaning result = below;
  const RangeRow* found = reader_.range(node != 0 ? node : opening);
  if (found == nullptr) return result;
  const RangeRow row = *found;  // others are read on the way; its texts are not asked for then
  const ParsedText& parsed = texts_.parse(row);
  const auto seq = texts_.number(row, parsed.meaning.seq);
  std::optional<StackMeaning> forward;
  if (node != 0) forward = forward_of(row, parsed.meaning);
  if (forward) {
    result.context = child(forward->context, parsed, Base::kForward);
    if (!below.in_step) {
      result.step = forward->step;
      result.in_step = forward->in_step;
    }
  } else {
    result.context = child(below.context, parsed);
  }
  result.attributed = result.context;
  result.op_id = opening;
  result.owner_id = opening;
  if (const RangeRow* outer = reader_.range(opening)) {
    result.around_owner = outer->parent;
    result.owner_end_ns = outer->end_ns.value_or(INT64_MAX);
  }
  result.nested = true;
  result.node = node;
  result.seq = {};
  if (seq) result.seq.add(*seq);
  return result;
}

std::optional<StackMeaning> ContextCache::forward_of(const RangeRow& node,
                                                     const dialects::RangeMeaning& text) {
  ForwardIndex::Found found;
  if (forwards_.active() && depth_ < kMaxForwardDepth) {
    if (const auto seq = texts_.number(node, text.seq)) {
      found = forward_range(node, text, *seq);
    } else if (const auto input = texts_.number(node, text.inputs)) {
      // An AccumulateGrad has no number: it belongs to what made the gradient.
      found.range = forwards_.with_op_id(*input);
      found.is_kin = true;
    }
  }
  if (found.range == node.id) found = {};
  RangeId& counted = counted_nodes_[node.id % counted_nodes_.size()];
  if (counted != node.id) {
    counted = node.id;
    if (found.range == 0) {
      ++links_.missed;
    } else {
      ++(found.is_kin ? links_.linked : links_.other_name);
      if (found.ambiguous) ++links_.ambiguous;
    }
  }
  if (found.range == 0) return std::nullopt;
  ++depth_;
  const StackMeaning forward = meaning(found.range);
  --depth_;
  return forward;
}

ForwardIndex::Found ContextCache::forward_range(const RangeRow& node,
                                                const dialects::RangeMeaning& text,
                                                std::uint64_t seq) {
  seq -= static_cast<std::uint64_t>(text.seq_ahead);
  ForwardIndex::Found found = forwards_.forward(seq, text.kinship, node.start_ns);
  if (found.ambiguous && graph_depth_ < kMaxGraphDepth) {
    ++graph_depth_;
    if (const auto thread = graph_thread(node, text)) {
      found = forwards_.forward(seq, text.kinship, node.start_ns, thread);
    }
    --graph_depth_;
  }
  if (found.range == 0) return found;
  if (text.seq_ahead > 0) found.is_kin = true;  // its name tells of no op
  node_threads_[node.id % node_threads_.size()] = {node.id, found.thread};
  return found;
}

std::optional<std::uint32_t> ContextCache::graph_thread(const RangeRow& node,
                                                        const dialects::RangeMeaning& text) {
  // Asked for first: the node's numbers may be gone once other ranges have been read.
  const auto input = texts_.number(node, text.inputs);
  // Inside another node: of a graph that was made there, by ops that ran again.
  RangeId around = node.parent;
  for (int up = 0; around != 0 && up < kMaxOpDepth; ++up) {
    const RangeRow* row = reader_.range(around);
    if (row == nullptr) break;
    around = row->parent;
    if (texts_.parse(*row).meaning.kind == Kind::kNode) return node.thread.value;
  }
  if (!input) return std::nullopt;
  RangeId at = forwards_.with_op_id(*input);
  std::optional<std::uint32_t> thread;
  for (int up = 0; at != 0 && up < kMaxOpDepth; ++up) {
    const RangeRow* found = reader_.range(at);
    if (found == nullptr) return std::nullopt;
    const RangeRow row = *found;
    const Kind kind = texts_.parse(row).meaning.kind;
    if (kind == Kind::kEvaluate) {
      at = forwards_.node_in(row.id);
      if (at == 0) return std::nullopt;
      continue;
    }
    if (kind == Kind::kNode) {
      const NodeThread& known = node_threads_[row.id % node_threads_.size()];
      if (known.node == row.id) return known.thread;
      const dialects::RangeMeaning meaning = texts_.parse(row).meaning;
      const auto seq = texts_.number(row, meaning.seq);
      if (!seq) return std::nullopt;
      const ForwardIndex::Found forward = forward_range(row, meaning, *seq);
      return forward.range == 0 || forward.ambiguous ? std::nullopt : std::optional(forward.thread);
    }
    thread = row.thread.value;
    at = row.parent;
  }
  return thread;  // no node made it: the thread that calls backward()
}

Context* ContextCache::child(Context* around, const ParsedText& parsed, Base base) {
  constexpr std::uint64_t kForwardBit = std::uint64_t{1} << 63;
  const std::uint64_t key =
      (std::uint64_t{around->id_} << 32) | parsed.id | (base == Base::kForward ? kForwardBit : 0);
  if (Context* const* known = children_.find(key)) return *known;
  Context& made = contexts_.emplace_back();
  made.id_ = static_cast<std::uint32_t>(contexts_.size() - 1);
  made.facts_ = around->facts_;
  Context::Facts& facts = made.facts_;
  const dialects::RangeMeaning& meaning = parsed.meaning;
  switch (meaning.kind) {
    case Kind::kLayer:
      append_layer(facts.layer_path, facts.layer_name_at, meaning.name);
      // A module that is called inside a backward node runs its forward ops again.
      facts.recomputes = facts.recomputes || facts.backward;
      break;
    case Kind::kPlain:
      append_path(facts.plain_path, meaning.name);
      break;
    case Kind::kTrace:
      facts.trace = meaning.name;
      break;
    case Kind::kAttrs:
      if (!meaning.op->op.empty()) facts.attrs = meaning.op;
      if (meaning.op->direction != Direction::kNone && !facts.nested) {
        facts.direction = meaning.op->direction;
        facts.direction_from = Provenance::kExact;
      }
      break;
    case Kind::kOp:
      if (meaning.library) {
        call_library(facts, meaning);
        break;
      }
      if (meaning.nested) {
        nest(facts, meaning);
        break;
      }
      facts.library = nullptr;
      facts.op = facts.inner = facts.owner = meaning.op;
      facts.nested = false;
      facts.op_known = ops_.find(meaning.op->op) != nullptr;
      if (meaning.op->direction != Direction::kNone) {
        facts.direction = meaning.op->direction;
        facts.direction_from = Provenance::kExact;
      }
      break;
    case Kind::kNode:
    case Kind::kEvaluate:
      facts = backward(facts, meaning, base);
      break;
    case Kind::kNothing:
    case Kind::kStep:
    case Kind::kBatch:
    case Kind::kLaunch:
      break;
  }
  children_.insert(key, &made);
  return &made;
}

const std::shared_ptr<const OpAttribution>& ContextCache::attribution(Context& context,
                                                                      DType kernel_dtype) {
  auto& slot = context.attributions_[static_cast<std::size_t>(kernel_dtype)];
  if (!slot) slot = make(context.facts_, kernel_dtype);
  return slot;
}

}  // namespace prof
