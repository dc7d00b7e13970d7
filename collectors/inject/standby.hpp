// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Standby: what goes on before and between captures. It notices when the program calls
// cudaProfilerStart() and cudaProfilerStop(), if asked to, and follows CUDA graphs, so that a
// capture can attribute replays of those that were made before it: for that it is a session that
// records what happens to graphs, and the ranges around that, into memory alone (LiveGraphs).
// While a capture runs, the standby learns from its records. CUPTI stays subscribed all the time,
// and what happens while one session ends and the next begins waits for that one, so that nothing
// is missed (docs/decisions/0008-windows.md).
//
// Lifetime: one heap object per process, never freed. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "collectors/core/capture_source.hpp"
#include "collectors/core/live_graphs.hpp"
#include "collectors/core/recorder.hpp"
#include "collectors/cupti/activity_driver.hpp"
#include "collectors/inject/capture_output.hpp"
#include "collectors/inject/config.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

class Standby {
 public:
  /// Begins, on a thread of the program, which may be in the start of the CUDA driver. `shared`:
  /// what all captures write to, so that nothing is recorded twice; null: each to its own.
  Status start(const CaptureConfig& config, Watch watch, std::shared_ptr<CaptureOutput> shared);
  [[nodiscard]] Watch watch() const { return watch_; }
  /// A capture starts, and counts from that time on.
  void pause(std::int64_t start_ns);
  /// It has ended, or could not start.
  Status resume();
  /// No capture comes any more: it stops writing texts.
  void finish();
  /// And watches no longer.
  void end();
  /// For a capture, if graphs are watched: it begins with what the standby knows, and teaches it.
  std::unique_ptr<CaptureSource> source();

 private:
  class Client;
  class Source;

  Watch watch_;
  std::shared_ptr<CaptureOutput> shared_;
  LiveGraphs graphs_;
  bool has_recorded_ = false;  ///< The capture that ran last has got what was known.
  std::unique_ptr<RecordSink> nowhere_;
  std::unique_ptr<Client> client_;  ///< Of the recorder, while there is one.
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace prof::collectors
