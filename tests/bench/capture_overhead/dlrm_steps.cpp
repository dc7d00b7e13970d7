// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The DLRM workload: training steps of the reference model. Prints "ms_per_step X".
// Usage: dlrm_steps [STEPS [BATCH]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <prof/annotate.hpp>

#include "dlrm/dlrm.hpp"

int main(int argc, char** argv) try {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  ref::DlrmConfig config;
  if (argc > 2) config.batch = std::atoi(argv[2]);
  ref::Gpu gpu;
  const ref::Batch batch(ref::make_batch(config));
  ref::Dlrm model(gpu, config);
  for (int i = 0; i < 10; ++i) model.train_step(batch);
  static_cast<void>(model.loss());  // Waits for the steps.
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) {
    const prof::Step step(i);
    model.train_step(batch);
  }
  static_cast<void>(model.loss());
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("ms_per_step %.4f\n", time.count() / steps);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "dlrm_steps: %s\n", error.what());
  return 1;
}
