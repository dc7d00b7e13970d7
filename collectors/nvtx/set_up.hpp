// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What every handler does that registers or names something. Threads: any.
#pragma once

#include "collectors/core/global.hpp"
#include "collectors/core/quiet_mutex.hpp"
#include "collectors/nvtx/counted_calls.hpp"

namespace prof::collectors {

/// action(objects), with signals blocked while it runs; `otherwise` in a forked child, when memory
/// ran out (counted), and in a handler of a fault that such an action raised (counted).
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
