// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Every wrapped form of cuBLAS on a GPU (tests/support/cublas_calls), linked against it:
//   cublas_calls           makes the calls, and prints a line for each
//   cublas_calls graph     each in a CUDA graph of its own, which is launched once
//   cublas_calls rate N    N small products: prints ns a call
// Returns 77 without a GPU.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "calls.hpp"

namespace {

cudaStream_t g_stream = nullptr;

void capture() { cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeRelaxed); }

/// A call that cannot be captured leaves no graph; its status says so.
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
    std::printf("{\"uncaptured\":true}\n");
  }
  cudaGetLastError();
}

int measure(int calls, float* matrices) {
  cublasHandle_t handle = nullptr;
  cublasCreate_v2(&handle);
  const float one = 1, zero = 0;
  const auto call = [&] {
    return cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, matrices, 8, matrices, 8,
                          &zero, matrices + 64, 8);
  };
  for (int i = 0; i < 100; ++i) call();
  cudaDeviceSynchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    if (call() != CUBLAS_STATUS_SUCCESS) return 1;
    if (i % 500 == 499) cudaDeviceSynchronize();  // The queue of launches stays short.
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.1f\n", took.count() / calls);
  cublasDestroy_v2(handle);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  void* matrices = nullptr;
  void* pointers = nullptr;
  cudaMalloc(&matrices, kMatrixBytes);
  cudaMalloc(&pointers, kMaxPointers * sizeof(void*));
  const std::vector<void*> same(kMaxPointers, matrices);
  cudaMemset(matrices, 0, kMatrixBytes);
  cudaMemcpy(pointers, same.data(), kMaxPointers * sizeof(void*), cudaMemcpyHostToDevice);
  if (count == 3 && std::strcmp(words[1], "rate") == 0)
    return measure(std::atoi(words[2]), static_cast<float*>(matrices));
  cudaStreamCreate(&g_stream);
  const bool in_graphs = count == 2 && std::strcmp(words[1], "graph") == 0;
  const BlasMachine machine{matrices,
                            pointers,
                            nullptr,
                            nullptr,
                            g_stream,
                            in_graphs ? capture : nullptr,
                            in_graphs ? launch_captured : nullptr};
  const int refused = make_blas_calls(&machine);
  cudaDeviceSynchronize();
  std::fprintf(stderr, "%d calls were refused\n", refused);
  return 7;
}
