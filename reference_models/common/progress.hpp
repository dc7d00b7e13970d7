// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress and speed of a training run: one self-updating line on stderr, only on a terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "common/workload.hpp"

namespace ref {

/// Measures the time between its calls; used by one thread.
class Progress {
 public:
  /// Asks the current device for its peak, if stderr is a terminal.
  explicit Progress(const Workload& workload);
  /// Ends the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After step `step` of `steps`. Waits for the step, but only on a terminal: elsewhere the GPU
  /// does nothing extra.
  void show(std::string_view what, int step, int steps, Trainer& trainer);

 private:
  bool on_;
  bool shown_ = false;
  Throughput throughput_{};
  double step_flops_ = 0;  // by the ledger
  std::optional<double> peak_flops_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ref
