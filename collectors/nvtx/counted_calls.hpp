// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Handlers for NVTX calls of kinds that are not kept: each call is counted (nvtx_call_not_kept) and
// returns zero. Counted<T>::call has the signature of the function (pointer) type T.
#pragma once

#include "collectors/core/global.hpp"

namespace prof::collectors {

inline void count_call() noexcept {
  if (!is_dead(recording_epoch())) global().losses.add(Loss::kNvtxCallNotKept);
}

template <typename Function>
struct Counted;

template <typename Result, typename... Arguments>
struct Counted<Result (*)(Arguments...)> {
  static Result call(Arguments...) noexcept {
    count_call();
    return Result();
  }
};

template <typename Result, typename... Arguments>
struct Counted<Result(Arguments...)> : Counted<Result (*)(Arguments...)> {};

}  // namespace prof::collectors
