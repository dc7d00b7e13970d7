// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/autograd.hpp"

namespace prof {
namespace {

constexpr std::size_t kMaxForwardNumbers = 1U << 18;
constexpr std::size_t kMaxNodes = 1U << 12;
/// Consecutive nodes that launched no kernel, such as those of views.
constexpr int kMaxDepth = 64;
constexpr int kMaxOpDepth = 64;

}  // namespace

AutogradLinks::AutogradLinks(TraceReader& reader, RangeTexts& texts)
    : reader_(reader),
      texts_(texts),
      forwards_(reader, texts, kMaxForwardNumbers),
      counted_(forwards_.active() ? kMaxNodes : 1),
      threads_(counted_.size()) {}

ForwardIndex::Found AutogradLinks::forward_of(const RangeRow& node, const GraphTies& ties) {
  Found found = find(node, ties);
  if (found.range == node.id) found = {};
  count(node.id, found);
  return found;
}

AutogradLinks::Found AutogradLinks::find(const RangeRow& node, const GraphTies& ties) {
  if (!forwards_.active()) return {};
  if (const auto seq = texts_.sequence(node, ties)) return find_by_number(node, ties, *seq);
  // A node without a number accumulates a gradient: it belongs to the node that produced it.
  Found found;
  if (const auto input = texts_.number(node, ties.input_at)) {
    found.range = forwards_.with_op_id(*input);
    found.name_matches = true;
  } else {
    forwards_.advance(node.start_ns);
    found.range = forwards_.producer_of(node);
    found.name_matches = true;
  }
  return found;
}

AutogradLinks::Found AutogradLinks::find_by_number(const RangeRow& node, const GraphTies& ties,
                                                   std::uint64_t seq) {
  seq -= static_cast<std::uint64_t>(ties.seq_ahead);
  // Sources other than texts may name the thread.
  std::optional<std::uint32_t> stated;
  if (node.op.forward_thread) stated = node.op.forward_thread.value;
  Found found = forwards_.forward(seq, ties, node.start_ns, stated);
  if (found.ambiguous && depth_ < kMaxDepth) {
    ++depth_;
    if (const auto thread = graph_thread(node, ties)) {
      found = forwards_.forward(seq, ties, node.start_ns, thread);
    }
    --depth_;
  }
  if (found.range == 0) return found;
  if (ties.seq_ahead > 0) found.name_matches = true;  // its name does not identify an op
  threads_[node.id % threads_.size()] = {node.id, found.thread};
  return found;
}

std::optional<std::uint32_t> AutogradLinks::graph_thread(const RangeRow& node,
                                                         const GraphTies& ties) {
  // Inside another node: part of a graph created there by rerun ops.
  if (is_inside_node(node)) return node.thread.value;
  const auto input = texts_.number(node, ties.input_at);
  if (!input) return std::nullopt;
  RangeId at = forwards_.with_op_id(*input);
  std::optional<std::uint32_t> thread;
  for (int up = 0; at != 0 && up < kMaxOpDepth; ++up) {
    const RangeRef row = reader_.range(at);
    if (!row) return std::nullopt;
    const dialects::RangeMeaning& meaning = texts_.parse(*row).meaning;
    if (meaning.is<BackwardNode>()) return forward_thread(*row);
    if (meaning.is<NodeEvaluation>()) {
      at = forwards_.node_in(row->id);
      if (at == 0) return std::nullopt;
      continue;
    }
    thread = row->thread.value;
    at = row->parent;
  }
  return thread;  // not produced by a node: the thread that calls backward()
}

bool AutogradLinks::is_inside_node(const RangeRow& range) {
  RangeId around = range.parent;
  for (int up = 0; around != 0 && up < kMaxOpDepth; ++up) {
    const RangeRef row = reader_.range(around);
    if (!row) return false;
    if (texts_.parse(*row).meaning.is<BackwardNode>()) return true;
    around = row->parent;
  }
  return false;
}

std::optional<std::uint32_t> AutogradLinks::forward_thread(const RangeRow& node) {
  const NodeThread& known = threads_[node.id % threads_.size()];
  if (known.node == node.id) return known.thread;
  const GraphTies ties = texts_.parse(node).meaning.ties;
  const auto seq = texts_.sequence(node, ties);
  if (!seq) return std::nullopt;
  const Found forward = find_by_number(node, ties, *seq);
  return forward.range == 0 || forward.ambiguous ? std::nullopt : std::optional(forward.thread);
}

void AutogradLinks::count(RangeId node, const Found& found) {
  RangeId& counted = counted_[node % counted_.size()];
  if (counted == node) return;
  counted = node;
  if (found.range == 0) {
    ++counts_.missed;
    return;
  }
  ++(found.name_matches ? counts_.linked : counts_.other_name);
  if (found.ambiguous) ++counts_.ambiguous;
}

}  // namespace prof
