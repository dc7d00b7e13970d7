// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The common prologue of all range and mark handlers. Acts on the calling thread.
#pragma once

#include "collectors/core/global.hpp"
#include "collectors/core/reentry.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// One call of a program thread: its state, the session, and the right to touch them. False: there
/// is nothing to do, or the call was counted as lost. refused(): a signal handler of the program
/// interrupted another call on its thread.
class Caller {
 public:
  Caller() noexcept {
    if (is_dead(epoch) || !inside_.entered()) return;
    thread = current_thread();
    // Our own threads' calls are ignored.
    if (thread == nullptr && !is_internal_thread()) global().losses.add(Loss::kNoThreadMemory);
  }
  explicit operator bool() const noexcept { return thread != nullptr; }
  [[nodiscard]] bool refused() const noexcept { return !inside_.entered() && !is_dead(epoch); }

  const std::uint32_t epoch = recording_epoch();
  ThreadState* thread = nullptr;

 private:
  InsideCall inside_;
};

}  // namespace prof::collectors
