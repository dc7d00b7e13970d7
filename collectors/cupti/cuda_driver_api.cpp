// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Queries of the CUDA driver, see cuda_driver_api.hpp.
#include "collectors/cupti/cuda_driver_api.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "collectors/cupti/own_calls.hpp"

namespace prof::collectors {
namespace {

/// A function of the mapped libcuda, or null. cuda.h renames some functions to their current
/// versions by macro: the name is spelled out here.
template <typename Function>
Function* driver_function(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* symbol = dlsym(library, name);
  dlclose(library);  // Only undoes the reference that dlopen added.
  return reinterpret_cast<Function*>(symbol);
}

using GetAttribute = CUresult(int*, CUdevice_attribute, CUdevice);
using GetName = CUresult(char*, int, CUdevice);
using GetUuid = CUresult(CUuuid*, CUdevice);
using TotalMemory = CUresult(std::size_t*, CUdevice);
using GetDevice = CUresult(CUdevice*, int);
using GetCount = CUresult(int*);
using DriverVersion = CUresult(int*);
using PrimaryState = CUresult(CUdevice, unsigned*, int*);
using PrimaryRetain = CUresult(CUcontext*, CUdevice);
using PrimaryRelease = CUresult(CUdevice);
using ContextPush = CUresult(CUcontext);
using ContextPop = CUresult(CUcontext*);
using ContextCurrent = CUresult(CUcontext*);
using ContextSynchronize = CUresult();
using NodeParameters = CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v2*);
using GraphNodes = CUresult(CUgraph, CUgraphNode*, std::size_t*);
using FunctionName = CUresult(const char**, CUfunction);
using KernelName = CUresult(const char**, CUkernel);
using PointerAttribute = CUresult(void*, CUpointer_attribute, CUdeviceptr);
using IsCapturing = CUresult(CUstream, CUstreamCaptureStatus*);

/// Set by find_callback_functions(). Atomic because calls of an earlier capture may still use them.
struct CallbackFunctions {
  std::atomic<NodeParameters*> parameters{nullptr};
  std::atomic<GraphNodes*> nodes{nullptr};
  std::atomic<FunctionName*> function_name{nullptr};
  std::atomic<KernelName*> kernel_name{nullptr};
  std::atomic<IsCapturing*> is_capturing{nullptr};
  std::atomic<PointerAttribute*> pointer_attribute{nullptr};
};
constinit CallbackFunctions g_callback_functions;

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += hex.data();
  }
  return text;
}

}  // namespace

bool has_cuda_driver() { return driver_function<GetCount>("cuDeviceGetCount") != nullptr; }

bool query_device(std::uint32_t ordinal, DeviceProperties& properties) {
  const OwnCalls own;
  auto* get_device = driver_function<GetDevice>("cuDeviceGet");
  auto* get_attribute = driver_function<GetAttribute>("cuDeviceGetAttribute");
  CUdevice device = 0;
  if (get_device == nullptr || get_attribute == nullptr ||
      get_device(&device, static_cast<int>(ordinal)) != CUDA_SUCCESS) {
    return false;
  }
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    return get_attribute(&value, which, device) == CUDA_SUCCESS && value > 0
               ? static_cast<std::uint32_t>(value)
               : 0U;
  };
  DeviceRecord& record = properties.record;
  record.device = ordinal;
  record.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  record.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  record.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  record.core_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  record.memory_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  record.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  record.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  // Two transfers per clock, as for all memory of these GPUs so far.
  record.memory_bandwidth_bytes_per_s =
      std::uint64_t{record.memory_clock_khz} * 1000 * 2 * (record.memory_bus_bits / 8);
  if (auto* total = driver_function<TotalMemory>("cuDeviceTotalMem_v2")) {
    std::size_t bytes = 0;
    if (total(&bytes, device) == CUDA_SUCCESS) record.memory_bytes = bytes;
  }
  if (auto* get_name = driver_function<GetName>("cuDeviceGetName")) {
    std::array<char, 256> name{};
    if (get_name(name.data(), static_cast<int>(name.size()) - 1, device) == CUDA_SUCCESS) {
      properties.name = name.data();
    }
  }
  auto* get_uuid = driver_function<GetUuid>("cuDeviceGetUuid_v2");  // Distinguishes MIG instances.
  if (get_uuid == nullptr) get_uuid = driver_function<GetUuid>("cuDeviceGetUuid");
  CUuuid uuid{};
  if (get_uuid != nullptr && get_uuid(&uuid, device) == CUDA_SUCCESS)
    properties.uuid = uuid_text(uuid);
  record.name = properties.name;
  record.uuid = properties.uuid;
  return true;
}

int cuda_driver_version() {
  auto* get_version = driver_function<DriverVersion>("cuDriverGetVersion");
  int version = 0;
  return get_version != nullptr && get_version(&version) == CUDA_SUCCESS ? version : 0;
}

std::string kernel_driver_version() {
  std::array<char, 64> line{};
  std::FILE* file = std::fopen("/sys/module/nvidia/version", "re");
  if (file == nullptr) return {};
  const std::size_t bytes = std::fread(line.data(), 1, line.size(), file);
  std::fclose(file);
  const std::string version(line.data(), bytes);
  return version.substr(0, version.find('\n'));
}

