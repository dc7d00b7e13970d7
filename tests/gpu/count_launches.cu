// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that launches GPU work through every API and counts its own launches: prints one line
// of JSON, {"kernels": {NAME: COUNT}, "copies": {KIND: COUNT}, "sets": {"all": COUNT}}, which
// check_counts.py compares with trace.db. Knows nothing about the profiler. Usage: count_launches
// [ROUNDS]
#include <cooperative_groups.h>
#include <cuda.h>

#include <thread>
#include <vector>

#include "counted.hpp"

extern "C" __global__ void k_arrows(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_exc(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_cluster(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_runtime(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_cooperative(float* data) {
  data[threadIdx.x] += 1.0F;
  cooperative_groups::this_grid().sync();
}
extern "C" __global__ void k_driver(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_driver_ex(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_driver_cooperative(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_graph_a(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_graph_b(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_graph_c(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_explicit_a(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_explicit_b(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_thread(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_short_thread(float* data) { data[threadIdx.x] += 1.0F; }
extern "C" __global__ void k_refused(float* data) { data[threadIdx.x] += 1.0F; }

namespace {

constexpr std::size_t kBytes = 1U << 16U;

template <typename Kernel>
const void* symbol(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}

/// The driver's function of that name, as libraries that do not link libcuda get it.
template <typename Function>
Function driver_function(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found));
  if (address == nullptr || found != cudaDriverEntryPointSuccess)
    check(cudaErrorSymbolNotFound, name);
  return reinterpret_cast<Function>(address);
}

void check_driver(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "count_launches: %s: driver error %d\n", what, static_cast<int>(status));
  std::exit(3);
}

void launch_by_runtime(Counts& counts, float* data, int rounds) {
  void* arguments[] = {&data};
  for (int i = 0; i < rounds; ++i) {
    k_arrows<<<4, 128>>>(data);
    counts.add("kernels", "k_arrows");

    CHECK(cudaLaunchKernel(symbol(k_runtime), dim3(2, 2), dim3(16, 4), arguments, 0, nullptr));
    counts.add("kernels", "k_runtime");

    cudaLaunchConfig_t config{};
    config.gridDim = dim3(8);
    config.blockDim = dim3(64);
    CHECK(cudaLaunchKernelExC(&config, symbol(k_exc), arguments));
    counts.add("kernels", "k_exc");

    CHECK(cudaLaunchCooperativeKernel(symbol(k_cooperative), dim3(2), dim3(64), arguments, 0,
                                      nullptr));
    counts.add("kernels", "k_cooperative");
  }
  int device = 0, major = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  for (int i = 0; major >= 9 && i < rounds; ++i) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(8);
    config.blockDim = dim3(64);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelExC(&config, symbol(k_cluster), arguments));
    counts.add("kernels", "k_cluster");
  }
}

void launch_by_driver(Counts& counts, float* data, int rounds) {
  void* arguments[] = {&data};
  const auto launch = driver_function<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  const auto launch_ex = driver_function<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx");
  const auto launch_cooperative =
      driver_function<decltype(&cuLaunchCooperativeKernel)>("cuLaunchCooperativeKernel");
  cudaFunction_t plain = nullptr, extended = nullptr, cooperative = nullptr;
  CHECK(cudaGetFuncBySymbol(&plain, symbol(k_driver)));
  CHECK(cudaGetFuncBySymbol(&extended, symbol(k_driver_ex)));
  CHECK(cudaGetFuncBySymbol(&cooperative, symbol(k_driver_cooperative)));
  for (int i = 0; i < rounds; ++i) {
    check_driver(launch(plain, 5, 1, 1, 96, 1, 1, 0, nullptr, arguments, nullptr),
                 "cuLaunchKernel");
    counts.add("kernels", "k_driver");

    CUlaunchConfig config{};
    config.gridDimX = 6;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    check_driver(launch_ex(&config, extended, arguments, nullptr), "cuLaunchKernelEx");
    counts.add("kernels", "k_driver_ex");

    check_driver(launch_cooperative(cooperative, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments),
                 "cuLaunchCooperativeKernel");
    counts.add("kernels", "k_driver_cooperative");
  }
}

/// A captured graph of three kernels, a copy and a set, replayed; and a graph made node by node.
void launch_graphs(Counts& counts, float* data, float* other, int rounds) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  k_graph_a<<<1, 32, 0, stream>>>(data);
  k_graph_b<<<2, 32, 0, stream>>>(data);
  k_graph_c<<<3, 32, 0, stream>>>(data);
  CHECK(cudaMemcpyAsync(other, data, 1024, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaMemsetAsync(other, 0, 1024, stream));
  cudaGraph_t captured = nullptr;
  CHECK(cudaStreamEndCapture(stream, &captured));
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, captured, 0));
  for (int i = 0; i < rounds; ++i) {
    CHECK(cudaGraphLaunch(executable, stream));
    for (const char* name : {"k_graph_a", "k_graph_b", "k_graph_c"}) counts.add("kernels", name);
    counts.add("copies", "dtod");
    counts.add("sets", "all");
  }

  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  void* arguments[] = {&data};
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(symbol(k_explicit_a));
  parameters.gridDim = dim3(2);
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  cudaGraphNode_t first = nullptr, second = nullptr;
  CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters));
  parameters.func = const_cast<void*>(symbol(k_explicit_b));
  CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &parameters));
  cudaGraphExec_t explicit_executable = nullptr;
  CHECK(cudaGraphInstantiate(&explicit_executable, graph, 0));
  for (int i = 0; i < rounds; ++i) {
    CHECK(cudaGraphLaunch(explicit_executable, stream));
    counts.add("kernels", "k_explicit_a");
    counts.add("kernels", "k_explicit_b");
  }
  CHECK(cudaStreamSynchronize(stream));
}

void copy_and_set(Counts& counts, float* data, float* other, int rounds) {
  std::vector<char> pageable(kBytes);
  void* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, kBytes));
  for (int i = 0; i < rounds; ++i) {
    CHECK(cudaMemcpy(data, pageable.data(), kBytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(data, pinned, kBytes, cudaMemcpyHostToDevice));
    counts.add("copies", "htod", 2);
    CHECK(cudaMemcpy(pageable.data(), data, kBytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyAsync(pinned, data, kBytes, cudaMemcpyDeviceToHost));
    counts.add("copies", "dtoh", 2);
    CHECK(cudaMemcpy(other, data, kBytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyAsync(other, data, kBytes, cudaMemcpyDeviceToDevice));
    counts.add("copies", "dtod", 2);
    CHECK(cudaMemset(other, 0, kBytes));
    CHECK(cudaMemsetAsync(other, 1, kBytes));
    counts.add("sets", "all", 2);
  }
  CHECK(cudaDeviceSynchronize());
}

void launch_from_threads(Counts& counts, float* data, int rounds) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      cudaStream_t stream = nullptr;
      CHECK(cudaStreamCreate(&stream));
      for (int i = 0; i < rounds; ++i) {
        k_thread<<<1, 32, 0, stream>>>(data);
        counts.add("kernels", "k_thread");
      }
      CHECK(cudaStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Threads that end right after a launch: what CUPTI holds for each of them must come back.
void launch_from_short_threads(Counts& counts, float* data, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        k_short_thread<<<1, 32>>>(data);
        counts.add("kernels", "k_short_thread");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(cudaDeviceSynchronize());
}

/// Launches that CUDA refuses: no kernel runs, and none may be missed.
void launch_refused(float* data, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    k_refused<<<1, 4096>>>(data);
    if (cudaGetLastError() == cudaSuccess)
      check(cudaErrorUnknown, "a block of 4096 threads was accepted");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "count_launches: no GPU\n");
    return 77;
  }
  Counts counts;
  float *data = nullptr, *other = nullptr;
  CHECK(cudaMalloc(&data, kBytes));
  CHECK(cudaMalloc(&other, kBytes));
  launch_by_runtime(counts, data, rounds);
  launch_by_driver(counts, data, rounds);
  launch_per_thread_stream(counts, data, other, rounds);
  launch_graphs(counts, data, other, rounds);
  copy_and_set(counts, data, other, rounds);
  launch_from_threads(counts, data, rounds);
  launch_from_short_threads(counts, data, rounds < 1000 ? rounds : 1000);
  launch_refused(data, rounds);
  CHECK(cudaDeviceSynchronize());
  counts.print();
  return 0;
}
