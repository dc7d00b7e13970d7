// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What each part of CUPTI costs a program, with callbacks that do nothing and records that are
// thrown away: paired_windows.py switches the parts on and off. Shares no code with the profiler.
#include <cuda.h>
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <vector>

namespace {

enum Part : unsigned {
  kKernels = 1,      ///< Records of kernels.
  kCopies = 2,       ///< Of copies and sets.
  kRuntime = 4,      ///< Callbacks of the runtime's launches.
  kDriver = 8,       ///< Of the driver's.
  kStates = 16,      ///< Of CUPTI's errors and of what happens to graphs: seldom or never called.
  kGraphCalls = 32,  ///< Of driver calls that make graphs, likewise.
  kWaits = 64,       ///< Records of waits.
  kOverhead = 128,   ///< Of what CUPTI itself takes.
};

constexpr std::size_t kBufferBytes = 1 << 20;

CUpti_SubscriberHandle g_subscriber = nullptr;
bool g_is_ending = false;
std::mutex& g_mutex = *new std::mutex;
std::vector<std::uint8_t*>& g_pool = *new std::vector<std::uint8_t*>;

void CUPTIAPI wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *max_records = 0;
  *bytes = kBufferBytes;
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (g_pool.empty()) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(4096, kBufferBytes));
  } else {
    *buffer = g_pool.back();
    g_pool.pop_back();
  }
}

void CUPTIAPI filled(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_pool.push_back(buffer);
}

/// CUPTI may be finalized at the end of a call alone.
void CUPTIAPI called(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  if (!g_is_ending ||
      static_cast<const CUpti_CallbackData*>(data)->callbackSite != CUPTI_API_EXIT) {
    return;
  }
  g_is_ending = false;
  cuptiUnsubscribe(g_subscriber);
  cuptiFinalize();
}

bool check(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return true;
  std::fprintf(stderr, "cupti_parts: %s: %d\n", what, static_cast<int>(result));
  return false;
}

bool enable(CUpti_CallbackDomain domain, std::initializer_list<int> ids) {
  for (const int id : ids) {
    if (!check(cuptiEnableCallback(1, g_subscriber, domain, static_cast<CUpti_CallbackId>(id)),
               "callback")) {
      return false;
    }
  }
  return true;
}

bool enable_records(unsigned parts) {
  std::vector<CUpti_ActivityKind> kinds;
  if ((parts & kKernels) != 0) kinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
  if ((parts & kCopies) != 0) {
    kinds.insert(kinds.end(), {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                               CUPTI_ACTIVITY_KIND_MEMSET});
  }
  if ((parts & kWaits) != 0) kinds.push_back(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  if ((parts & kOverhead) != 0) kinds.push_back(CUPTI_ACTIVITY_KIND_OVERHEAD);
  if (kinds.empty()) return true;
  if (!check(cuptiActivityRegisterCallbacks(wanted, filled), "buffers")) return false;
  for (const CUpti_ActivityKind kind : kinds) {
    if (!check(cuptiActivityEnable(kind), "records")) return false;
  }
  return true;
}

}  // namespace

#define PARTS_EXPORT extern "C" __attribute__((visibility("default")))

/// 0: CUPTI refuses it.
PARTS_EXPORT int cupti_parts_start(unsigned parts) {
  if (!check(cuptiSubscribe(&g_subscriber, called, nullptr), "subscribe")) return 0;
  bool is_good = enable_records(parts);
  if ((parts & kRuntime) != 0) {
    is_good &=
        enable(CUPTI_CB_DOMAIN_RUNTIME_API, {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                             CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
                                             CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
                                             CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020});
  }
  if ((parts & kDriver) != 0) {
    is_good &= enable(
        CUPTI_CB_DOMAIN_DRIVER_API,
        {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
         CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async});
  }
  if ((parts & kStates) != 0) {
    is_good &= check(cuptiEnableDomain(1, g_subscriber, CUPTI_CB_DOMAIN_STATE), "states");
    is_good &= enable(CUPTI_CB_DOMAIN_RESOURCE,
                      {CUPTI_CBID_RESOURCE_GRAPH_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                       CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED});
  }
  if ((parts & kGraphCalls) != 0) {
    is_good &=
        enable(CUPTI_CB_DOMAIN_DRIVER_API, {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2});
  }
  return is_good ? 1 : 0;
}

/// Detaches CUPTI from the process.
PARTS_EXPORT void cupti_parts_stop() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API,
                            CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_STATE}) {
    cuptiEnableDomain(0, g_subscriber, domain);
  }
  cuptiEnableCallback(1, g_subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                      CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion);
  g_is_ending = true;
  int version = 0;
  cuDriverGetVersion(&version);
}
