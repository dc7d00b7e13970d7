// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/explainer.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/facts/attribute.hpp"
#include "analyzers/ops/formula_text.hpp"
#include "libprof/base/count_text.hpp"

namespace prof {
namespace {

/// An optimizer's step has hundreds of kernels.
constexpr std::size_t kMaxSharing = 16;

std::string step_text(const StackMeaning& stack) {
  return stack.step ? std::to_string(stack.step->number) : std::string();
}

/// Between two stacks, of which one stands on the other.
std::vector<FactChange> changes_of(const StackMeaning& before, const StackMeaning& after) {
  std::vector<FactChange> changed = changes(before.context->facts, after.context->facts);
  std::string was = step_text(before), is = step_text(after);
  if (was != is) changed.insert(changed.begin(), {"step", std::move(was), std::move(is)});
  return changed;
}

std::string why_share(const HeldRow& held, std::uint64_t owner, bool prepares) {
  const Attribution& made = held.attribution;
  if (made.is_whole_graph) return "a graph recorded as a whole: its ops are not known";
  if (made.is_repeat) return "the share of the kernel that it repeats, in a marked step";
  if (owner == 0) return "no op instance is known, so there is no cost to share";
  if (held.late) return "came after the op's cost was shared out";
  if (!made.main && held.role == WorkRole::kHelper) {
    return "a helper by its name: the op's main kernels carry the cost";
  }
  if (!made.main) return "not known to compute what the cost is of: other kernels carry it";
  std::string why = made.share >= 1 ? "carries all of it"
                                    : "main kernels share it by the threads that they launch";
  if (made.op->part != Part::kNone)
    why.append("; the gradient of the ").append(name(made.op->part));
  if (prepares) why += "; the op prepares operands, and has a cost of its own";
  if (made.share >= 1 && made.cost.flops < made.op->cost.flops) {
    why += "; without the FLOPs of ops that it calls";
  }
  return why;
}

}  // namespace

bool Explainer::takes_next(const CompiledCounts& before) {
  if (++taken_ != row_) return false;
  compiled_ = before;
  return true;
}

void Explainer::take(const GpuRow& row, const Meanings& meant, StackWalker& stacks,
                     const ReplayTracker& replays, const CompiledWork& compiled) {
  of_row_ = reader_;
  facts_ = meant.context.facts;
  const StackMeaning& stack = meant.replayed != nullptr ? *meant.replayed : meant.launch;
  const StackMeaning& meaning = meant.site != nullptr ? *meant.site : stack;
  owner_ = meaning.owner_id;
  AttributionCounts& counts = made_.counts;
  counts.broken_stacks = meant.launch.broken ? 1 : 0;
  counts.deep_stacks = meant.launch.depth > StackMeaning::kMaxDepth ? 1 : 0;
  const CompiledCounts& now = compiled.counts();
  counts.compiled = {.without_code = now.without_code - compiled_.without_code,
                     .unmatched = now.unmatched - compiled_.unmatched,
                     .first_graph = now.first_graph,
                     .unplaced = now.unplaced - compiled_.unplaced};
  const StackMeaning again = stacks.explain(row.launched ? row.stack : 0, *this);
  const Facts* said = &again.attributed->facts;
  StackMeaning of_node;
  if (row.graph_node != 0) {
    added(Effect::kGraphNode, meant.launch.attributed->facts, stack.attributed->facts);
    ExplainedRange& node = made_.ranges.back();
    const RuleName made_under{"made under", node.by.rule, node.by.file};
    node.text = "node " + grouped(row.graph_node & 0xFFFF'FFFF) + " of graph " +
                grouped(row.graph_node >> 32);
    if (meant.replayed == nullptr) {
      node.leads.push_back({made_under, 0, "or under no layer and no op"});
      counts.unknown_nodes = 1;
    } else {
      node.leads.push_back({made_under, replays.made_under(), {}});
      open_.push_back({made_.ranges.size() - 1, {}});
      of_node = stacks.explain(replays.made_under(), *this);
      open_.clear();
      said = &of_node.attributed->facts;
    }
  }
  made_.differences = changes(stack.attributed->facts, *said);
  if (meant.site != nullptr) {
    added(Effect::kSite, stack.attributed->facts, meaning.attributed->facts);
  }
  const Facts& before = meaning.attributed->facts;
  if (facts_.layer.is_of_process && !before.layer.is_of_process) {
    added(Effect::kProcessLayer, before, facts_);
  } else if (facts_.op.is_kernel && !before.op.is_kernel) {
    added(Effect::kOwnKernel, before, facts_);
  } else if (facts_.plain_op != before.plain_op) {
    added(Effect::kPlainKernel, before, facts_);
  }
}

std::string Explainer::text_of(const RangeRow& row) const {
  return row.op.signature ? std::string(reader_->string(row.op.signature)) : row.whole_text();
}

void Explainer::entered(const RangeRow& range, const StackMeaning& around) {
  made_.ranges.push_back({.depth = static_cast<std::uint32_t>(open_.size()),
                          .range = range.id,
                          .text = text_of(range),
                          .by = rule_of(Meaning{NoMeaning{}})});  // until it is read
  open_.push_back({made_.ranges.size() - 1, around});
}

void Explainer::read(const RangeRow& row, const ParsedText& text) {
  ExplainedRange& range = made_.ranges[open_.back().range];
  range.text = text_of(row);
  range.dialect = text.meaning.dialect;
  range.problem = text.meaning.problem;
  range.by = rule_of(text.meaning.what);
  if (!range.problem.empty()) {
    ++made_.counts.malformed_op_texts;
    made_.counts.first_malformed_text = range.text.substr(0, 200);
    made_.counts.first_malformed_why = range.problem;
  }
}

void Explainer::followed(Effect effect, RangeId range) {
  made_.ranges[open_.back().range].leads.push_back({rule_of(effect), range, {}});
  if (effect == Effect::kGroup && range == 0) ++made_.counts.batches_without_beginning;
}

void Explainer::linked(const ForwardIndex::Found& found, std::optional<std::uint64_t> sequence) {
  LinkCounts& links = made_.counts.links;
  std::string how = sequence ? "by sequence number " + std::to_string(*sequence)
                             : std::string("by what produced its input");
  if (found.range == 0) {
    ++links.missed;
  } else {
    if (sequence) how += " on thread " + std::to_string(found.thread);
    if (!found.name_matches) how += ", without a matching name";
    if (found.ambiguous) how += ", which several threads used: the last";
    ++(found.name_matches ? links.linked : links.other_name);
    if (found.ambiguous) ++links.ambiguous;
  }
  made_.ranges[open_.back().range].leads.push_back(
      {rule_of(Effect::kForwardOp), found.range, std::move(how)});
}

void Explainer::left(const StackMeaning& now) {
  const StackMeaning& before = open_.back().around;
  ExplainedRange& range = made_.ranges[open_.back().range];
  range.changes = changes_of(before, now);
  range.is_for_inner = now.attributed == before.attributed && now.context != before.context;
  open_.pop_back();
}

void Explainer::added(Effect effect, const Facts& before, const Facts& after) {
  made_.ranges.push_back({.depth = static_cast<std::uint32_t>(open_.size()),
                          .by = rule_of(effect),
                          .changes = changes(before, after)});
}

bool Explainer::finishes(const HeldRow& held, std::uint64_t owner) {
  ++finished_;
  const bool is_it = finished_ == row_;
  if (is_it && owner == 0) owner_ = 0;
  if (of_row_ == reader_ && owner != 0 && owner == owner_) add_sharing(held);
  if (is_it) count_cost(held, owner);
  return is_it;
}

void Explainer::add_sharing(const HeldRow& held) {
  ++made_.in_instance;
  const Attribution& work = held.attribution;
  if (made_.sharing.size() >= kMaxSharing && finished_ != row_) return;
  made_.sharing.push_back({finished_,
                           work.kernel == nullptr ? "copy or set" : work.kernel->short_name,
                           work.main, work.share});
}

void Explainer::count_cost(const HeldRow& held, std::uint64_t owner_id) {
  if (held.attribution.is_repeat) {
    made_.ranges.push_back({.by = rule_of(Effect::kRepeat)});
  }
  ExplainedCost& cost = made_.cost;
  cost.why = why_share(held, owner_id, facts_.op.prepares);
  const OpAttribution& op = *held.attribution.op;
  const bool is_by_rule = !held.attribution.is_repeat && !held.attribution.is_whole_graph;
  if (op.direction != facts_.direction && is_by_rule) {
    Facts with_direction = facts_;
    with_direction.set_direction(op.direction, op.direction_from);
    added(Effect::kImplied, facts_, with_direction);
  }
  const OpRef& owner = cost_owner(facts_);
  if (facts_.op.reported == nullptr || owner == nullptr) return;
  cost.op = owner->op;
  const CompiledSite* const site = facts_.compiled.site.get();
  if (site != nullptr && site->cost) {
    cost.op = site->ops;
    cost.model = "the ops of the generated code, added up";
    cost.file = "analyzers/compiled/kernel_cost.cpp";
    return;
  }
  const ops::OpCatalog catalog;
  const ops::OpModel* const model = catalog.model_of(*owner);
  if (model == nullptr) return;
  cost.model = model->name;
  cost.file = model->file;
  const ops::OpFormula* const formula = ops::formula_of(*model, *owner);
  if (formula == nullptr) return;
  const bool is_bare_node = facts_.backward.is_inside && facts_.op.owner == nullptr;
  const Direction direction =
      facts_.op.is_framework ? ops::as_called(*owner).direction : op.direction;
  const bool is_backward = is_bare_node || direction == Direction::kBprop;
  cost.flops = is_backward ? formula->backward : formula->forward;
  cost.bytes = formula->bytes;
  cost.basis = formula->basis;
  if (!op.cost.flops) return;
  cost.numbers = ops::formula_with_numbers(cost.flops, *model, *owner, op.gemm, *op.cost.flops);
}

void Explainer::finish(const AttributionCounts& counts) {
  // The tally counts all rows until now; this explainer has some counts of the row alone.
  const AttributionCounts own = std::exchange(made_.counts, counts);
  AttributionCounts& to = made_.counts;
  to.broken_stacks = own.broken_stacks;
  to.deep_stacks = own.deep_stacks;
  to.unknown_nodes = own.unknown_nodes;
  to.compiled = own.compiled;
  to.batches_without_beginning = own.batches_without_beginning;
  to.links = own.links;
  to.malformed_op_texts = own.malformed_op_texts;
  to.first_malformed_text = own.first_malformed_text;
  to.first_malformed_why = own.first_malformed_why;
  is_done_ = true;
}

}  // namespace prof
