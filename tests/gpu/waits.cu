// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits of every type, on streams of every kind; waits.sh compares what is recorded of them. With
// an argument also streams that wait for events while they are captured, which is no wait.
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>

namespace {

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

int g_failures = 0;
void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "waits: %s\n", cudaGetErrorString(status));
  ++g_failures;
}

void wait_for_all(cudaStream_t a, cudaStream_t b) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (cudaStream_t stream : {a, b, cudaStreamLegacy, cudaStreamPerThread, cudaStream_t{}}) {
    spin<<<1, 1, 0, stream>>>(100'000);
    check(cudaStreamSynchronize(stream));
    spin<<<1, 1, 0, stream>>>(100'000);
    check(cudaEventRecord(event, stream));
    check(cudaStreamWaitEvent(a, event, 0));
    check(cudaEventSynchronize(event));
  }
  check(cudaStreamWaitEvent(b, event, 0));
  spin<<<1, 1, 0, a>>>(100'000);
  check(cudaDeviceSynchronize());
  check(cudaEventDestroy(event));
}

void capture(cudaStream_t a, cudaStream_t b) {
  cudaEvent_t fork = nullptr, join = nullptr;
  cudaGraph_t graph = nullptr;
  check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  check(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  check(cudaEventRecord(fork, a));
  check(cudaStreamWaitEvent(b, fork, 0));
  spin<<<1, 1, 0, b>>>(1000);
  check(cudaEventRecord(join, b));
  check(cudaStreamWaitEvent(a, join, 0));
  check(cudaStreamEndCapture(a, &graph));
  check(cudaGraphDestroy(graph));
  check(cudaEventDestroy(fork));
  check(cudaEventDestroy(join));
}

}  // namespace

int main(int argc, char**) {
  cudaStream_t a = nullptr, b = nullptr;
  if (cudaStreamCreate(&a) != cudaSuccess) {
    std::fprintf(stderr, "waits: no GPU\n");
    return 77;
  }
  check(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  for (int round = 0; round < 3; ++round) wait_for_all(a, b);
  std::thread([&] { wait_for_all(b, a); }).join();
  if (argc > 1) capture(a, b);
  check(cudaDeviceSynchronize());
  return g_failures == 0 ? 0 : 1;
}
