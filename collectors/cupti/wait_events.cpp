// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/wait_events.hpp"

#include <cstring>
#include <utility>

#include "collectors/core/caller.hpp"
#include "collectors/core/events.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/core/write_event.hpp"

namespace prof::collectors {
namespace {

struct WaitEvent {
  EventHeader header;
  SyncRecord wait;
};

/// Start of the wait that the thread is in; 0: no known wait.
__attribute__((tls_model("initial-exec"))) constinit thread_local std::int64_t t_start_ns = 0;

}  // namespace

void wait_begins() noexcept { t_start_ns = now_ns(); }

void wait_ended(const CallSite& site) noexcept {
  const std::int64_t start_ns = std::exchange(t_start_ns, 0);
  if (start_ns == 0) return;  // The capture began inside the wait.
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller || caller.epoch == 0) return;
  ThreadState& thread = *caller.thread;
  if (thread.epoch != caller.epoch && !enter_epoch(global(), thread, caller.epoch)) return;
  WaitEvent event{};
  event.wait = {site.correlation, site.wait, site.context, site.stream, 0, start_ns, now_ns()};
  write_event(thread, kWaitEvent, event);
}

bool read_wait_event(const EventHeader& header, ActivitySink& sink) {
  WaitEvent event;
  if (header.kind != kWaitEvent || header.bytes < sizeof event) return false;
  std::memcpy(static_cast<void*>(&event), &header, sizeof event);
  sink.records().on(event.wait);
  return true;
}

}  // namespace prof::collectors
