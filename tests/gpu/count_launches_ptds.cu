// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of count_launches that uses the per-thread default stream: compiled with
// --default-stream per-thread, so that every call here is the _ptsz or _ptds form.
#include "counted.hpp"

extern "C" __global__ void k_ptsz(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_ptsz_exc(float* data) { data[threadIdx.x] += 1.0F; }

void launch_per_thread_stream(Counts& counts, float* data, float* other, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    k_ptsz<<<2, 64>>>(data);
    CHECK(cudaGetLastError());
    counts.add("kernels", "k_ptsz");

    cudaLaunchConfig_t config{};
    config.gridDim = dim3(3);
    config.blockDim = dim3(32);
    void* arguments[] = {&data};
    CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(k_ptsz_exc), arguments));
    counts.add("kernels", "k_ptsz_exc");

    CHECK(cudaMemcpyAsync(other, data, 256, cudaMemcpyDeviceToDevice));
    counts.add("copies", "dtod");
    CHECK(cudaMemsetAsync(other, 0, 256));
    counts.add("sets", "all");
  }
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}
