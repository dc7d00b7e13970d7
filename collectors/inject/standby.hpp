// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Standby: what goes on before and between captures, so that a capture can attribute replays of
// CUDA graphs that were made before it. A session that records what happens to graphs, and the
// ranges around that, into memory alone (LivingGraphs). While a capture runs, the standby learns
// from its records. CUPTI stays subscribed all the time, and what happens while one session ends
// and the next begins waits for that one, so that nothing is missed (docs/decisions/0019).
//
// Lifetime: one heap object per process, never freed. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "collectors/core/living_graphs.hpp"
#include "collectors/core/recorder.hpp"
#include "collectors/inject/config.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

class Standby {
 public:
  /// Begins, on a thread of the program, which may be in the start of the CUDA driver.
  Status start(const CaptureConfig& config);
  /// A capture starts, and counts from that time on.
  void pause(std::int64_t start_ns);
  /// It has ended, or could not start.
  Status resume();
  /// The capture's recorder begins with what the standby knows, and teaches it.
  void attach(RecorderOptions& options);

 private:
  LivingGraphs graphs_;
  std::unique_ptr<RecordSink> nowhere_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace prof::collectors
