// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of the launch-bound workload (loop_step.cu). Prints "ms_per_step X". Usage: launch_loop
// [STEPS]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "loop_step.hpp"

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 50;
  for (int i = 0; i < 5; ++i) loop_step();
  if (loop_wait() != 0) {
    std::fprintf(stderr, "launch_loop: no GPU\n");
    return 77;
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) loop_step();
  loop_wait();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("ms_per_step %.4f\n", time.count() / steps);
  return 0;
}
