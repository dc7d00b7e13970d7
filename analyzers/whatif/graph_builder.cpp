// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/graph_builder.hpp"

#include <algorithm>
#include <list>
#include <optional>
#include <span>

#include "analyzers/whatif/call_costs.hpp"
#include "analyzers/whatif/lags.hpp"
#include "analyzers/whatif/launch_queues.hpp"
#include "analyzers/whatif/step_marks.hpp"
#include "analyzers/whatif/stream_waits.hpp"
#include "analyzers/whatif/thread_turns.hpp"

namespace prof::whatif {
namespace {

/// How far the end of work and the start of what waits for it may be apart the wrong way: clocks.
constexpr std::int64_t kClockNs = 2'000;
/// Nodes of a graph's launch run side by side on one stream: so many back are looked at.
constexpr std::size_t kMostBranches = 16;
/// A call that waits for an event, or an allocation that waits, returns so long after the work
/// ended, at most.
constexpr std::int64_t kReturnNs = 20'000;
/// So many streams does a call wait for, at most: those that were given work last.
constexpr std::size_t kMostAwaited = 256;

struct PlacedNode {
  NodeId node = kNoNode;
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t call = UINT32_MAX;
  bool is_of_graph = false, is_copy = false;
};

struct Stream {
  std::vector<PlacedNode> recent;  ///< The last works, at most kMostBranches.
  std::optional<std::list<std::uint16_t>::iterator> use;
  std::vector<NodeId> launches;  ///< The last work of each launch.

  void add(const PlacedNode& work) {
    if (recent.size() == kMostBranches) recent.erase(recent.begin());
    const bool is_same_launch = !recent.empty() && recent.back().call == work.call;
    recent.push_back(work);
    if (work.call == UINT32_MAX) return;
    if (is_same_launch) {
      launches.back() = work.node;
    } else {
      launches.push_back(work.node);
    }
  }
};

struct Thread {
  NodeId last = kNoNode;
  std::int64_t end_ns = 0;
  NodeId awaited = 0;  ///< It has waited for all that is before.
};

class Builder {
 public:
  explicit Builder(const RecordedRun& run)
      : run_(run),
        order_(works_by_call(run)),
        queues_(run, order_),
        waits_(run, order_),
        turns_(run),
        costs_(run) {
    graph_.node_of_work.resize(run.works.size(), kNoNode);
    graph_.launch_of_work.resize(run.works.size(), kNoNode);
    graph_.node_of_call.resize(run.calls.size(), kNoNode);
  }

  StepGraph build() {
    const std::size_t nodes = 2 * run_.calls.size() + run_.works.size() + run_.calls.size() / 16;
    graph_.nodes.reserve(nodes + 1);
    graph_.observed_ends_ns.reserve(nodes);
    graph_.from.reserve(nodes + run_.works.size() + run_.calls.size());
    graph_.edge_class.reserve(graph_.from.capacity());
    std::size_t at = 0;
    for (std::uint32_t call = 0; call < run_.calls.size(); ++call) {
      const auto is_here = [&] { return at < order_.size() && !is_after(order_[at], call); };
      for (; is_here() && !run_.works[order_[at]].call; ++at) add_work(order_[at], kNoNode);
      const std::size_t begin = at;
      while (is_here()) ++at;
      add_call(call, std::span(order_).subspan(begin, at - begin));
    }
    for (; at < order_.size(); ++at) add_work(order_[at], kNoNode);
    graph_.nodes.push_back({.first_edge = static_cast<std::uint32_t>(graph_.from.size())});
    graph_.evidence.works = run_.works.size();
    graph_.steps = mark_steps(run_, graph_);
    fit(graph_);
    return std::move(graph_);
  }

 private:
  [[nodiscard]] bool is_after(std::uint32_t work, std::uint32_t call) const {
    const RunWork& of = run_.works[work];
    return of.call ? *of.call > call : of.start_ns >= run_.calls[call].start_ns;
  }

  NodeId begin_node(NodeKind kind, std::uint32_t place, std::uint16_t track,
                    std::int64_t duration_ns, std::int64_t end_ns) {
    graph_.nodes.push_back({.duration_ns = duration_ns,
                            .first_edge = static_cast<std::uint32_t>(graph_.from.size()),
                            .place = place,
                            .track = track,
                            .kind = kind});
    graph_.observed_ends_ns.push_back(end_ns);
    return static_cast<NodeId>(graph_.nodes.size() - 1);
  }
  void edge(NodeId from, EdgeClass edge_class) {
    if (from == kNoNode) return;
    graph_.from.push_back(from);
    graph_.edge_class.push_back(edge_class);
  }

