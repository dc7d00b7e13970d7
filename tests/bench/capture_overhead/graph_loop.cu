// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The workload of replays: a graph of 200 empty kernels in ten layers, launched over and over.
// Prints "us_per_kernel X", and a line "memory" with what the process and the GPU use at tenths of
// the run, in MiB. Usage: graph_loop [KERNELS]
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void empty() {}

namespace {

constexpr long kNodes = 200;

double process_mib() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  std::fclose(file);
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double gpu_mib() {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  return static_cast<double>(total - free) / (1 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  const long launches = (argc > 1 ? std::atol(argv[1]) : 2'000'000) / kNodes;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    std::fprintf(stderr, "graph_loop: no GPU\n");
    return 77;
  }
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (long i = 0; i < kNodes; ++i) {
    if (i % 20 == 0) nvtxRangePushA(("layer:L" + std::to_string(i / 20)).c_str());
    empty<<<1, 32, 0, stream>>>();
    if (i % 20 == 19) nvtxRangePop();
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 100; ++i) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::string memory;
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < launches; ++i) {
    cudaGraphLaunch(exec, stream);
    // Not more in flight than a training loop has.
    if (i % 1000 == 999) cudaStreamSynchronize(stream);
    if (launches >= 10 && i % (launches / 10) == 0) {
      char both[64];
      std::snprintf(both, sizeof both, " %.0f/%.0f", process_mib(), gpu_mib());
      memory += both;
    }
  }
  const cudaError_t status = cudaStreamSynchronize(stream);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  std::printf("us_per_kernel %.4f\nmemory%s\n",
              time.count() / static_cast<double>(launches * kNodes), memory.c_str());
  return status == cudaSuccess ? 0 : 3;
}
