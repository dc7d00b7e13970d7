// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The capture's own threads. They block all signals: none meant for the program reaches them, and
// their writes to a full file or a closed pipe fail instead of killing the program. Therefore all
// file work belongs on them. They are ordinary threads on any CPU that the process was started on,
// even if the thread that makes them is of a real-time class or bound to one. Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace prof::collectors {

/// Starts a thread with a name; its NVTX and CUDA calls are not recorded. Throws std::system_error.
std::thread start_internal_thread(const char* name, std::function<void()> body);

/// How long to wait for an action that may never return.
struct StallTimeout {
  /// Any value that grows while there is progress.
  std::function<std::uint64_t()> progress;
  std::int64_t without_progress_ns = 0;  ///< As WaitTime counts.
};

/// Runs `action` on a thread of its own and waits for it; if no thread can be created, on this one,
/// with all signals blocked. An exception ends the action. With `stall_timeout`, returns false if
/// the action made no progress for that long: it then continues on its own, and everything that it
/// uses must live forever.
bool run_on_internal_thread(const char* name, std::function<void()> action,
                            const StallTimeout* stall_timeout = nullptr);

}  // namespace prof::collectors
