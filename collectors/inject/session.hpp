// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Session: one capture from start to stop. Combines the sources, the recorder and the files,
// starting and ending them in the required order. When to do so is decided by capture_control.cpp.
// Threads: one at a time for all but counts().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectors/core/recorder.hpp"
#include "collectors/core/source_list.hpp"
#include "collectors/cupti/cupti_source.hpp"
#include "collectors/inject/capture_files.hpp"
#include "collectors/inject/config.hpp"
#include "collectors/inject/process_facts.hpp"
#include "collectors/inject/standby.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

enum class StartFailure : std::uint8_t { kDriver, kOutput, kOther };

class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// When the files are created: at once, or with the first GPU work.
  enum class Begin : std::uint8_t { kAtOnce, kWithWork };
  /// Starts capturing. Problems that do not prevent the capture are printed on stderr. `number`
  /// counts the process's sessions from 0. `standby` (may be null) pauses from here on. After an
  /// error the object can only be destroyed.
  Status start(const CaptureConfig& config, std::uint32_t number, Begin begin, Standby* standby,
               StartFailure& failure);

  using End = collectors::End;
  /// Ends the capture and closes its files. kStop: waits for the GPU's work first, so that every
  /// earlier launch is in the trace, and `detach` detaches CUPTI from the process. kExit: waits at
  /// most two seconds for outstanding records, and leaves CUPTI as it is. The error is a complete
  /// line.
  Status stop(End end, bool detach);

  /// Writes everything finished so far to the file.
  Status flush();

  /// Counts of records decoded so far; after stop(), of what the file holds.
  [[nodiscard]] CollectorCounts counts() const;
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::string output() const { return files_->path(); }
  /// Grows as long as stop() makes progress.
  [[nodiscard]] std::uint64_t progress() const;

  /// After the exit handlers: counts in the trace the GPU calls made since. Returns the line to
  /// print; empty: there were none.
  std::string report_late_launches();

  /// After stop(): "wrote trace.db: 788 kernels, 12 copies, 0 lost", for what the file holds; empty
  /// if there is nothing to print.
  [[nodiscard]] std::string closing_line() const;

 private:
  void make_sources(const CaptureConfig& config, std::uint32_t number, bool stands_by);
  CaptureFilesOptions files_options(const CaptureConfig& config);
  Status open_files(const CaptureConfig& config, Begin begin);
  void record_facts(const CaptureConfig& config);
  [[nodiscard]] std::uint64_t counted_losses() const;

  SourceList sources_;
  CuptiSource* cupti_ = nullptr;  ///< One of them.
  std::unique_ptr<CaptureFiles> files_;
  std::unique_ptr<Recorder> recorder_;
  Standby* standby_ = nullptr;
  bool is_part_of_a_run_ = false;
  std::int64_t start_ns_ = 0;
  std::uint64_t lost_before_ = 0;
};

}  // namespace prof::collectors
