// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in driver's work: each call raises the callbacks that the real runtime and driver raise
// for CUPTI (runtime enter, driver enter, driver exit, runtime exit, all with one correlation id),
// and reports the resulting GPU work. During stream capture the work becomes graph nodes instead.
#include <cupti.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "cuda_call.hpp"
#include "cuda_graphs.hpp"

namespace standin {

const char* keep_name(const char* name) {
  thread_local const char* last = nullptr;
  if (last != nullptr && std::strcmp(last, name) == 0) return last;
  DriverState& state = driver_state();
  // A child made by fork may find the lock held; nothing runs there anyway.
  if (state.pid.load() != 0 && state.pid.load() != getpid()) return "";
  const std::lock_guard lock(state.names_mutex);
  last = state.names.insert(name).first->c_str();
  return last;
}

std::uint32_t next_correlation() {
  auto id = static_cast<std::uint32_t>(driver_state().correlation.fetch_add(1));
  return id != 0 ? id : static_cast<std::uint32_t>(driver_state().correlation.fetch_add(1));
}

void set_times(Work& work, std::uint64_t duration_ns) {
  auto& busy = driver_state().busy_until_ns[work.stream % kStreams];
  std::uint64_t before = busy.load(std::memory_order_relaxed);
  do {
    work.start_ns = std::max(before + 1, now_ns());
    work.end_ns = work.start_ns + duration_ns;
  } while (!busy.compare_exchange_weak(before, work.end_ns, std::memory_order_relaxed));
}

namespace {

// In the order of Door.
constexpr CallNames kDoors[] = {
    {STANDIN_RT(cudaLaunchKernel, _v7000), STANDIN_DR(cuLaunchKernel)},
    {STANDIN_RT(__cudaLaunchKernel, _v13000), STANDIN_DR(cuLaunchKernel)},
    {STANDIN_RT(cudaLaunchKernel_ptsz, _v7000), STANDIN_DR(cuLaunchKernel_ptsz)},
    {STANDIN_RT(__cudaLaunchKernel_ptsz, _v13000), STANDIN_DR(cuLaunchKernel_ptsz)},
    {STANDIN_RT(cudaLaunchKernelExC, _v11060), STANDIN_DR(cuLaunchKernelEx)},
    {STANDIN_RT(cudaLaunchKernelExC_ptsz, _v11060), STANDIN_DR(cuLaunchKernelEx_ptsz)},
    {STANDIN_RT(cudaLaunchCooperativeKernel, _v9000), STANDIN_DR(cuLaunchCooperativeKernel)},
    {kNoApi, STANDIN_DR(cuLaunchKernel)},
    {kNoApi, STANDIN_DR(cuLaunchKernel_ptsz)},
    {kNoApi, STANDIN_DR(cuLaunchKernelEx)},
    {kNoApi, STANDIN_DR(cuLaunchKernelEx_ptsz)},
    {kNoApi, STANDIN_DR(cuLaunchCooperativeKernel)},
};
static_assert(std::size(kDoors) == static_cast<std::size_t>(Door::kCount));

/// Runs the work, or makes it a node of the graph being captured.
int submit(const CallNames& names, const char* symbol, Work work, std::uint32_t node_type) {
  const Call call(names, symbol, kSuccess);
  if (call.status() != kSuccess) return call.status();
  if (capture_node(work, node_type, call.hooks())) return kSuccess;
  work.correlation = call.correlation();
  set_times(work, driver_state().kernel_ns);
  if (call.hooks() != nullptr) call.hooks()->work(work);
  return kSuccess;
}

int launch(Door door, const char* kernel, Size3 grid, Size3 block, std::uint32_t stream) {
  Work work;
  work.name = keep_name(kernel);
  work.grid = grid;
  work.block = block;
  work.stream = stream;
  work.cooperative = door == Door::kRuntimeCooperative || door == Door::kDriverCooperative;
  return submit(kDoors[static_cast<std::size_t>(door)], work.name, work, CU_GRAPH_NODE_TYPE_KERNEL);
}

int launch_refused(Door door, const char* kernel) {
  return Call(kDoors[static_cast<std::size_t>(door)], keep_name(kernel), kErrorInvalidValue)
      .status();
}

int copy(std::uint8_t copy_kind, std::uint64_t bytes, bool async) {
  static constexpr CallNames kSyncCall[] = {
      {STANDIN_RT(cudaMemcpy, _v3020), STANDIN_DR(cuMemcpyHtoD_v2)},
      {STANDIN_RT(cudaMemcpy, _v3020), STANDIN_DR(cuMemcpyDtoH_v2)},
      {STANDIN_RT(cudaMemcpy, _v3020), STANDIN_DR(cuMemcpyDtoD_v2)}};
  static constexpr CallNames kAsyncCall[] = {
      {STANDIN_RT(cudaMemcpyAsync, _v3020), STANDIN_DR(cuMemcpyHtoDAsync_v2)},
      {STANDIN_RT(cudaMemcpyAsync, _v3020), STANDIN_DR(cuMemcpyDtoHAsync_v2)},
      {STANDIN_RT(cudaMemcpyAsync, _v3020), STANDIN_DR(cuMemcpyDtoDAsync_v2)}};
  const std::size_t which = copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? 0
                            : copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? 1
                                                                           : 2;
  Work work;
  work.kind = WorkKind::kMemcpy;
  work.copy_kind = copy_kind;
  work.bytes = bytes;
  work.async = async;
  return submit(async ? kAsyncCall[which] : kSyncCall[which], nullptr, work,
                CU_GRAPH_NODE_TYPE_MEMCPY);
}

int set(std::uint64_t bytes, bool async) {
  Work work;
  work.kind = WorkKind::kMemset;
  work.bytes = bytes;
  work.async = async;
  const CallNames names =
      async ? CallNames{STANDIN_RT(cudaMemsetAsync, _v3020), STANDIN_DR(cuMemsetD8Async)}
            : CallNames{STANDIN_RT(cudaMemset, _v3020), STANDIN_DR(cuMemsetD8_v2)};
  return submit(names, nullptr, work, CU_GRAPH_NODE_TYPE_MEMSET);
}

int change_memory(const CallNames& names, Work work) {
  // As cuMemFree() and cuMemFreeAsync() have it: the address, a stream.
  const std::uint64_t parameters[2] = {work.address, 0};
  const Call call(names, nullptr, kSuccess, work.is_release ? parameters : nullptr);
  if (call.status() != kSuccess) return call.status();
  work.kind = WorkKind::kMemory;
  work.correlation = call.correlation();
  work.start_ns = work.end_ns = now_ns();
  if (call.hooks() != nullptr) call.hooks()->work(work);
  return kSuccess;
}

Work memory_of(std::uint64_t address, std::uint64_t bytes, bool async) {
  Work work;
  work.address = address;
  work.bytes = bytes;
  work.async = async;
  return work;
}

int allocate(std::uint64_t address, std::uint64_t bytes, bool async) {
  if (async) {
    const std::lock_guard lock(driver_state().pool_mutex);
    driver_state().pooled.insert(address);
  }
  return change_memory(
      async ? CallNames{STANDIN_RT(cudaMallocAsync, _v11020), STANDIN_DR(cuMemAllocAsync)}
            : CallNames{STANDIN_RT(cudaMalloc, _v3020), STANDIN_DR(cuMemAlloc_v2)},
      memory_of(address, bytes, async));
}

bool is_pooled(std::uint64_t address) {
  const std::lock_guard lock(driver_state().pool_mutex);
  return driver_state().pooled.count(address) != 0;
}

int release(std::uint64_t address, std::uint64_t bytes, bool async) {
  Work work = memory_of(address, bytes, async);
  work.is_release = true;
  work.is_of_pool = is_pooled(address);
  return change_memory(
      async ? CallNames{STANDIN_RT(cudaFreeAsync, _v11020), STANDIN_DR(cuMemFreeAsync)}
            : CallNames{STANDIN_RT(cudaFree, _v3020), STANDIN_DR(cuMemFree_v2)},
      work);
}

constexpr std::uint32_t kStreamWaits = CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent;

int synchronize_by(const CallNames& names, const void* parameters) {
  const Call call(names, nullptr, kSuccess, parameters);
  if (call.status() != kSuccess || names.driver.cbid == kStreamWaits) return call.status();
  for (const auto& busy : driver_state().busy_until_ns) {
    while (busy.load() > now_ns()) {
    }
  }
  return kSuccess;
}

int synchronize(const char* what, std::uint32_t stream) {
  const auto is = [what](const char* word) { return std::strcmp(what, word) == 0; };
  const CallNames names =
      is("stream")
          ? CallNames{STANDIN_RT(cudaStreamSynchronize, _v3020), STANDIN_DR(cuStreamSynchronize)}
      : is("event")
          ? CallNames{STANDIN_RT(cudaEventSynchronize, _v3020), STANDIN_DR(cuEventSynchronize)}
      : is("wait_event")
          ? CallNames{STANDIN_RT(cudaStreamWaitEvent, _v3020), STANDIN_DR(cuStreamWaitEvent)}
          : CallNames{STANDIN_RT(cudaDeviceSynchronize, _v3020), STANDIN_DR(cuCtxSynchronize)};
  // A stream's handle is its number here.
  const std::uintptr_t parameters[3] = {stream, 0, 0};
  return synchronize_by(names, parameters);
}

int call_function(const char* what) {
  const auto is = [what](const char* word) { return std::strcmp(what, word) == 0; };
  const CallNames names =
      is("malloc") ? CallNames{STANDIN_RT(cudaMalloc, _v3020), STANDIN_DR(cuMemAlloc_v2)}
      : is("profiler_on")
          ? CallNames{STANDIN_RT(cudaProfilerStart, _v4000), STANDIN_DR(cuProfilerStart)}
      : is("profiler_off")
          ? CallNames{STANDIN_RT(cudaProfilerStop, _v4000), STANDIN_DR(cuProfilerStop)}
      : is("event") ? CallNames{STANDIN_RT(cudaEventRecord, _v3020), STANDIN_DR(cuEventRecord)}
                    : CallNames{STANDIN_RT(cudaGetDevice, _v3020), STANDIN_DR(cuCtxGetDevice)};
  return Call(names, nullptr, kSuccess).status();
}

void attach(const CuptiHooks* hooks) {
  driver_state().hooks.store(hooks, std::memory_order_release);
}

}  // namespace

int synchronize_context() {
  return synchronize_by({kNoApi, STANDIN_DR(cuCtxSynchronize)}, nullptr);
}

}  // namespace standin

const standin::Driver* standin_driver() {
  using namespace standin;
  static const Driver driver{attach,   launch,  launch_refused, copy,          set,
                             allocate, release, synchronize,    call_function, kGraphCalls};
  return &driver;
}
