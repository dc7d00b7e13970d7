// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns events of CUDA graphs into records, on the recorder's worker.
#pragma once

#include <optional>

#include "collectors/core/activity_sink.hpp"
#include "collectors/core/event_ring.hpp"
#include "collectors/core/live_graphs.hpp"

namespace prof::collectors {

/// False: the event is of another kind, or damaged.
bool read_graph_event(ThreadId thread, const EventHeader& header, ActivitySink& sink);

/// Reads a kernel node that a standby has queried. None: the event is of another kind, or damaged.
std::optional<LiveGraphs::Kernel> read_graph_kernel(const EventHeader& header, ActivitySink& sink);

}  // namespace prof::collectors
