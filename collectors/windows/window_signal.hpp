// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A signal that opens and closes windows. The program's action for the signal stays: its handler
// runs after ours, also one that it sets later, as soon as keep_listening() has noticed. A signal
// without a handler of the program no longer ends it. Threads: one, but for the handler.
#pragma once

#include <semaphore.h>

#include <cstdint>

namespace prof::collectors {

/// Each signal posts `wake`, which must live forever.
void listen_to_signal(int signal, sem_t& wake);
/// Puts our handler before a handler that the program has set since.
void keep_listening();
/// Number of signals since the last call.
[[nodiscard]] std::uint32_t take_signals();
/// Returns the signal to the program. In a forked child, too.
void stop_listening() noexcept;

}  // namespace prof::collectors
