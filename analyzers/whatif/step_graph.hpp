// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepGraph: what the steps of a process did, and what each piece waited for, as arrays. A node
// starts at the latest of its predecessors' ends, each with the lag of its edge's class, and ends
// after its duration: max-plus, so one pass in the order of the arrays replays it (replay.hpp). A
// launch is three nodes: the host's way to the call, the call, its work. 48 bytes a node with its
// edges and the time that was observed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "libprof/model/times.hpp"

namespace prof::whatif {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

enum class NodeKind : std::uint8_t {
  kWay,       ///< A thread of the host from one CUDA call to the next.
  kCall,      ///< A CUDA call that launches nothing, without what it waits for.
  kLaunch,    ///< A CUDA call that launches work.
  kWait,      ///< The end of a call that waits for the GPU; takes no time of its own.
  kKernel,    ///< GPU work.
  kTransfer,  ///< A kernel that moves data between GPUs: as long as it took here.
  kCopy,      ///< A copy or a set.
};
constexpr bool is_gpu_work(NodeKind kind) { return kind >= NodeKind::kKernel; }

/// Why a node waits for another. Each class has one lag: how long after the other's end it starts.
enum class EdgeClass : std::uint8_t {
  kOrder,           ///< The same thread's node before it: no lag.
  kHandOver,        ///< Another thread's call, after which this thread acts again: no lag.
  kLaunch,          ///< A kernel's launching call. May be negative: work starts before it returns.
  kGraphLaunch,     ///< Likewise the launch of a CUDA graph.
  kCopyLaunch,      ///< Likewise the call of a copy or set.
  kBlockingLaunch,  ///< Likewise of a copy whose call waits for it.
  kStream,          ///< A kernel behind a kernel of its stream.
  kCopyStream,      ///< Either is a copy or a set.
  kGraphStream,     ///< Both are of one launch of a CUDA graph.
  kEvent,           ///< Work of another stream, estimated (stream_waits.hpp).
  kQueue,           ///< A launching call behind the work that makes room in the stream's queue.
  kReturn,          ///< The end of a wait behind the work that it waits for.
  kCopyReturn,      ///< The end of a copy's call behind the copy.
};
inline constexpr std::size_t kEdgeClasses = static_cast<std::size_t>(EdgeClass::kCopyReturn) + 1;
/// Edges between works of the GPU.
constexpr bool is_between_works(EdgeClass edge) {
  return edge >= EdgeClass::kStream && edge <= EdgeClass::kEvent;
}

using Lags = std::array<std::int64_t, kEdgeClasses>;

struct Node {
  std::int64_t duration_ns = 0;
  /// How much later it started than its latest predecessor and the lag say. Of a node without
  /// predecessors, when it started. Above 0 it is a wait for the latest one; below, all lags are
  /// that much shorter here.
  std::int64_t residual_ns = 0;
  std::uint32_t first_edge = 0;  ///< Its edges end where those of the next node begin.
  std::uint32_t place = 0;       ///< Index of the work, or of the call: also of the way to it.
  std::uint16_t track = 0;       ///< Index of the thread or of the stream.
  std::uint16_t latest = 0;      ///< Which of its edges comes from the latest predecessor.
  NodeKind kind = NodeKind::kWay;
};
static_assert(sizeof(Node) <= 32);

/// The part of a node's residual that its edge of that number has.
constexpr std::int64_t residual_of_edge(const Node& node, std::uint32_t edge) {
  return edge == node.latest || node.residual_ns < 0 ? node.residual_ns : 0;
}

/// A step on a GPU: from the start of its first work to that of the next step's.
struct StepMark {
  std::int64_t number = 0;
  std::uint32_t device = 0;
  std::optional<std::uint32_t> capture;
  bool is_steady = false;
  NodeId first = kNoNode;
  NodeId next = kNoNode;  ///< kNoNode: it ends `tail_ns` after the end of `last`.
  NodeId last = kNoNode;
  std::int64_t tail_ns = 0;
};

/// What is known of how well the graph describes the trace.
struct GraphEvidence {
  std::size_t works = 0, launched = 0;  ///< Works, and those whose call is recorded.
  std::size_t event_edges = 0;          ///< Estimated.
  /// Works that started before the work that they wait for had ended, by more than clocks differ.
  std::size_t wrong_edges = 0;
};

struct StepGraph {
  /// In topological order, and one more: where the edges of the last node end.
  std::vector<Node> nodes;
  std::vector<NodeId> from;  ///< By edge.
  std::vector<EdgeClass> edge_class;
  std::vector<std::int64_t> observed_ends_ns;
  std::vector<NodeId> node_of_work, node_of_call;  ///< By place; kNoNode: not in the graph.
  std::vector<NodeId> launch_of_work;              ///< Its call; kNoNode: not recorded.
  std::vector<NodeId> stream_begins;               ///< The first work of each stream.
  std::vector<StepMark> steps;                     ///< In order of time, by GPU.
  Lags lags{};
  GraphEvidence evidence;

  [[nodiscard]] std::size_t size() const { return nodes.empty() ? 0 : nodes.size() - 1; }
  /// The call that launched a node; kNoNode: not recorded.
  [[nodiscard]] NodeId launch_of(NodeId work) const {
    return is_gpu_work(nodes[work].kind) ? launch_of_work[nodes[work].place] : kNoNode;
  }
  [[nodiscard]] std::int64_t observed_start_ns(NodeId node) const {
    return difference_of_times(observed_ends_ns[node], nodes[node].duration_ns);
  }
};

}  // namespace prof::whatif
