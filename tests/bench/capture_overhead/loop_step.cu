// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of the launch-bound workload: 4 empty kernels in 2 nested NVTX ranges, 1,000 times (4,000
// launches).
#include <nvtx3/nvToolsExt.h>

#include "loop_step.hpp"

namespace {

__global__ void empty() {}

}  // namespace

int loop_step(void) {
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    for (int k = 0; k < 4; ++k) empty<<<1, 32>>>();
    nvtxRangePop();
    nvtxRangePop();
  }
  return cudaGetLastError();
}

int loop_wait(void) { return cudaDeviceSynchronize(); }
