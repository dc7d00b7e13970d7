// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See progress.hpp.
#include "common/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "common/device_peak.hpp"

namespace ref {

Progress::Progress(const Workload& workload) : on_(isatty(STDERR_FILENO) == 1) {
  if (!on_) return;
  throughput_ = workload.throughput();
  step_flops_ = static_cast<double>(workload.ledger().flops());
  peak_flops_ = tensor_peak_flops();
  last_ = std::chrono::steady_clock::now();
}

Progress::~Progress() {
  if (shown_) std::fputc('\n', stderr);
}

void Progress::show(std::string_view what, int step, int steps, Trainer& trainer) {
  if (!on_) return;
  const float loss = trainer.loss();  // waits for the step, so the time below is the step's
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  std::fprintf(stderr, "\r%.*s %d/%d  loss %.5f  %.2f ms  %.0f %.*s/s",
               static_cast<int>(what.size()), what.data(), step, steps, static_cast<double>(loss),
               seconds * 1e3, throughput_.per_step / seconds,
               static_cast<int>(throughput_.unit.size()), throughput_.unit.data());
  if (step_flops_ > 0) {
    std::fprintf(stderr, "  %.1f TFLOP/s", step_flops_ / seconds / 1e12);
    if (peak_flops_) std::fprintf(stderr, " (%.1f%%)", 100 * step_flops_ / seconds / *peak_flops_);
  }
  std::fputs("\x1b[K", stderr);  // erases what a longer line left behind
  shown_ = true;
}

}  // namespace ref
