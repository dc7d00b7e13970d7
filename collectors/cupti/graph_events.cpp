// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/graph_events.hpp"

#include <utility>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/core/reentry.hpp"
#include "collectors/core/write_event.hpp"
#include "collectors/cupti/graph_event.hpp"
#include "collectors/cupti/starting_nodes.hpp"

namespace prof::collectors {
namespace {

using What = GraphSite::What;

/// A node just created. Its event is complete except for the kernel.
struct HeldNode {
  GraphNodeEvent event;
  const void* handle;
  std::uint32_t epoch;
  bool is_held;
};

/// State of the graphs that a thread is working on.
struct GraphThread {
  HeldNode held;
  StartingNodes starting;
  std::int64_t exec_start_ns;  ///< Start of the executable being made; 0: none.
  /// A node reported to have taken over another's work, but whose parameters have not been reported
  /// yet.
  std::uint64_t updated_node;
  std::uint32_t exec_source;  ///< The graph from which that executable is made.
  std::uint32_t node_calls;   ///< Number of calls that the thread is in; see enter_node_call().
};
__attribute__((tls_model("initial-exec"))) constinit thread_local GraphThread t_graphs{};

/// The calling thread's state in the session `epoch`; null: nothing can be written.
ThreadState* session_thread(std::uint32_t epoch) noexcept {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return nullptr;
  if (thread->epoch != epoch && !enter_epoch(global(), *thread, epoch)) return nullptr;
  return thread;
}

template <typename Event>
void write_named(ThreadState& thread, Event& event, std::string_view name) noexcept {
  if (name.size() > kMaxKernelNameBytes) {
    global().losses.add(Loss::kTextTruncated);
    name = {};
  }
  event.name_bytes = static_cast<std::uint32_t>(name.size());
  write_event(thread, Event::kKind, event, name);
}

void write_node(ThreadState& thread, HeldNode& node, std::string_view name) noexcept {
  // A session has begun since its creation, for which the ranges have other ids.
  if (node.epoch != thread.epoch) node.event.stack = recorded_stack(thread);
  write_named(thread, node.event, name);
}

void write_held(ThreadState& thread) noexcept {
  if (!t_graphs.held.is_held) return;
  t_graphs.held.is_held = false;
  write_node(thread, t_graphs.held, {});
}

HeldNode node_of(ThreadState& thread, const GraphSite& site) noexcept {
  HeldNode node{};
  node.event.graph_node = site.node;
  node.event.original_node = site.what == What::kClone ? site.other : 0;
  node.event.stack = recorded_stack(thread);
  node.event.time_ns = now_ns();
  node.event.graph = site.graph;
  node.event.grid = {0, 0, 0};
  node.event.node_type = t_graphs.starting.take(site.graph).value_or(site.type);
  node.handle = site.handle;
  node.epoch = thread.epoch;
  return node;
}

void node_created(ThreadState& thread, const GraphSite& site) noexcept {
  write_held(thread);
  mark_graph_node_created(thread);
  t_graphs.held = node_of(thread, site);
  t_graphs.held.is_held = true;
  // Only the end of a call can reveal more.
  if (t_graphs.node_calls == 0 && thread.api_depth == 0) write_held(thread);
}

void node_cloned(ThreadState& thread, const GraphSite& site) noexcept {
  HeldNode& held = t_graphs.held;
  if (held.is_held && held.event.graph_node == site.node) {
    held.event.original_node = site.other;
  } else {
    write_held(thread);
    mark_graph_node_created(thread);
    held = node_of(thread, site);
    held.is_held = true;
  }
  write_held(thread);
}

void write_update(ThreadState& thread, std::uint64_t node, std::uint64_t like_node) noexcept {
  GraphUpdateEvent event{{}, node, like_node, recorded_stack(thread), now_ns()};
  write_event(thread, kGraphUpdateEvent, event);
}

void exec_created(ThreadState& thread, const GraphSite& site) noexcept {
  if (site.exec == 0) return;  // This CUPTI has no ids of executables.
  const std::int64_t end_ns = now_ns();
  std::int64_t start_ns = std::exchange(t_graphs.exec_start_ns, 0);
  // If the start was before the capture, it is recorded as an instant.
  if (start_ns == 0 || t_graphs.exec_source != site.graph) start_ns = end_ns;
  GraphExecEvent event{{}, start_ns, end_ns, site.exec, site.graph};
  write_event(thread, kGraphExecEvent, event);
}

void write_change(ThreadState& thread, const GraphSite& site) noexcept {
  switch (site.what) {
    case What::kNode:
      return node_created(thread, site);
    case What::kClone:
      return node_cloned(thread, site);
    default:
      write_held(thread);
  }
  switch (site.what) {
    case What::kNodeStarts:
      return t_graphs.starting.begin(site.graph, site.type);
    case What::kUpdate:
      t_graphs.updated_node = site.node;
      return write_update(thread, site.node, site.other);
    case What::kParameters:
      // An update reports the parameters it has set, too.
      if (std::exchange(t_graphs.updated_node, 0) != site.node) write_update(thread, site.node, 0);
      return;
    case What::kExecStarts:
      t_graphs.exec_start_ns = now_ns();
      t_graphs.exec_source = site.graph;
      return;
    case What::kExec:
      return exec_created(thread, site);
    case What::kEnd: {
      GraphEndEvent event{{}, now_ns(), site.graph, 0};
      return write_event(thread, kGraphEndEvent, event);
    }
    default:
      return;
  }
}

/// Calls write(thread) if the thread can record now. Events that cannot be recorded count as
/// refused.
template <typename Write>
void record(Write write) noexcept {
  const std::uint32_t epoch = session_epoch();
  if (epoch == 0 || is_dead(epoch)) return;
  const InsideCall inside;
  if (!inside.entered()) return refuse_event();
  ThreadState* thread = session_thread(epoch);
  if (thread == nullptr) return;
  if (is_standby(epoch)) write_stack(*thread, epoch);
  write(*thread);
}

}  // namespace

void enter_node_call() noexcept { ++t_graphs.node_calls; }

void leave_node_call() noexcept {
  if (t_graphs.node_calls != 0) --t_graphs.node_calls;
}

bool is_node_held() noexcept { return t_graphs.held.is_held; }

void graph_changed(const GraphSite& site) noexcept {
  record([&](ThreadState& thread) { write_change(thread, site); });
}

void write_held_node(ActivityDriver* driver) noexcept {
  HeldNode node = t_graphs.held;
  t_graphs.held.is_held = false;
  NodeKernel kernel;
  const bool asks = driver != nullptr && node.handle != nullptr &&
                    node.event.node_type == kKernelNode && node.epoch == session_epoch();
  if (asks && driver->query_node(node.handle, kernel)) node.event.grid = kernel.grid;
  record([&](ThreadState& thread) { write_node(thread, node, kernel.name); });
}

void stream_captured(ActivityDriver& driver, const void* graph) noexcept {
  if (!is_standby(session_epoch())) return;
  driver.each_kernel_node(graph, [](std::uint64_t node, const NodeKernel& kernel) {
    record([&](ThreadState& thread) {
      GraphKernelEvent event{{}, node, kernel.grid, 0};
      write_named(thread, event, kernel.name);
    });
  });
}

void graph_node_set(std::uint64_t node) noexcept {
  record([&](ThreadState& thread) { write_update(thread, node, 0); });
}

void graph_launched(Correlation correlation, std::uint32_t graph_exec) noexcept {
  record([&](ThreadState& thread) {
    GraphLaunchEvent event{{}, correlation, graph_exec, 0};
    write_event(thread, kGraphLaunchEvent, event);
  });
}

}  // namespace prof::collectors
