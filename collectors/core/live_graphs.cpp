// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/live_graphs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace prof::collectors {
namespace {

/// An embedded graph ends before the record of its executable comes, so ends count later.
constexpr std::int64_t kGraceNs = 10'000'000'000;
/// Work launched before a session may still run in it, although its graph has ended.
constexpr std::int64_t kQueuedNs = 1'000'000'000;
/// Number of calls kept that state a node's parameters, the newest ones. One is not enough: the
/// layer of the last call may be unknown, and the node then keeps the one before.
constexpr std::size_t kKeptStated = 2;
/// Numbered ranges that are kept: two or three training steps of a large model, at most 10 MB.
constexpr std::size_t kKeptNumbered = 1U << 14;

/// CUPTI's ids of nodes have the graph's id in the upper half.
std::uint32_t graph_of(std::uint64_t node) { return static_cast<std::uint32_t>(node >> 32); }

}  // namespace

template <typename Action>
void LiveGraphs::each_stack(Action action) const {
  for (const RangeId range : numbered_) action(range);
  for (const auto& [id, graph] : graphs_) {
    for (const GraphNodeRecord& node : graph.nodes) action(node.stack);
    for (const auto& [node, updates] : graph.updates) {
      if (updates.like) action(updates.like->stack);
      for (const GraphUpdateRecord& update : updates.stated) action(update.stack);
    }
  }
}

void LiveGraphs::learn(const RecordBatch& batch) {
  batch.each<StringRecord>(
      [&](const StringRecord& record) { texts_[record.id.value] = record.text; });
  batch.each<ThreadRecord>([&](const ThreadRecord& record) { threads_[record.id.value] = record; });
  learn_graphs(batch);
  batch.each<RangeRecord>([&](const RangeRecord& record) { learn(record); });
  forget_old_numbers();
  if (graphs_.size() < sweep_at_) return;
  sweep(newest_ns_ - kGraceNs);
  sweep_at_ = std::max<std::size_t>(64, graphs_.size() * 2);
}

void LiveGraphs::learn_graphs(const RecordBatch& batch) {
  batch.each<GraphNodeRecord>([&](const GraphNodeRecord& node) {
    graphs_[node.graph].nodes.emplace_back(node);
    newest_ns_ = std::max(newest_ns_, node.time_ns);
    want(node.stack);
  });
  batch.each<GraphExecRecord>([&](const GraphExecRecord& exec) {
    graphs_[exec.graph_exec].exec = exec;
    newest_ns_ = std::max(newest_ns_, exec.end_ns);
  });
  batch.each<GraphUpdateRecord>([&](const GraphUpdateRecord& update) { learn(update); });
  batch.each<GraphEndRecord>([&](const GraphEndRecord& end) {
    newest_ns_ = std::max(newest_ns_, end.time_ns);
    if (const auto graph = graphs_.find(end.graph); graph != graphs_.end()) graph->second.end = end;
  });
}

void LiveGraphs::learn(const GraphUpdateRecord& update) {
  Updates& updates = graphs_[graph_of(update.graph_node)].updates[update.graph_node];
  newest_ns_ = std::max(newest_ns_, update.time_ns);
  want(update.stack);
  if (update.like_node != 0) {
    updates.like = update;
    updates.stated.clear();
    return;
  }
  if (updates.stated.size() == kKeptStated) updates.stated.erase(updates.stated.begin());
  updates.stated.emplace_back(update);
}

void LiveGraphs::learn(const Kernel& kernel) {
  graphs_[graph_of(kernel.node)].kernels[kernel.node] = kernel;
}

void LiveGraphs::learn(const RangeRecord& record) {
  if (record.kind == RangeRecord::Kind::kStartEnd) return;  // Never on a stack.
  if (record.end_ns == 0) {
    open_.insert_or_assign(record.id, Range{record, std::string(record.numbers)});
  } else {
    open_.erase(record.id);
    if (!record.numbers.empty() || record.op.sequence) {
      numbered_.insert(record.id);
      want(record.id);
    }
  }
  if (!wanted_.contains(record.id)) return;
  if (record.end_ns != 0) {
    ranges_.insert_or_assign(record.id, Range{record, std::string(record.numbers)});
  }
  want(record.parent);
}

