// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns events of CUDA graphs into records, on the recorder's worker.
#pragma once

#include "collectors/core/activity_sink.hpp"
#include "collectors/core/event_ring.hpp"

namespace prof::collectors {

/// False: the event is of another kind, or damaged.
bool read_graph_event(ThreadId thread, const EventHeader& header, ActivitySink& sink);

}  // namespace prof::collectors
