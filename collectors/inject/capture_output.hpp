// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CaptureOutput: the output of a capture: its files, the ids of the texts in them, and the rule
// that decides whether they are worth keeping. The windows of a run share one, unless each has
// files of its own. Threads: one at a time, except where noted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "collectors/cupti/cupti_source.hpp"
#include "collectors/inject/capture_files.hpp"
#include "collectors/inject/config.hpp"
#include "libprof/source/string_interner.hpp"

namespace prof::collectors {

class CaptureOutput {
 public:
  /// `window` fills %n. `is_shared`: several captures write to it, until end().
  CaptureOutput(const CaptureConfig& config, std::int64_t start_ns, std::uint32_t window,
                bool is_shared);
  CaptureOutput(const CaptureOutput&) = delete;
  CaptureOutput& operator=(const CaptureOutput&) = delete;

  [[nodiscard]] CaptureFiles& files() { return files_; }
  [[nodiscard]] const CaptureFiles& files() const { return files_; }
  /// Valid until the end of the capture, unless the output is shared.
  [[nodiscard]] StringInterner& strings() { return *strings_; }
  [[nodiscard]] bool is_shared() const { return is_shared_; }

  /// A capture is about to begin: `source` reports whether there is work to keep. False: the facts
  /// about the process are not there yet.
  bool begin(const CuptiSource& source);
  /// The capture has begun.
  void note_begun() { ++captures_; }
  void end_capture();
  [[nodiscard]] std::uint32_t captures() const { return captures_; }

  /// Closes shared files. On one of our own threads.
  void end();

  /// Number of losses since the output was made. Any thread.
  [[nodiscard]] std::uint64_t lost() const;
  /// A line about the contents of the closed files: "wrote trace.db: 788 kernels, 12 copies, 0
  /// lost; see prof-report -r summary trace.db". Empty if there is nothing to print.
  [[nodiscard]] std::string closing_line() const;

 private:
  [[nodiscard]] std::uint64_t counted_losses() const;

  const bool is_shared_, is_part_of_a_run_;
  const std::uint64_t lost_before_;
  std::atomic<bool> had_work_{false};
  std::atomic<const CuptiSource*> source_{nullptr};
  std::atomic<std::uint32_t> captures_{0};
  std::unique_ptr<StringInterner> strings_;
  CaptureFiles files_;
};

}  // namespace prof::collectors
