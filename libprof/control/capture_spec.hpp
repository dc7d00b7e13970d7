// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run that are captured, in words: PROF_CAPTURE and prof-run --capture. Each part is
// a window. Windows are open while one of their openers requires it (docs/capture.md); limits end
// them. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof {

/// Numbers from `first` to `last`, both included.
struct Span {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] constexpr bool contains(std::int64_t number) const {
    return number >= first && number <= last;
  }
};

/// NVTX ranges that open a window: nvtx:[DOMAIN:]GLOB[#N..M].
struct RangeOpener {
  /// One way to read the words; texts of ranges may have colons and numbers themselves.
  struct Reading {
    std::optional<std::string> domain;  ///< A pattern (base/glob.hpp); none: ranges of all domains.
    std::string text;                   ///< A pattern.
    Span times = {1};                   ///< The ranges to count among those that match, from 1 on.
  };
  std::vector<Reading> readings;
};

/// Recurring windows: the last `length` of every `period` steps or ns.
struct Duty {
  bool is_of_steps = false;
  std::int64_t length = 0, period = 0;
};

struct CaptureSpec {
  // Openers.
  bool profiler_api = false;  ///< cudaProfilerStart() and cudaProfilerStop().
  std::vector<RangeOpener> ranges;
  std::vector<Span> steps;
  std::optional<Duty> duty;
  int signal = 0;        ///< The signal that opens and closes in turn; 0: none.
  bool control = false;  ///< prof-run --pid PID start and stop.

  // Limits.
  std::int64_t delay_ns = 0;                ///< Delay after the start of CUDA.
  std::optional<std::int64_t> duration_ns;  ///< Length of each window.
  std::optional<std::uint64_t> kernels;     ///< Kernels of each window; it may contain some more.

  std::vector<std::string> words;  ///< As they were given.
  /// Limit for all range openers together.
  static constexpr std::size_t kMaxReadings = 60;

  [[nodiscard]] bool has_steps() const { return !steps.empty() || (duty && duty->is_of_steps); }
  /// Without openers the window is open from the end of the delay on.
  [[nodiscard]] bool has_openers() const {
    return profiler_api || !ranges.empty() || !steps.empty() || duty || signal != 0 || control;
  }
};

inline constexpr std::string_view kCaptureSpecExpected =
    "cuda-profiler-api, nvtx:[DOMAIN:]GLOB[#N..M], steps:A..B[,C..D], delay:TIME or duration:TIME "
    "(500ms, 30s, 10m, 2h), kernels:N, duty:N/Msteps or duty:TIME/TIME, signal:NAME (USR1, USR2, "
    "...) or control";

/// Adds the openers and limits of one --capture. The error states what is wrong.
Status add_capture_spec(std::string_view words, CaptureSpec& spec);
/// Adds the specs of PROF_CAPTURE: one on each line.
Status add_capture_specs(std::string_view lines, CaptureSpec& spec);

/// "500M", "2G": bytes; units are of 1024.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
inline constexpr std::string_view kSizeExpected = "a size from 1M on (500M, 2G, 1T)";

}  // namespace prof