  void add_call(std::uint32_t at, std::span<const std::uint32_t> works);
  void add_wait(std::uint32_t at, NodeId call, std::span<const std::uint32_t> works);
  void add_work(std::uint32_t at, NodeId call);
  std::vector<NodeId> awaited_by(const RunCall& call, std::span<const std::uint32_t> works);
  std::vector<NodeId> last_works(const RunCall& call);
  void edge_of_stream(const RunWork& work, std::uint32_t call, const Stream& stream);
  void edge_of_queue(std::span<const std::uint32_t> works);
  Thread& thread(std::uint16_t number) {
    if (number >= threads_.size()) threads_.resize(number + std::size_t{1});
    return threads_[number];
  }
  Stream& stream(std::uint16_t number) {
    if (number >= streams_.size()) streams_.resize(number + std::size_t{1});
    return streams_[number];
  }

  const RecordedRun& run_;
  const std::vector<std::uint32_t> order_;
  const LaunchQueues queues_;
  const StreamWaits waits_;
  const ThreadTurns turns_;
  const CallCosts costs_;
  StepGraph graph_;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  std::list<std::uint16_t> used_;  // streams; the one that was given work last is the first
  std::optional<std::uint16_t> last_thread_;
};

void Builder::add_call(std::uint32_t at, std::span<const std::uint32_t> works) {
  const RunCall& call = run_.calls[at];
  Thread& own = thread(call.thread);
  const Thread* const before = last_thread_ && *last_thread_ != call.thread &&
                                       turns_.alternate(*last_thread_, call.thread) &&
                                       threads_[*last_thread_].end_ns <= call.start_ns
                                   ? &threads_[*last_thread_]
                                   : nullptr;
  if (own.last != kNoNode || before != nullptr) {
    std::int64_t since = own.last != kNoNode ? own.end_ns : INT64_MIN;
    if (before != nullptr) since = std::max(since, before->end_ns);
    const std::int64_t way = std::max<std::int64_t>(0, difference_of_times(call.start_ns, since));
    const NodeId node = begin_node(NodeKind::kWay, at, call.thread, way, sum_of_times(since, way));
    edge(own.last, EdgeClass::kOrder);
    if (before != nullptr) edge(before->last, EdgeClass::kHandOver);
    own.last = node;
    own.end_ns = sum_of_times(since, way);
  }
  // A call that waits is as long as it would be without, and a wait behind it.
  const std::int64_t begin = std::max(call.start_ns, own.end_ns);
  const std::int64_t duration = std::max<std::int64_t>(0, difference_of_times(call.end_ns, begin));
  const std::int64_t usual =
      queues_.was_full(at) ? costs_.launch_ns() : costs_.least_ns(at, duration);
  const std::int64_t cost = std::clamp<std::int64_t>(usual, 0, duration);
  const std::int64_t end = sum_of_times(begin, queues_.was_full(at) ? duration : cost);
  const NodeId node =
      begin_node(works.empty() ? NodeKind::kCall : NodeKind::kLaunch, at, call.thread, cost, end);
  edge(own.last, EdgeClass::kOrder);
  edge_of_queue(works);
  own.last = node;
  own.end_ns = end;
  graph_.node_of_call[at] = node;
  for (const std::uint32_t work : works) add_work(work, node);
  // Also if it found all ready: with a change it may not.
  if (costs_.waits(at) || end < sum_of_times(begin, duration)) add_wait(at, node, works);
  last_thread_ = call.thread;
}

/// A launch beyond the limit of its stream's queue waits for the first one in it.
void Builder::edge_of_queue(std::span<const std::uint32_t> works) {
  for (const std::uint32_t work : works) {
    const std::vector<NodeId>& launches = stream(run_.works[work].stream).launches;
    if (launches.size() < queues_.limit()) return;
    return edge(launches[launches.size() - queues_.limit()], EdgeClass::kQueue);
  }
}

/// If it waits for none of the GPU's work, the call is as long as it was.
void Builder::add_wait(std::uint32_t at, NodeId call, std::span<const std::uint32_t> works) {
  const RunCall& of = run_.calls[at];
  const std::vector<NodeId> awaited = awaited_by(of, works);
  Thread& own = thread(of.thread);
  const std::int64_t end = std::max(of.end_ns, own.end_ns);  // Damaged calls end before they begin.
  if (awaited.empty()) {
    const std::int64_t rest = difference_of_times(end, own.end_ns);
    add_time(graph_.nodes[call].duration_ns, rest);
    add_time(graph_.observed_ends_ns[call], rest);
    own.end_ns = end;
    return;
  }
  own.last = begin_node(NodeKind::kWait, at, of.thread, 0, end);
  own.end_ns = end;
  edge(call, EdgeClass::kOrder);
  const bool is_copy = of.kind == CallKind::kCopy || of.kind == CallKind::kCopyInCall;
  for (const NodeId work : awaited)
    edge(work, is_copy ? EdgeClass::kCopyReturn : EdgeClass::kReturn);
}

/// Of the streams that it may wait for, the last works. Nothing of those that the thread has waited
/// for already.
std::vector<NodeId> Builder::last_works(const RunCall& call) {
  std::vector<NodeId> works;
  if (call.stream) {
    const Stream& one = stream(*call.stream);
    if (!one.recent.empty()) works.push_back(one.recent.back().node);
    return works;
  }
  for (const std::uint16_t one : used_) {
    const NodeId last = streams_[one].recent.back().node;
    if (last < thread(call.thread).awaited || works.size() == kMostAwaited) break;
    works.push_back(last);
  }
  return works;
}

std::vector<NodeId> Builder::awaited_by(const RunCall& call, std::span<const std::uint32_t> works) {
  std::vector<NodeId> awaited;
  if (call.kind == CallKind::kCopy || call.kind == CallKind::kCopyInCall) {
    // A copy to the device may return when its memory is read, before the copy ends.
    for (const std::uint32_t work : works) {
      if (run_.works[work].start_ns <= sum_of_times(call.end_ns, kClockNs)) {
        awaited.push_back(graph_.node_of_work[work]);
      }
    }
    return awaited;
  }
  awaited = last_works(call);
  // Those that it does not wait for: the work of other GPUs.
  const std::size_t running = std::erase_if(awaited, [&](NodeId node) {
    return graph_.observed_ends_ns[node] > sum_of_times(call.end_ns, kClockNs);
  });
  const bool is_dry = running == 0;
  if (call.kind == CallKind::kWaitAll || call.kind == CallKind::kWaitStream) {
    const bool is_full = call.kind == CallKind::kWaitAll && is_dry;
    if (is_full) thread(call.thread).awaited = static_cast<NodeId>(graph_.nodes.size());
    return awaited;
  }
  if (awaited.empty()) return awaited;
  // What an event or an allocation waits for is an estimate: what ended just before it returned.
  const NodeId latest = *std::ranges::max_element(
      awaited, {}, [&](NodeId node) { return graph_.observed_ends_ns[node]; });
  awaited.clear();
  const std::int64_t end = graph_.observed_ends_ns[latest];
  const bool is_just_before =
      end > call.start_ns && difference_of_times(call.end_ns, end) <= kReturnNs;
  if (is_just_before && (is_dry || call.kind == CallKind::kWaitEvent)) awaited.push_back(latest);
  return awaited;
}

void Builder::add_work(std::uint32_t at, NodeId call) {
  const RunWork& work = run_.works[at];
  Stream& own = stream(work.stream);
  const std::uint32_t of_call = call != kNoNode ? *work.call : UINT32_MAX;
  const NodeId node = begin_node(work.kind, at, work.stream,
                                 difference_of_times(work.end_ns, work.start_ns), work.end_ns);
  graph_.node_of_work[at] = node;
  graph_.launch_of_work[at] = call;
  if (own.use) {
    used_.splice(used_.begin(), used_, *own.use);
  } else {
    used_.push_front(work.stream);
    own.use = used_.begin();
  }
  if (own.recent.empty()) graph_.stream_begins.push_back(node);
  const bool is_first_of_launch = own.recent.empty() || own.recent.back().call != of_call;
  if (call != kNoNode) {
    ++graph_.evidence.launched;
    if (is_first_of_launch) {
      const bool is_copy = work.kind == NodeKind::kCopy;
      const bool is_blocking = is_copy && costs_.is_blocking(of_call);
      edge(call, work.is_of_graph ? EdgeClass::kGraphLaunch
                 : is_blocking    ? EdgeClass::kBlockingLaunch
                 : is_copy        ? EdgeClass::kCopyLaunch
                                  : EdgeClass::kLaunch);
    }
  }
  edge_of_stream(work, of_call, own);
  if (const std::optional<std::uint32_t> before = waits_.before(at)) {
    ++graph_.evidence.event_edges;
    edge(graph_.node_of_work[*before], EdgeClass::kEvent);
  }
  own.add(
      {node, work.start_ns, work.end_ns, of_call, work.is_of_graph, work.kind == NodeKind::kCopy});
}

void Builder::edge_of_stream(const RunWork& work, std::uint32_t call, const Stream& stream) {
  if (stream.recent.empty()) return;
  const PlacedNode* before = &stream.recent.back();
  const bool is_near_graph = work.is_of_graph || before->is_of_graph;
  if (is_near_graph) {
    // Branches of a graph overlap: the last of those that ended before it.
    const PlacedNode* last = nullptr;
    for (const PlacedNode& one : stream.recent) {
      const bool is_before = one.end_ns <= work.start_ns;
      if (is_before && (last == nullptr || one.end_ns >= last->end_ns)) last = &one;
    }
    if (last != nullptr) before = last;
  }
  if (before->end_ns > sum_of_times(work.start_ns, kClockNs)) ++graph_.evidence.wrong_edges;
  const bool is_copy = work.kind == NodeKind::kCopy || before->is_copy;
  const bool is_in_graph = work.is_of_graph && before->call == call;
  edge(before->node, is_in_graph ? EdgeClass::kGraphStream
                     : is_copy   ? EdgeClass::kCopyStream
                                 : EdgeClass::kStream);
}

}  // namespace

StepGraph build_graph(const RecordedRun& run) { return Builder(run).build(); }

}  // namespace prof::whatif
