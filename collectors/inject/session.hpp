// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Session: one capture from start to stop. Puts together the driver, the collector, the recorder
// and the files that it writes, in the order in which they must begin and end. Does not decide
// when: that is control.cpp. Threads: one at a time for all but counts().
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collectors/core/recorder.hpp"
#include "collectors/cupti/activity_driver.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/inject/config.hpp"
#include "collectors/inject/process_facts.hpp"
#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof {
class StreamWriter;
class TeeSink;
class TraceWriter;
}  // namespace prof

namespace prof::collectors {

enum class StartFailure : std::uint8_t { kDriver, kOutput, kOther };

class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Begins to capture. Lines about what does not hinder the capture are said on stderr. `number`
  /// counts the process's sessions from 0. After an error the object can only be destroyed.
  Status start(const CaptureConfig& config, std::uint32_t number, StartFailure& failure);

  enum class End : std::uint8_t { kStop, kExit };
  /// Ends the capture and closes its files. kStop: waits for the GPU's work first, so that every
  /// launch before is in the trace, and `detach` takes CUPTI out of the process. kExit: waits two
  /// seconds at most for records still to come, and leaves CUPTI as it is.
  Status stop(End end, bool detach);

  /// Everything finished so far is in the file.
  Status flush();

  [[nodiscard]] CollectorCounts counts() const { return collector_->counts(); }
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] const std::string& output() const { return output_; }

  /// "wrote trace.db: 788 kernels, 12 copies, 0 lost"
  [[nodiscard]] std::string closing_line() const;

 private:
  Status open_outputs(const CaptureConfig& config);
  Status open_trace(const CaptureConfig& config);
  void open_stream(const CaptureConfig& config);
  void tell_facts(const CaptureConfig& config);
  void compare_launches_with_records();
  RecordSink& sink();

  ActivityDriver& driver_;
  Collector* collector_ = nullptr;  ///< Never freed: CUPTI may call it late.
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<StreamWriter> stream_;
  std::unique_ptr<TeeSink> tee_;
  std::unique_ptr<Recorder> recorder_;
  std::string output_, stream_output_;
  std::int64_t start_ns_ = 0;
  std::uint64_t lost_before_ = 0, dropped_before_ = 0;
};

}  // namespace prof::collectors