void LiveGraphs::forget_old_numbers() {
  if (numbered_.size() < 2 * kKeptNumbered) return;
  while (numbered_.size() > kKeptNumbered) numbered_.erase(numbered_.begin());
  forget_ranges();
}

void LiveGraphs::want(RangeId stack) {
  while (stack != 0 && wanted_.insert(stack).second) {
    const Range* known = find(stack);
    if (known == nullptr) return;  // Its parent is recorded with it.
    stack = known->record.parent;
  }
}

const LiveGraphs::Range* LiveGraphs::find(RangeId range) const {
  if (const auto ended = ranges_.find(range); ended != ranges_.end()) return &ended->second;
  const auto open = open_.find(range);
  return open != open_.end() ? &open->second : nullptr;
}

bool LiveGraphs::is_whole(RangeId stack) const {
  while (stack != 0) {
    const Range* range = find(stack);
    // A parent has a smaller id, also in damaged records.
    if (range == nullptr || range->record.parent >= stack) return false;
    stack = range->record.parent;
  }
  return true;
}

void LiveGraphs::end_session(std::int64_t end_ns) {
  sweep(end_ns - kQueuedNs);
  for (auto& [id, range] : open_) {
    range.record.end_ns = std::max(range.record.start_ns, end_ns);
    if (wanted_.contains(id)) ranges_.insert_or_assign(id, std::move(range));
  }
  open_.clear();
  forget_texts();
}

void LiveGraphs::record(ActivitySink& sink) {
  RecordSink& records = sink.records();
  const auto text_of = [&](StringId id) {
    const auto text = texts_.find(id.value);
    return text == texts_.end() ? id : sink.intern(text->second);
  };
  for (auto [id, thread] : threads_) {
    thread.name = text_of(thread.name);
    records.on(thread);
  }
  std::vector<RangeId> unrecorded;
  for (const auto& [id, range] : ranges_) {
    if (!range.is_recorded) unrecorded.push_back(id);
  }
  // Inner ranges first, as when they ended: a range is learned if one inside it has been.
  std::sort(unrecorded.begin(), unrecorded.end(), std::greater<>());
  for (const RangeId id : unrecorded) {
    Range& range = ranges_.at(id);
    range.record.text = text_of(range.record.text);
    range.record.numbers = range.numbers;
    range.record.op.signature = text_of(range.record.op.signature);
    records.on(range.record);
  }
  for (auto& [id, graph] : graphs_) record(graph, sink, text_of);
  forget_unrecorded();
}

template <typename TextOf>
void LiveGraphs::record(Graph& graph, ActivitySink& sink, TextOf text_of) {
  RecordSink& records = sink.records();
  for (Known<GraphNodeRecord>& node : graph.nodes) {
    if (node.is_recorded || !is_whole(node.stack)) continue;
    if (const auto kernel = graph.kernels.find(node.graph_node); kernel != graph.kernels.end()) {
      node.function = kernel->second.function;
      node.grid = kernel->second.grid;
    }
    node.function = text_of(node.function);
    records.on(node);
  }
  if (graph.exec && !graph.exec->is_recorded) records.on(*graph.exec);
  for (const auto& [node, updates] : graph.updates) {
    if (updates.like && !updates.like->is_recorded) records.on(*updates.like);
    for (Known<GraphUpdateRecord> update : updates.stated) {
      if (update.is_recorded) continue;
      if (!is_whole(update.stack)) update.stack = 0;
      records.on(update);
    }
  }
  if (graph.end && !graph.end->is_recorded) records.on(*graph.end);
}

void LiveGraphs::mark_recorded() {
  const auto mark = [](auto& record) {
    if (record) record->is_recorded = true;
  };
  for (auto& [id, range] : ranges_) range.is_recorded = true;
  numbered_.clear();
  for (auto& [id, graph] : graphs_) {
    for (auto& node : graph.nodes) node.is_recorded = true;
    mark(graph.exec);
    mark(graph.end);
    for (auto& [node, updates] : graph.updates) {
      mark(updates.like);
      for (auto& update : updates.stated) update.is_recorded = true;
    }
  }
}

