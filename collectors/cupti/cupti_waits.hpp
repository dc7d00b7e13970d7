// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CuptiWaits: the kind of wait that a driver's call performs, by CUPTI's ids. Passes CUPTI's
// structs as pointers, as CuptiGraphs does. Threads: load() from one; the rest from any, inside
// CUPTI's callbacks.
#pragma once

#include "collectors/cupti/activity_driver.hpp"

namespace prof::collectors {

class CuptiWaits {
 public:
  /// Looks up libcupti's function for ids. `library`: from dlopen().
  void load(void* library);

  /// Completes `site` at the end of a successful call that waits. `data`: the callback's
  /// CUpti_CallbackData. `is_per_thread`: the call's default stream is that of its thread. A stream
  /// that is being captured waits for nothing, and `site` no longer says so; `may_capture`: some
  /// stream may be.
  void complete(CallSite& site, const void* data, bool is_per_thread, bool may_capture) noexcept;

 private:
  void* stream_id_ = nullptr;  ///< CUPTI's function; null: this CUPTI has none.
};

}  // namespace prof::collectors
