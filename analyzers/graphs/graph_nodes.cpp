// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/graph_nodes.hpp"

#include <algorithm>
#include <utility>

namespace prof {
namespace {

/// How long after its end a graph may still be asked for: the order of launches may differ from
/// that of their times across threads.
constexpr std::int64_t kSlackNs = 10'000'000;

/// CUgraphNodeType of the node that such work belongs to.
std::uint32_t type_of(GpuRow::Kind kind) { return static_cast<std::uint32_t>(kind); }
static_assert(static_cast<int>(GpuRow::Kind::kMemcpy) == 1);  // CU_GRAPH_NODE_TYPE_MEMCPY
static_assert(static_cast<int>(GpuRow::Kind::kMemset) == 2);  // CU_GRAPH_NODE_TYPE_MEMSET

}  // namespace

GraphNodes::GraphNodes(TraceReader& reader, StackWalker& stacks)
    : reader_(reader), stacks_(stacks), events_(reader.graph_events()), ahead_(events_->next()) {
  advance(0);  // Events before the capture come before every launch in it.
}

void GraphNodes::learn_until(std::int64_t time_ns) {
  while (ahead_ != nullptr && ahead_->time_ns <= time_ns) {
    learn(*ahead_);
    ahead_ = events_->next();
  }
  while (!ended_.empty() && ended_.front().time_ns < time_ns - kSlackNs) {
    nodes_.take(ended_.front().graph);
    ended_.pop_front();
  }
}

void GraphNodes::learn(const GraphEventRow& event) {
  using Kind = GraphEventRow::Kind;
  switch (event.kind) {
    case Kind::kExecBegin:
      making_[event.thread.value] = event.graph;
      return;
    case Kind::kNode:
      return make(event);
    case Kind::kEnd:
      return end(event);
    case Kind::kUpdate:
      return update(event);
    case Kind::kExecEnd:
      making_.erase(event.thread.value);
      return;
  }
}

void GraphNodes::make(const GraphEventRow& event) {
  if (event.other != 0) return nodes_.add(event.node).set(like(event));
  NodeVersion version{event.time_ns, nullptr, {event.node_type, event.function, event.grid}};
  version.meaning = meaning_of(event.time_ns, event.stack);
  nodes_.add(event.node).set(std::move(version));
}

void GraphNodes::update(const GraphEventRow& event) {
  GraphNode* const node = nodes_.find(event.node);
  NodeVersion version = event.other != 0 ? like(event) : with_parameters(event, node);
  if (node != nullptr) {
    node->forget_before(event.time_ns - kSlackNs);
    node->add(std::move(version));
  } else {
    nodes_.add(event.node).set(std::move(version));
  }
}

NodeVersion GraphNodes::like(const GraphEventRow& event) {
  NodeVersion version{event.time_ns, nullptr, {event.node_type, {}}};
  if (const GraphNode* const other = nodes_.find(event.other)) {
    version.meaning = other->last().meaning;
    version.work = other->last().work;
    version.is_unknown = other->last().is_unknown;
  } else {
    version.is_unknown = true;
  }
  return version;
}

NodeVersion GraphNodes::with_parameters(const GraphEventRow& event, const GraphNode* node) {
  NodeVersion version{event.time_ns, meaning_of(event.time_ns, event.stack), {}};
  if (node == nullptr) {
    version.is_unknown = version.meaning == nullptr;
    return version;
  }
  const NodeVersion& before = node->last();
  version.work = before.work;
  version.work.grid = {0, 0, 0};
  if (version.meaning != nullptr) return version;
  // A call outside of layers and ops changes sizes and pointers of the work that is known.
  version.meaning = before.meaning;
  version.is_assumed = before.is_assumed;
  version.is_unknown = before.is_unknown;
  return version;
}

void GraphNodes::end(const GraphEventRow& event) {
  const auto making = making_.find(event.thread.value);
  if (making == making_.end() || making->second == event.graph) {
    ended_.push_back({event.time_ns, event.graph});
    return;
  }
  GraphOfNodes moved = nodes_.take(event.graph);
  for (auto& [number, node] : moved) node.assume();
  nodes_.append(making->second, std::move(moved));
}

const NodeMeaning* GraphNodes::find(const GpuRow& row) {
  const GraphNode* const node = nodes_.find(row.graph_node);
  if (node == nullptr || (!row.launched && node->has_changed())) {
    ++unknown_;
    return nullptr;
  }
  const NodeVersion& version = row.launched ? node->at(row.launch_start_ns) : node->last();
  if (version.is_unknown || (version.is_assumed && !proves(row, version.work))) {
    ++unknown_;
    return nullptr;
  }
  return version.meaning.get();
}

bool GraphNodes::proves(const GpuRow& row, const NodeWork& work) {
  if (work.type != type_of(row.kind)) return false;
  if (row.kind != GpuRow::Kind::kKernel) return true;
  const LaunchConfig& config = reader_.config(row.config);
  const bool has_grid = work.grid == Dim3{0, 0, 0} || work.grid == config.grid;
  return work.function && work.function == config.name && has_grid;
}

GraphNodes::Meaning GraphNodes::meaning_of(std::int64_t time_ns, RangeId stack) {
  if (stack == 0) return nullptr;
  if (stack == last_stack_) return last_meaning_;
  stacks_.advance(time_ns);
  const StackMeaning meaning = stacks_.meaning(stack);
  last_stack_ = stack;
  last_meaning_ = nullptr;
  if (!meaning.attributed->facts.says_something()) return nullptr;
  auto made = std::make_shared<NodeMeaning>(NodeMeaning{meaning, pin(*meaning.attributed), stack});
  made->stack.context = made->stack.attributed = made->context.get();
  return last_meaning_ = std::move(made);
}

std::shared_ptr<Context> GraphNodes::pin(const Context& context) {
  if (pinned_.size() >= sweep_at_) {
    std::erase_if(pinned_, [](const auto& one) { return one.second.expired(); });
    sweep_at_ = std::max(kMinSweep, 2 * pinned_.size());
  }
  std::weak_ptr<Context>& known = pinned_[&context];
  if (std::shared_ptr<Context> pinned = known.lock()) return pinned;
  auto made = std::make_shared<Context>();
  made->id = Context::kFirstPinned + pins_++ % Context::kFirstPinned;
  made->facts = context.facts;
  made->facts.is_replayed = true;
  known = made;
  return made;
}

}  // namespace prof
