// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Records the program's waits, from the driver's calls: CUPTI's own records of waits cost a PyTorch
// step a fifth of its time (docs/overhead.md). Each function acts on the calling thread, inside the
// call, allocates nothing, takes no lock and calls no CUDA function.
#pragma once

#include "collectors/core/activity_sink.hpp"
#include "collectors/core/event_ring.hpp"
#include "collectors/cupti/activity_driver.hpp"

namespace prof::collectors {

/// A driver's call that waits begins.
void wait_begins() noexcept;
/// The call has ended successfully.
void wait_ended(const CallSite& site) noexcept;

/// Passes on the wait in an event of a thread's ring; false: it is another source's event. Called
/// on the recorder's worker.
bool read_wait_event(const EventHeader& header, ActivitySink& sink);

}  // namespace prof::collectors
