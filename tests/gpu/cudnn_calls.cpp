// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Every wrapped form of cuDNN on a GPU (tests/support/cudnn_calls), linked against it:
//   cudnn_calls          makes the calls, and prints a line for each
//   cudnn_calls graph    each in a CUDA graph of its own, which is launched once
//   cudnn_calls rate N   N small convolutions by a plan: prints ns a call
// Returns 77 without a GPU.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "graph_builder.hpp"

namespace {

cudaStream_t g_stream = nullptr;

void capture() { cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeRelaxed); }

/// A call that cannot be captured leaves no graph, and the line before says so.
void launch_captured() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  if (cudaStreamEndCapture(g_stream, &graph) == cudaSuccess && graph != nullptr &&
      cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess) {
    cudaGraphLaunch(executable, g_stream);
    cudaStreamSynchronize(g_stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  } else {
    std::printf("uncaptured\n");
  }
  cudaGetLastError();
}

int measure(const cudnn_calls::Machine& machine, cudnnHandle_t handle, int calls) {
  cudnn_calls::Graph graph(machine, handle);
  const auto x = graph.tensor({1, 16, 8, 8}), w = graph.tensor({16, 16, 3, 3}),
             y = graph.tensor({1, 16, 8, 8});
  graph.convolve(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, x, w, y, {1, 1});
  const double took = graph.time_of_execution(calls);
  if (took < 0) return 1;
  std::printf("%.1f\n", took);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  constexpr std::size_t kBytes = std::size_t{512} << 20;
  void* memory = nullptr;
  cudaMalloc(&memory, kBytes);
  cudaMemset(memory, 0, kBytes);
  cudaStreamCreate(&g_stream);
  cudnnHandle_t handle = nullptr;
  if (cudnnCreate(&handle) != CUDNN_STATUS_SUCCESS) return 77;
  cudnnSetStream(handle, g_stream);
  const bool in_graphs = count == 2 && std::strcmp(words[1], "graph") == 0;
  const cudnn_calls::Machine machine{
      static_cast<char*>(memory),           kBytes, g_stream, true, in_graphs ? capture : nullptr,
      in_graphs ? launch_captured : nullptr};
  if (count == 3 && std::strcmp(words[1], "rate") == 0)
    return measure(machine, handle, std::atoi(words[2]));
  const int refused = cudnn_calls::make_layer_calls(machine, handle) +
                      cudnn_calls::make_backend_calls(machine, handle);
  cudaDeviceSynchronize();
  cudnnDestroy(handle);
  std::fprintf(stderr, "%d calls were refused\n", refused);
  return 7;
}
