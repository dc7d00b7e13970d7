// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Common to all handlers that register or name something. Threads: any.
#pragma once

#include "collectors/core/global.hpp"
#include "collectors/core/signal_safe_mutex.hpp"
#include "collectors/nvtx/counted_calls.hpp"

namespace prof::collectors {

/// Runs action(objects) with signals blocked; returns `otherwise` in a forked child, when out of
/// memory (counted), and in a handler of a fault that such an action raised (counted).
template <typename Result, typename Action>
Result set_up(Result otherwise, Action action) noexcept {
  if (is_dead(recording_epoch())) return otherwise;
  if (signals_are_blocked()) {
    global().losses.add(Loss::kInSignalHandler);
    return otherwise;
  }
  const SignalsBlocked quiet;
  try {
    return action(global().objects);
  } catch (...) {
    count_call();
    return otherwise;
  }
}

}  // namespace prof::collectors
