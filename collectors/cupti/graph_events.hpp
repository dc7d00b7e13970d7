// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Records what happens to CUDA graphs, as events in the ring of the thread on which it happens.
// Each function acts on the calling thread, inside a CUDA call of the program, and allocates
// nothing, takes no lock and calls nothing of CUDA's, but for write_held_node() and
// stream_captured().
//
// A new node is held until what follows says more about it: that it is a copy, or, at the end of
// the call that made it, what its kernel is (docs/decisions/0007-cuda-graphs.md).
#pragma once

#include "collectors/cupti/activity_driver.hpp"

namespace prof::collectors {

/// The thread enters or leaves a call that may create nodes without launching (makes_nodes()).
void enter_node_call() noexcept;
void leave_node_call() noexcept;

/// Something happens to a graph.
void graph_changed(const GraphSite& site) noexcept;

/// Whether a node waits for write_held_node(). Cheap: asked at the end of every call.
[[nodiscard]] bool is_node_held() noexcept;
/// The call in which the held node was created ends. `driver`: asked what the node's kernel is;
/// null: the node may be gone, or is CUDA's own.
void write_held_node(ActivityDriver* driver) noexcept;

/// A call ends the capture of a stream into a graph. In a standby, which has no callbacks of
/// launches, `driver` is asked here what the graph's kernels are.
void stream_captured(ActivityDriver& driver, const void* graph) noexcept;

/// A call has set what a node of a graph does.
void graph_node_set(std::uint64_t node) noexcept;

/// A call has launched an executable.
void graph_launched(Correlation correlation, std::uint32_t graph_exec) noexcept;

}  // namespace prof::collectors
