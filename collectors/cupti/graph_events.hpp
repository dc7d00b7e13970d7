// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Records changes to CUDA graphs, as events in the ring of the thread on which they happen. Each
// function acts on the calling thread, inside a CUDA call of the program, allocates nothing, takes
// no lock and calls no CUDA function. The exceptions are write_held_node() and stream_captured().
//
// A new node is held until later events complete it: that it is a copy, or, at the end of the call
// that made it, the function of its kernel (docs/decisions/0007-cuda-graphs.md).
#pragma once

#include "collectors/cupti/activity_driver.hpp"

namespace prof::collectors {

/// The thread enters or leaves a call that may create nodes without launching (makes_nodes()).
void enter_node_call() noexcept;
void leave_node_call() noexcept;

/// A graph changes.
void graph_changed(const GraphSite& site) noexcept;

/// Whether a node waits for write_held_node(). Cheap: asked at the end of every call.
[[nodiscard]] bool is_node_held() noexcept;
/// The call in which the held node was created ends. `driver` is queried for the node's kernel;
/// null: the node may be gone, or is CUDA's own.
void write_held_node(ActivityDriver* driver) noexcept;

/// A call ends the capture of a stream into a graph. In a standby, which has no callbacks of
/// launches, `driver` is queried here for the graph's kernels.
void stream_captured(ActivityDriver& driver, const void* graph) noexcept;

/// A call has set the parameters of a graph's node.
void graph_node_set(std::uint64_t node) noexcept;

/// A call has launched an executable.
void graph_launched(Correlation correlation, std::uint32_t graph_exec) noexcept;

}  // namespace prof::collectors