void find_callback_functions() {
  g_callback_functions.parameters =
      driver_function<NodeParameters>("cuGraphKernelNodeGetParams_v2");
  g_callback_functions.nodes = driver_function<GraphNodes>("cuGraphGetNodes");
  g_callback_functions.function_name = driver_function<FunctionName>("cuFuncGetName");
  g_callback_functions.kernel_name = driver_function<KernelName>("cuKernelGetName");
  g_callback_functions.is_capturing = driver_function<IsCapturing>("cuStreamIsCapturing");
  g_callback_functions.pointer_attribute =
      driver_function<PointerAttribute>("cuPointerGetAttribute");
}

bool query_kernel_node(const void* node, NodeKernel& kernel) noexcept {
  auto* get_parameters = g_callback_functions.parameters.load(std::memory_order_relaxed);
  if (get_parameters == nullptr) return false;
  const OwnCalls own;
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  if (get_parameters(static_cast<CUgraphNode>(const_cast<void*>(node)), &parameters) !=
      CUDA_SUCCESS) {
    return false;
  }
  kernel.grid = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
  auto* function_name = g_callback_functions.function_name.load(std::memory_order_relaxed);
  auto* kernel_name = g_callback_functions.kernel_name.load(std::memory_order_relaxed);
  const char* name = nullptr;
  CUresult result = CUDA_ERROR_NOT_FOUND;
  if (parameters.func != nullptr) {
    if (function_name != nullptr) result = function_name(&name, parameters.func);
  } else if (parameters.kern != nullptr && kernel_name != nullptr) {
    result = kernel_name(&name, parameters.kern);
  }
  if (result == CUDA_SUCCESS && name != nullptr) kernel.name = name;
  return true;
}

MappedVector<void*> nodes_of_graph(const void* graph) noexcept {
  static_assert(sizeof(CUgraphNode) == sizeof(void*));
  auto* get_nodes = g_callback_functions.nodes.load(std::memory_order_relaxed);
  auto* const handle = static_cast<CUgraph>(const_cast<void*>(graph));
  MappedVector<void*> nodes;
  std::size_t count = 0;
  const OwnCalls own;
  if (get_nodes == nullptr || get_nodes(handle, nullptr, &count) != CUDA_SUCCESS) return nodes;
  try {
    nodes.resize(count);
  } catch (const std::bad_alloc&) {
    return {};
  }
  // The driver fills in handles, which are pointers.
  if (get_nodes(handle, reinterpret_cast<CUgraphNode*>(nodes.data()), &count) != CUDA_SUCCESS)
    return {};
  nodes.resize(std::min(count, nodes.size()));
  return nodes;
}

bool is_stream_captured(void* stream) noexcept {
  auto* is_capturing = g_callback_functions.is_capturing.load(std::memory_order_relaxed);
  if (is_capturing == nullptr) return false;
  const OwnCalls own;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return is_capturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool lacks_pool(std::uint64_t address) noexcept {
  auto* get_attribute = g_callback_functions.pointer_attribute.load(std::memory_order_relaxed);
  if (get_attribute == nullptr || address == 0) return false;
  const OwnCalls own;
  CUmemoryPool pool = nullptr;
  return get_attribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address) == CUDA_SUCCESS &&
         pool == nullptr;
}

void* current_context() {
  const OwnCalls own;
  auto* get_current = driver_function<ContextCurrent>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  return get_current != nullptr && get_current(&context) == CUDA_SUCCESS ? context : nullptr;
}

void synchronize_all_contexts(void* other) {
  const OwnCalls own;
  auto* synchronize = driver_function<ContextSynchronize>("cuCtxSynchronize");
  if (synchronize == nullptr) return;
  auto* get_count = driver_function<GetCount>("cuDeviceGetCount");
  auto* get_device = driver_function<GetDevice>("cuDeviceGet");
  auto* get_state = driver_function<PrimaryState>("cuDevicePrimaryCtxGetState");
  auto* retain = driver_function<PrimaryRetain>("cuDevicePrimaryCtxRetain");
  auto* release = driver_function<PrimaryRelease>("cuDevicePrimaryCtxRelease_v2");
  auto* push = driver_function<ContextPush>("cuCtxPushCurrent_v2");
  auto* pop = driver_function<ContextPop>("cuCtxPopCurrent_v2");
  if (other == nullptr || push == nullptr || pop == nullptr) {
    synchronize();
  } else if (push(static_cast<CUcontext>(other)) == CUDA_SUCCESS) {
    CUcontext context = nullptr;
    synchronize();  // The context need not be a primary one.
    pop(&context);
  }
  int count = 0;
  if (get_count == nullptr || get_device == nullptr || get_state == nullptr || retain == nullptr ||
      release == nullptr || push == nullptr || pop == nullptr ||
      get_count(&count) != CUDA_SUCCESS) {
    return;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    unsigned flags = 0;
    int active = 0;
    CUcontext context = nullptr;
    if (get_device(&device, ordinal) != CUDA_SUCCESS ||
        get_state(device, &flags, &active) != CUDA_SUCCESS || active == 0 ||
        retain(&context, device) != CUDA_SUCCESS) {
      continue;
    }
    if (push(context) == CUDA_SUCCESS) {
      synchronize();
      pop(&context);
    }
    release(device);
  }
}

}  // namespace prof::collectors
