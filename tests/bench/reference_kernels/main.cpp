// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints how much of the device's copy bandwidth each memory-bound kernel of the reference models
// reaches. Usage: reference_kernels [PART OF A NAME]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "common/gpu.hpp"
#include "rows.hpp"

namespace {

using ref::bench::Row;

class Event {
 public:
  Event() { ref::check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { ref::check(cudaEventRecord(event_, stream)); }
  /// Waits for both.
  [[nodiscard]] double microseconds_since(const Event& start) const {
    ref::check(cudaEventSynchronize(event_));
    float ms = 0;
    ref::check(cudaEventElapsedTime(&ms, start.event_, event_));
    return 1e3 * static_cast<double>(ms);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Median over several windows of a few launches each, so that what the events themselves cost does
// not show.
double microseconds(const Row& row, cudaStream_t stream) {
  constexpr int kWindows = 9;
  constexpr int kLaunches = 4;
  for (int i = 0; i < 2; ++i) row.launch(stream);
  std::vector<double> times;
  Event start;
  Event stop;
  for (int window = 0; window < kWindows; ++window) {
    start.record(stream);
    for (int i = 0; i < kLaunches; ++i) row.launch(stream);
    stop.record(stream);
    times.push_back(stop.microseconds_since(start) / kLaunches);
  }
  std::nth_element(times.begin(), times.begin() + kWindows / 2, times.end());
  return times[kWindows / 2];
}

void print(const Row& row, double us, double copy_rate) {
  const double rate = row.bytes / us / 1e3;
  std::printf("%-38s %-27s %8.1f %9.1f %8.0f %6.0f\n", row.kernel.c_str(), row.shape.c_str(),
              row.bytes / 1e6, us, rate, copy_rate > 0 ? 100 * rate / copy_rate : 100.0);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string wanted = argc > 1 ? argv[1] : "";
  const ref::Stream stream;
  const auto tensors = ref::bench::make_tensors();
  std::printf("%-38s %-27s %8s %9s %8s %6s\n", "kernel", "shape", "MB", "us", "GB/s", "% copy");
  const Row copy = ref::bench::copy_row(tensors);
  const double copy_us = microseconds(copy, stream);
  const double copy_rate = copy.bytes / copy_us / 1e3;
  print(copy, copy_us, copy_rate);
  int slow = 0;
  for (const Row& row : ref::bench::make_rows(tensors)) {
    if (row.kernel.find(wanted) == std::string::npos) continue;
    const double us = microseconds(row, stream);
    print(row, us, copy_rate);
    if (row.bytes / us / 1e3 < copy_rate / 2) ++slow;
  }
  std::printf("below half of the copy bandwidth: %d\n", slow);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "reference_kernels: %s\n", error.what());
  return 1;
}
