// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The test program on a real machine: script_app's commands on the CUDA runtime. odd_gpu 'SCRIPT'
// runs the scripts that script_app runs on the stand-in driver, plus commands that need a GPU:
// clang-format off
//   spin MILLISECONDS      a kernel that runs so long; 0: for ever
//   host_exit N            a stream's callback (cudaLaunchHostFunc) calls exit(N)
//   host_work COUNT        launches in a stream with a callback after each
//   takeover               takes CUPTI's buffers and enables kernels, as torch.profiler does
//   device_reset           cudaDeviceReset
// clang-format on
#include <cuda_runtime.h>
#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "runner.hpp"
#include "tally.hpp"

extern "C" __global__ void odd_kernel(float* data) { data[threadIdx.x % 32] += 1.0F; }

extern "C" __global__ void odd_spin(long long nanoseconds) {
  long long start = 0, now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (nanoseconds == 0 || now - start < nanoseconds);
}

namespace {

constexpr std::size_t kBytes = 1U << 16U;
float* memory = nullptr;
float* other_memory = nullptr;
char host_memory[kBytes];
thread_local cudaStream_t capturing = nullptr;

struct GpuGraph : standin::Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

int launch(standin::Door, const char*, standin::Size3 grid, standin::Size3 block, std::uint32_t) {
  void* arguments[] = {&memory};
  return cudaLaunchKernel(reinterpret_cast<const void*>(odd_kernel), dim3(grid.x, grid.y, grid.z),
                          dim3(block.x, block.y, block.z), arguments, 0, capturing);
}

int launch_refused(standin::Door, const char*) {
  void* arguments[] = {&memory};
  const int status = cudaLaunchKernel(reinterpret_cast<const void*>(odd_kernel), dim3(1),
                                      dim3(4096), arguments, 0, nullptr);
  cudaGetLastError();
  return status;
}

int copy(std::uint8_t kind, std::uint64_t bytes, bool async) {
  const std::size_t size = bytes < kBytes ? bytes : kBytes;
  const cudaMemcpyKind direction = kind == 1   ? cudaMemcpyHostToDevice
                                   : kind == 2 ? cudaMemcpyDeviceToHost
                                               : cudaMemcpyDeviceToDevice;
  void* to = kind == 2 ? static_cast<void*>(host_memory) : other_memory;
  const void* from = kind == 1 ? static_cast<const void*>(host_memory) : memory;
  if (async || capturing != nullptr) return cudaMemcpyAsync(to, from, size, direction, capturing);
  return cudaMemcpy(to, from, size, direction);
}

int set(std::uint64_t bytes, bool) {
  return cudaMemsetAsync(other_memory, 0, bytes < kBytes ? bytes : kBytes, capturing);
}

int synchronize(const char*, std::uint32_t) { return cudaDeviceSynchronize(); }

int call(const char*) {
  int device = 0;
  return cudaGetDevice(&device);
}

int begin_capture(standin::Graph*) {
  if (const cudaError_t status = cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking))
    return status;
  return cudaStreamBeginCapture(capturing, cudaStreamCaptureModeThreadLocal);
}

int end_capture(standin::Graph** graph) {
  auto* made = new GpuGraph;
  const cudaError_t status = cudaStreamEndCapture(capturing, &made->graph);
  capturing = nullptr;
  *graph = made;
  return status;
}

int instantiate(standin::Graph* graph, standin::Graph** executable, std::uint64_t flags) {
  auto* made = static_cast<GpuGraph*>(graph);
  *executable = graph;
  return cudaGraphInstantiate(&made->executable, made->graph, flags);
}

int launch_graph(standin::Graph* executable) {
  return cudaGraphLaunch(static_cast<GpuGraph*>(executable)->executable, nullptr);
}

int add_kernel_node(standin::Graph** graph, const char*, standin::Size3 grid,
                    standin::Size3 block) {
  if (*graph == nullptr) {
    auto* made = new GpuGraph;
    if (const cudaError_t status = cudaGraphCreate(&made->graph, 0)) return status;
    *graph = made;
  }
  void* arguments[] = {&memory};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(odd_kernel);
  parameters.gridDim = dim3(grid.x, grid.y, grid.z);
  parameters.blockDim = dim3(block.x, block.y, block.z);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  return cudaGraphAddKernelNode(&node, static_cast<GpuGraph*>(*graph)->graph, nullptr, 0,
                                &parameters);
}

