// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Standby: the collector's activity before and between captures. It notices when the program calls
// cudaProfilerStart() and cudaProfilerStop(), if asked to, and follows CUDA graphs, so that a
// capture can attribute replays of those that were made before it: for that it is a session that
// records changes to graphs, and the ranges around them, into memory alone (LiveGraphs). While a
// capture runs, the standby learns from its records. CUPTI stays subscribed all the time, and
// events between the end of one session and the beginning of the next wait for the next one, so
// that nothing is missed (docs/decisions/0008-windows.md).
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
  /// Begins, on a thread of the program, which may be inside the start of the CUDA driver.
  /// `shared`: the output of all captures, so that nothing is recorded twice; null: each has its
  /// own.
  Status start(const CaptureConfig& config, Watch watch, std::shared_ptr<CaptureOutput> shared);
  [[nodiscard]] Watch watch() const { return watch_; }
  /// A capture starts, and counts from that time on.
  void pause(std::int64_t start_ns);
  /// The capture has ended, or could not start.
  Status resume();
  /// No further capture comes: the standby stops writing texts.
  void finish();
  /// Ends watching, too.
  void end();
  /// A source for a capture, if graphs are watched: the capture begins with the standby's
  /// knowledge, and adds to it.
  std::unique_ptr<CaptureSource> source();

 private:
  class Client;
  class Source;

  Watch watch_;
  std::shared_ptr<CaptureOutput> shared_;
  LiveGraphs graphs_;
  bool has_recorded_ = false;  ///< The last capture has received the known graphs.
  std::unique_ptr<RecordSink> nowhere_;
  std::unique_ptr<Client> client_;  ///< The recorder's client, while there is a recorder.
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace prof::collectors
