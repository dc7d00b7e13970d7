// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The launch-bound workload: 4 empty kernels in 2 nested NVTX ranges, over and over. A step is
// 1,000 rounds (4,000 launches). Prints "ms_per_step X". Usage: launch_loop [STEPS]
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void empty() {}

namespace {

void step() {
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    for (int k = 0; k < 4; ++k) empty<<<1, 32>>>();
    nvtxRangePop();
    nvtxRangePop();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 50;
  for (int i = 0; i < 5; ++i) step();
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "launch_loop: no GPU\n");
    return 77;
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  cudaDeviceSynchronize();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("ms_per_step %.4f\n", time.count() / steps);
  return 0;
}