/// What the GPU gave for the addresses that a program names.
std::map<std::uint64_t, void*>& allocations() {
  static auto* const all = new std::map<std::uint64_t, void*>;
  return *all;
}

int allocate(std::uint64_t address, std::uint64_t bytes, bool async) {
  void*& made = allocations()[address];
  return async ? cudaMallocAsync(&made, bytes, nullptr) : cudaMalloc(&made, bytes);
}

int release(std::uint64_t address, std::uint64_t, bool async) {
  const auto found = allocations().find(address);
  if (found == allocations().end()) return cudaErrorInvalidValue;
  void* const made = found->second;
  allocations().erase(found);
  return async ? cudaFreeAsync(made, nullptr) : cudaFree(made);
}

/// The commands of the graphs that these programs make; there are no others here.
const standin::GraphCalls graph_calls = {
    begin_capture, end_capture, add_kernel_node, nullptr, nullptr, instantiate, launch_graph,
    nullptr,       nullptr,     nullptr,         nullptr, nullptr, nullptr};

const standin::Driver gpu_driver = {[](const standin::CuptiHooks*) {},
                                    launch,
                                    launch_refused,
                                    copy,
                                    set,
                                    allocate,
                                    release,
                                    synchronize,
                                    call,
                                    graph_calls};

void spin(Runner& runner, const Statement& statement) {
  if (runner.driver() == nullptr) return;
  long long nanoseconds = static_cast<long long>(count_word(statement, 1, 0)) * 1'000'000;
  void* arguments[] = {&nanoseconds};
  tally().begin();
  tally().end(cudaLaunchKernel(reinterpret_cast<const void*>(odd_spin), dim3(1), dim3(1), arguments,
                               0, nullptr) == cudaSuccess);
}

void host_exit(Runner& runner, const Statement& statement) {
  if (runner.driver() == nullptr) return;
  static int status = 0;
  status = static_cast<int>(count_word(statement, 1, 0));
  if (cudaLaunchHostFunc(
          nullptr, [](void*) { std::exit(status); }, nullptr) != cudaSuccess)
    std::exit(73);
}

void host_work(Runner& runner, const Statement& statement) {
  const standin::Driver* driver = runner.driver();
  for (std::uint64_t i = 0; driver != nullptr && i < count_word(statement, 1, 1); ++i) {
    tally().begin();
    tally().end(driver->launch(standin::Door::kRuntime, "", {}, {}, 0) == 0);
    if (cudaLaunchHostFunc(
            nullptr, [](void*) { tally().handled(); }, nullptr) != cudaSuccess)
      std::exit(73);
  }
}

void* find_cupti() {
  for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      if (void* found = dlopen(name, flags)) return found;
    }
  }
  return nullptr;
}

template <typename Function>
Function* function_of(void* library, const char* name, Function*) {
  auto* found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) std::exit(71);
  return found;
}

void takeover(Runner& runner, const Statement&) {
  if (runner.driver() == nullptr) return;
  void* cupti = find_cupti();
  if (cupti == nullptr) std::exit(71);
  auto* take = function_of<decltype(cuptiActivityRegisterCallbacks)>(
      cupti, "cuptiActivityRegisterCallbacks", nullptr);
  auto* enable = function_of<decltype(cuptiActivityEnable)>(cupti, "cuptiActivityEnable", nullptr);
  take(
      [](std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
        *bytes = 1U << 20U;
        *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, *bytes));
        *max_records = 0;
      },
      [](CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
        std::free(buffer);
      });
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  enable(CUPTI_ACTIVITY_KIND_MEMCPY);
}

}  // namespace

const standin::Driver* load_driver() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return nullptr;
  if (cudaMalloc(&memory, kBytes) != cudaSuccess) return nullptr;
  if (cudaMalloc(&other_memory, kBytes) != cudaSuccess) return nullptr;
  return &gpu_driver;
}

void add_machine_commands(CommandTable& table) {
  table["spin"] = spin;
  table["host_exit"] = host_exit;
  table["host_work"] = host_work;
  table["takeover"] = takeover;
  table["device_reset"] = [](Runner&, const Statement&) { cudaDeviceReset(); };
}
