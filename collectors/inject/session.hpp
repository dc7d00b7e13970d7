// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Session: one capture from start to stop. Combines the sources, the recorder and the files,
// starting and ending them in the required order. capture_control.cpp decides when to do so.
// Threads: one at a time for all but counts().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "collectors/core/recorder.hpp"
#include "collectors/core/source_list.hpp"
#include "collectors/cupti/cupti_source.hpp"
#include "collectors/inject/capture_output.hpp"
#include "collectors/inject/config.hpp"
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

  /// The time at which the files are created: at once, or with the first GPU work.
  enum class Begin : std::uint8_t { kAtOnce, kWithWork };
  struct Window {
    std::string opener;        ///< The reason why it begins.
    std::uint32_t number = 0;  ///< Counts from 1.
  };
  struct Start {
    std::uint32_t number = 0;  ///< Number among the process's sessions, from 0.
    Begin begin = Begin::kAtOnce;
    /// The standby to pause for the session; may be null.
    Standby* standby = nullptr;
    /// Prepared output; null: the session makes its own.
    std::shared_ptr<CaptureOutput> output = {};
    /// Set if the program does not know of the session.
    std::optional<Window> window = {};
  };
  /// Starts capturing. Problems that do not prevent the capture are printed on stderr. After an
  /// error the object can only be destroyed.
  Status start(const CaptureConfig& config, Start start, StartFailure& failure);

  using End = collectors::End;
  /// Ends the capture and closes its files, unless others share them. kStop: waits for the GPU's
  /// work first, so that every earlier launch is in the trace, and `detach` detaches CUPTI from the
  /// process. kExit: waits at most two seconds for outstanding records, and leaves CUPTI as it is.
  /// `closer`: the reason why a window ends. The error is a complete line.
  Status stop(End end, bool detach, const std::string& closer = {});

  /// Writes everything finished so far to the file.
  Status flush();

  /// Counts of records decoded so far; after stop(), of the records in the file.
  [[nodiscard]] CollectorCounts counts() const;
  [[nodiscard]] std::uint64_t lost() const { return output_->lost(); }
  [[nodiscard]] const CaptureFiles& files() const { return output_->files(); }
  [[nodiscard]] std::string output() const { return output_->files().path(); }
  /// Grows as long as stop() makes progress.
  [[nodiscard]] std::uint64_t progress() const;

  /// Counts in the trace the GPU calls made since the exit handlers. Returns the line to print;
  /// empty: there were none.
  std::string report_late_launches();

  /// The line to print about the files, see CaptureOutput. To be called after stop().
  [[nodiscard]] std::string closing_line() const {
    return output_->is_shared() ? "" : output_->closing_line();
  }
  /// The collector, which counts launches. Lives as long as the process.
  [[nodiscard]] const Collector& collector() const { return cupti_->collector(); }

 private:
  void make_sources(const CaptureConfig& config, const Start& start);
  Status open_files(Begin begin);
  void record_facts(const CaptureConfig& config);
  void record_window(std::int64_t end_ns, const std::string& closer);

  SourceList sources_;
  CuptiSource* cupti_ = nullptr;  ///< One of the sources.
  std::shared_ptr<CaptureOutput> output_;
  std::unique_ptr<Recorder> recorder_;
  Standby* standby_ = nullptr;
  std::optional<Window> window_;
  std::int64_t start_ns_ = 0;
  RangeId first_range_ = 0, end_range_ = 0;  ///< See CaptureRecord.
};

}  // namespace prof::collectors
