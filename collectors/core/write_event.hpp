// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes an event, perhaps with a text behind it, into the calling thread's ring. The caller holds
// an InsideCall that entered (reentry.hpp), and the thread is part of the session (enter_epoch()).
// Allocates nothing, takes no lock.
#pragma once

#include <cstring>
#include <string_view>

#include "collectors/core/global.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// `event` begins with its EventHeader, which is filled in here. Without room it is counted.
template <typename Event>
void write_event(ThreadState& thread, EventKind kind, Event& event,
                 std::string_view text = {}) noexcept {
  std::byte* room = thread.ring.reserve(kind, sizeof event + text.size());
  if (room == nullptr) {
    global().losses.add(Loss::kRingFull);
    global().wake();
    return;
  }
  std::memcpy(&event.header, room, sizeof event.header);
  std::memcpy(room, &event, sizeof event);
  if (!text.empty()) std::memcpy(room + sizeof event, text.data(), text.size());
  thread.ring.commit();
  if (thread.ring.over_half_full()) global().wake();
}

}  // namespace prof::collectors
