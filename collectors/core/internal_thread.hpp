// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads of the capture's own. They block all signals: none that is meant for the program reaches
// them, and a write of theirs to a full file or a closed pipe fails instead of killing the program.
// Therefore all file work belongs on them. Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace prof::collectors {

/// Starts a thread with a name; its NVTX and CUDA calls are not recorded. Throws std::system_error.
std::thread start_internal_thread(const char* name, std::function<void()> body);

/// How long to wait for somebody who may never come back.
struct Patience {
  /// Anything that grows while there is progress.
  std::function<std::uint64_t()> progress;
  std::int64_t without_progress_ns = 0;
};

/// Runs `action` on a thread of its own and waits for its end; where there can be no thread, here,
/// with all signals blocked. An exception of it ends it. With `patience`, false where it made no
/// progress for so long: it goes on by itself then, and what it uses must live for ever.
bool run_on_internal_thread(const char* name, std::function<void()> action,
                            const Patience* patience = nullptr);

}  // namespace prof::collectors
