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
#include "collectors/inject/capture_files.hpp"
#include "collectors/inject/config.hpp"
#include "collectors/inject/process_facts.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

enum class StartFailure : std::uint8_t { kDriver, kOutput, kOther };

class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// When the files are made: at once, or with the first work on a GPU.
  enum class Begin : std::uint8_t { kAtOnce, kWithWork };
  /// Begins to capture. Lines about what does not hinder the capture are said on stderr. `number`
  /// counts the process's sessions from 0. After an error the object can only be destroyed.
  Status start(const CaptureConfig& config, std::uint32_t number, Begin begin,
               StartFailure& failure);

  enum class End : std::uint8_t { kStop, kExit };
  /// Ends the capture and closes its files. kStop: waits for the GPU's work first, so that every
  /// launch before is in the trace, and `detach` takes CUPTI out of the process. kExit: waits two
  /// seconds at most for records still to come, and leaves CUPTI as it is.
  /// The error is a whole line.
  Status stop(End end, bool detach);

  /// Everything finished so far is in the file.
  Status flush();

  /// Of records decoded so far; after stop() of what the file holds.
  [[nodiscard]] CollectorCounts counts() const;
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::string output() const { return files_->path(); }
  /// Grows as long as a stop() gets on.
  [[nodiscard]] std::uint64_t progress() const;

  /// After the exit handlers: counts, in the trace, the calls for GPU work that were made since.
  /// What to say of them; empty: there were none.
  std::string tell_late_launches();

  /// After stop(): "wrote trace.db: 788 kernels, 12 copies, 0 lost", told of what the file holds;
  /// empty where there is nothing to say.
  [[nodiscard]] std::string closing_line() const;

 private:
  CaptureFilesOptions files_options(const CaptureConfig& config);
  Status open_files(const CaptureConfig& config, Begin begin);
  void tell_facts(const CaptureConfig& config);
  void compare_launches_with_records();
  [[nodiscard]] std::uint64_t counted_losses() const;

  ActivityDriver& driver_;
  Collector* collector_ = nullptr;  ///< Never freed: CUPTI may call it late.
  std::unique_ptr<CaptureFiles> files_;
  std::unique_ptr<Recorder> recorder_;
  bool is_part_of_a_run_ = false;
  std::int64_t start_ns_ = 0;
  /// Late calls, and records, that the trace's losses already count with.
  struct {
    std::uint64_t launches = 0, others = 0, records = 0;
  } seen_late_;
  std::uint64_t lost_before_ = 0, dropped_before_ = 0;
};

}  // namespace prof::collectors