void LiveGraphs::forget_unrecorded() {
  const auto is_unrecorded = [](const auto& record) { return !record.is_recorded; };
  const auto forget = [](auto& record) {
    if (record && !record->is_recorded) record.reset();
  };
  std::erase_if(ranges_, [](const auto& one) { return !one.second.is_recorded; });
  numbered_.clear();
  for (auto& [id, graph] : graphs_) {
    std::erase_if(graph.nodes, is_unrecorded);
    graph.kernels.clear();
    forget(graph.exec);
    forget(graph.end);
    for (auto& [node, updates] : graph.updates) {
      forget(updates.like);
      std::erase_if(updates.stated, is_unrecorded);
    }
    std::erase_if(graph.updates,
                  [](const auto& one) { return !one.second.like && one.second.stated.empty(); });
  }
  std::erase_if(graphs_, [](const auto& one) {
    const Graph& graph = one.second;
    return graph.nodes.empty() && !graph.exec && !graph.end && graph.updates.empty();
  });
  if (graphs_.empty() && ranges_.empty()) LiveGraphs::forget();
}

void LiveGraphs::forget() { *this = LiveGraphs(); }

std::vector<std::uint32_t> LiveGraphs::sources_of(const Graph& graph) const {
  std::vector<std::uint32_t> sources;
  for (const GraphNodeRecord& node : graph.nodes) {
    const std::uint32_t source = graph_of(node.original_node);
    if (source != 0 && (sources.empty() || sources.back() != source)) sources.push_back(source);
  }
  for (const auto& [node, updates] : graph.updates) {
    if (updates.like) sources.push_back(graph_of(updates.like->like_node));
  }
  return sources;
}

std::unordered_set<std::uint32_t> LiveGraphs::living() const {
  std::unordered_map<std::uint32_t, std::vector<const std::pair<const std::uint32_t, Graph>*>>
      ended_by_thread;
  std::vector<std::uint32_t> left;
  for (const auto& one : graphs_) {
    if (one.second.end) {
      ended_by_thread[one.second.end->thread.value].push_back(&one);
    } else {
      left.push_back(one.first);
    }
  }
  std::unordered_set<std::uint32_t> found(left.begin(), left.end());
  const auto add = [&](std::uint32_t id) {
    if (graphs_.contains(id) && found.insert(id).second) left.push_back(id);
  };
  while (!left.empty()) {
    const Graph& graph = graphs_.at(left.back());
    left.pop_back();
    for (const std::uint32_t source : sources_of(graph)) add(source);
    if (!graph.exec) continue;
    add(graph.exec->graph);
    for (const auto* ended : ended_by_thread[graph.exec->thread.value]) {
      const std::int64_t end_ns = ended->second.end->time_ns;
      if (end_ns >= graph.exec->start_ns && end_ns <= graph.exec->end_ns) add(ended->first);
    }
  }
  return found;
}

void LiveGraphs::sweep(std::int64_t until_ns) {
  const std::unordered_set<std::uint32_t> kept = living();
  std::erase_if(graphs_, [&](const auto& one) {
    return one.second.end && one.second.end->time_ns <= until_ns && !kept.contains(one.first);
  });
  forget_ranges();
}

void LiveGraphs::forget_ranges() {
  wanted_.clear();
  each_stack([&](RangeId stack) { want(stack); });
  std::erase_if(ranges_, [&](const auto& one) { return !wanted_.contains(one.first); });
}

void LiveGraphs::forget_texts() {
  std::unordered_set<std::uint32_t> used, threads;
  for (const auto& [id, range] : ranges_) {
    used.insert(range.record.text.value);
    used.insert(range.record.op.signature.value);
    threads.insert(range.record.thread.value);
    threads.insert(range.record.op.forward_thread.value);
  }
  for (const auto& [id, graph] : graphs_) {
    for (const GraphNodeRecord& node : graph.nodes) {
      used.insert(node.function.value);
      threads.insert(node.thread.value);
    }
    for (const auto& [node, kernel] : graph.kernels) used.insert(kernel.function.value);
    for (const auto& [node, updates] : graph.updates) {
      if (updates.like) threads.insert(updates.like->thread.value);
      for (const GraphUpdateRecord& update : updates.stated) threads.insert(update.thread.value);
    }
    if (graph.exec) threads.insert(graph.exec->thread.value);
    if (graph.end) threads.insert(graph.end->thread.value);
  }
  std::erase_if(threads_, [&](const auto& one) { return !threads.contains(one.first); });
  for (const auto& [id, thread] : threads_) used.insert(thread.name.value);
  std::erase_if(texts_, [&](const auto& one) { return !used.contains(one.first); });
}

}  // namespace prof::collectors
