// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in driver's start and its device queries: the functions of the real libcuda.so.1 that a
// profiler may look up. cuInit loads the library named by CUDA_INJECTION64_PATH and calls its
// InitializeInjection before it returns, as the driver does. STANDIN_CUDA=no_device: cuInit fails.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "cuda_call.hpp"
#include "cuda_graphs.hpp"

namespace standin {
namespace {

char context_object;

std::uint64_t env_number(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : fallback;
}

bool env_is(const char* name, const char* value) {
  const char* text = std::getenv(name);
  return text != nullptr && std::strcmp(text, value) == 0;
}

void load_injection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_LAZY);
  if (library == nullptr) {
    std::fprintf(stderr, "standin libcuda: %s\n", dlerror());
    return;
  }
  if (auto* entry = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))) entry();
}

}  // namespace

DriverState& driver_state() {
  static DriverState* state = new DriverState;
  return *state;
}

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

int usable() {
  const pid_t pid = driver_state().pid.load(std::memory_order_relaxed);
  return pid != 0 && pid == getpid() ? kSuccess : kErrorNotInitialized;
}

int initialize() {
  DriverState& state = driver_state();
  const pid_t pid = state.pid.load(std::memory_order_acquire);
  if (pid != 0) return pid == getpid() ? kSuccess : kErrorNotInitialized;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  if (state.init_thread.load() == self) return kErrorNotInitialized;  // From within the injection.
  const std::lock_guard lock(state.init_mutex);
  if (state.pid.load() != 0) return kSuccess;
  if (env_is("STANDIN_CUDA", "no_device")) return kErrorNoDevice;
  state.correlation = env_number("STANDIN_CORRELATION_START", 1);
  state.kernel_ns = env_number("STANDIN_KERNEL_NS", 1000);
  state.init_thread = self;
  load_injection();
  state.init_thread = 0;
  state.pid.store(getpid(), std::memory_order_release);
  if (const CuptiHooks* hooks = state.hooks.load()) hooks->resource(5 /* CU_INIT_FINISHED */);
  return kSuccess;
}

}  // namespace standin

namespace {
template <typename Action>
CUresult when_usable(Action action) {
  if (const int status = standin::usable()) return static_cast<CUresult>(status);
  action();
  return CUDA_SUCCESS;
}

CUresult attribute(int* value, CUdevice_attribute which) {
  return when_usable([&] {
    switch (which) {
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
      case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 132;
        break;
      case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1980000;
        break;
      case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 3201000;
        break;
      case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 6144;
        break;
      case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = 62914560;
        break;
      default:
        *value = 0;
    }
  });
}
}  // namespace

// The driver's header names some of these by macros (cuDeviceTotalMem is cuDeviceTotalMem_v2); the
// names below are those that the real library exports.
#undef cuDeviceTotalMem
#undef cuDeviceGetUuid
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuGetProcAddress
#undef cuDevicePrimaryCtxRelease
#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

STANDIN_EXPORT CUresult cuInit(unsigned int) {
  return static_cast<CUresult>(standin::initialize());
}
STANDIN_EXPORT CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  // At the end of such a call a profiler detaches.
  if (standin::usable() == standin::kSuccess) {
    const standin::Call call({standin::kNoApi, STANDIN_DR(cuDriverGetVersion)}, nullptr,
                             standin::kSuccess);
  }
  return CUDA_SUCCESS;
}
STANDIN_EXPORT CUresult cuDeviceGetCount(int* count) {
  return when_usable([&] { *count = 1; });
}
STANDIN_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  return when_usable([&] { *device = 0; });
}
STANDIN_EXPORT CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  return when_usable([&] { std::snprintf(name, static_cast<std::size_t>(size), "Stand-in GPU"); });
}
STANDIN_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  return attribute(value, which);
}
STANDIN_EXPORT CUresult cuPointerGetAttribute(void* value, CUpointer_attribute which,
                                              CUdeviceptr address) {
  if (which != CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE) return CUDA_ERROR_NOT_SUPPORTED;
  return when_usable([&] {
    const std::lock_guard lock(standin::driver_state().pool_mutex);
    const bool is_pooled = standin::driver_state().pooled.count(address) != 0;
    *static_cast<std::uintptr_t*>(value) = is_pooled ? 0x5000 : 0;
  });
}
STANDIN_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  return when_usable([&] {
    for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(0xa0 + i);
  });
}
STANDIN_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}
STANDIN_EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  return when_usable([&] { *bytes = std::size_t{150} << 30; });
}
STANDIN_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  return when_usable([&] { *context = reinterpret_cast<CUcontext>(&standin::context_object); });
}
STANDIN_EXPORT CUresult cuCtxSetCurrent(CUcontext) {
  return when_usable([] {});
}
STANDIN_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext) {
  return when_usable([] {});
}
STANDIN_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext* context) { return cuCtxGetCurrent(context); }
STANDIN_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  return when_usable([&] { *device = 0; });
}
STANDIN_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned int* flags, int* active) {
  return when_usable([&] {
    *flags = 0;
    *active = standin::driver_state().context_told.load() ? 1 : 0;
  });
}
STANDIN_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return cuCtxGetCurrent(context);
}
STANDIN_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return when_usable([] {});
}
STANDIN_EXPORT CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  return when_usable([&] {
    *status =
        standin::is_capturing() ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  });
}
/// Raises callbacks as every call does, also when it is the profiler that calls.
STANDIN_EXPORT CUresult cuCtxSynchronize() {
  if (const int status = standin::usable()) return static_cast<CUresult>(status);
  return static_cast<CUresult>(standin::synchronize_context());
}
/// As the driver's: the plain name's newest version first.
STANDIN_EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, cuuint64_t,
                                            CUdriverProcAddressQueryResult* found) {
  char versioned[128];
  std::snprintf(versioned, sizeof versioned, "%s_v2", symbol);
  *function = dlsym(RTLD_DEFAULT, versioned);
  if (*function == nullptr) *function = dlsym(RTLD_DEFAULT, symbol);
  const bool ok = *function != nullptr;
  if (found != nullptr)
    *found = ok ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return ok ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
STANDIN_EXPORT CUresult cuGetErrorString(CUresult status, const char** text) {
  *text = status == CUDA_SUCCESS           ? "no error"
          : status == CUDA_ERROR_NO_DEVICE ? "no CUDA-capable device is detected"
                                           : "error";
  return CUDA_SUCCESS;
}
STANDIN_EXPORT CUresult cuGetErrorName(CUresult status, const char** text) {
  *text = status == CUDA_SUCCESS           ? "CUDA_SUCCESS"
          : status == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE"
                                           : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
