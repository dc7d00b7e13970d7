// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// State of the stand-in CUPTI, shared by its files. One heap object that is never freed.
// STANDIN_CUPTI_12 builds the older library: the records, the version and the functions of
// CUDA 12.8. STANDIN_CUPTI_133 has the version and the shared functions of CUDA 13.3 besides.
#pragma once

#include <cupti.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <bitset>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "standin.hpp"

namespace standin {

#ifdef STANDIN_CUPTI_12
using KernelRecord = CUpti_ActivityKernel9;
using MemcpyRecord = CUpti_ActivityMemcpy5;
using MemoryRecord = CUpti_ActivityMemory3;
inline constexpr std::uint32_t kCuptiVersion = 26;
/// The first resource callback that this version does not have.
inline constexpr std::uint32_t kUnknownResource = CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED;
#else
using KernelRecord = CUpti_ActivityKernel10;
using MemcpyRecord = CUpti_ActivityMemcpy6;
using MemoryRecord = CUpti_ActivityMemory4;
#ifdef STANDIN_CUPTI_133
inline constexpr std::uint32_t kCuptiVersion = 130'300;
#else
inline constexpr std::uint32_t kCuptiVersion = CUPTI_API_VERSION;
#endif
inline constexpr std::uint32_t kUnknownResource = CUPTI_CBID_RESOURCE_SIZE;
#endif
using MemsetRecord = CUpti_ActivityMemset4;
using OverheadRecord = CUpti_ActivityOverhead3;
using ApiRecord = CUpti_ActivityAPI;
using GraphRecord = CUpti_ActivityGraphTrace2;
using DeviceGraphRecord = CUpti_ActivityDeviceGraphTrace;

inline constexpr std::size_t kMaxCbid = 4096;
inline constexpr std::size_t kMaxSubscribers = 3;

struct Subscriber;

/// A buffer of the profiler with what was written to it.
struct Buffer {
  Subscriber* owner = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0, used = 0, records = 0, max_records = 0;
  std::uint64_t last_end_ns = 0;  ///< When the last of its work is over.
};

/// Where one thread (or, without buffers per thread, everyone) is writing.
struct Slot {
  std::mutex mutex;
  Buffer buffer;
};

/// By subscriber; null: the thread has written nothing for it.
using SlotsOfThread = std::array<Slot*, kMaxSubscribers>;

using SharedRequest = void (*)(std::uint8_t**, std::size_t*, std::size_t*, void*);
using SharedComplete = void (*)(std::uint8_t*, std::size_t, std::size_t, void*);

/// One tool. The functions without a subscriber mean the first.
struct Subscriber {
  std::size_t index = 0;
  std::string name;
  std::atomic<CUpti_CallbackFunc> callback{nullptr};  ///< Null: not subscribed.
  std::atomic<void*> userdata{nullptr};
  std::atomic<bool> enabled[CUPTI_CB_DOMAIN_SIZE][kMaxCbid] = {};

  std::atomic<bool> kinds[CUPTI_ACTIVITY_KIND_COUNT] = {};
  /// The profiler's functions; each capture registers them again while other threads work.
  std::atomic<CUpti_BuffersCallbackRequestFunc> request{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete{nullptr};
  std::atomic<SharedRequest> shared_request{nullptr};
  std::atomic<SharedComplete> shared_complete{nullptr};
  std::vector<Slot*> slots;  ///< Under activity_mutex.
  Slot shared_slot;
  std::atomic<bool> buffer_per_thread{true};
  std::atomic<bool> has_overhead{false};  ///< That of the first kernel.
  std::atomic<std::uint64_t> dropped{0};
};

struct CuptiState {
  CuptiState() {
    for (std::size_t i = 0; i < kMaxSubscribers; ++i) subscribers[i].index = i;
  }
  Subscriber& first() { return subscribers[0]; }

  pid_t pid = 0;
  std::string failures;  ///< STANDIN_CUPTI_FAIL, commas around every word.

  Subscriber subscribers[kMaxSubscribers];
  std::atomic<bool> is_shared{false};     ///< Somebody has subscribed by cuptiSubscribe_v2 of 13.3.
  std::atomic<bool> whole_graphs{false};  ///< For all, if shared.

  std::atomic<bool> api_off[2][kMaxCbid] =
      {};  ///< cuptiActivityEnableRuntimeApi/DriverApi(cbid, 0).
  std::atomic<CUpti_TimestampCallbackFunc> timestamp{nullptr};
  std::mutex activity_mutex;  ///< Guards what follows, up to flush_period_ms.
  std::deque<Buffer> done;
  std::deque<SlotsOfThread> slots_of_threads;
  bool worker_busy = false, worker_started = false;
  std::condition_variable done_changed;
  std::uint32_t flush_period_ms = 0;

  std::atomic<bool> graphs_of_kernels{false};  ///< cuptiActivityEnableDeviceGraph(1).
  std::atomic<bool> dead{false};               ///< After a fatal error or cuptiFinalize.
  std::atomic<std::uint32_t> finalized{0};     ///< How often.
  std::atomic<std::uint64_t> records{0};
};

CuptiState& cupti_state();

/// STANDIN_CUPTI_FAIL names this failure.
bool fails(const char* word);

/// Aborts with a message if a child forked after CUPTI's start calls CUPTI: the real one
/// occasionally deadlocks or corrupts memory there.
void check_process(const char* function);

/// Loads the driver and listens to it; false where there is no driver.
bool attach_to_driver();

void on_api_record(const ApiSite& site, std::uint64_t start_ns, std::uint64_t end_ns);
void on_work(const Work& work);
void raise_fatal_error();
std::size_t record_bytes(const CUpti_Activity* record);
/// Puts a record into the subscriber's buffer for the calling thread; requests one if there is
/// none.
void append(Subscriber& to, const void* record, std::size_t bytes, std::uint64_t end_ns);
/// Makes a place for callbacks; null if all are taken.
CUpti_SubscriberHandle take_place(CUpti_CallbackFunc callback, void* userdata, const char* name);
/// Null: the handle is none of a subscriber.
Subscriber* find_subscriber(CUpti_SubscriberHandle handle);
std::size_t count_subscribers();
CUptiResult enable_kind(Subscriber& subscriber, CUpti_ActivityKind kind);
/// Delivers buffers from now on.
void start_worker();
void stop_activity();
std::uint64_t cupti_now();

}  // namespace standin
