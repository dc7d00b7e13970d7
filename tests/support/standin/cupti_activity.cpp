// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in CUPTI's activity half: buffers asked from the profiler on the thread that makes
// work, completed on a thread of the library when they are full or flushed. Locks: a slot's mutex
// before activity_mutex; no lock is held while the profiler's functions run, but the slot's own
// while a buffer is asked for it.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <system_error>
#include <thread>

#include "cupti_state.hpp"

namespace standin {
namespace {

thread_local bool is_worker = false;

void hand_over(CuptiState& state, Slot& slot) {
  if (slot.buffer.data == nullptr) return;
  const std::lock_guard lock(state.activity_mutex);
  state.done.push_back(slot.buffer);
  slot.buffer = {};
  state.done_changed.notify_all();
}

void collect(CuptiState& state, bool forced) {
  std::vector<Slot*> slots;
  {
    const std::lock_guard lock(state.activity_mutex);
    for (Subscriber& subscriber : state.subscribers) {
      slots.insert(slots.end(), subscriber.slots.begin(), subscriber.slots.end());
      slots.push_back(&subscriber.shared_slot);
    }
  }
  const std::uint64_t now = cupti_now();
  for (Slot* slot : slots) {
    const std::lock_guard lock(slot->mutex);
    if (forced || slot->buffer.last_end_ns <= now) hand_over(state, *slot);
  }
}

void complete(const Buffer& buffer) {
  const auto shared = buffer.owner->shared_complete.load();
  const auto alone = buffer.owner->complete.load();
  if (shared != nullptr) {
    shared(buffer.data, buffer.bytes, buffer.used, nullptr);
  } else if (alone != nullptr) {
    alone(nullptr, 0, buffer.data, buffer.bytes, buffer.used);
  }
}

void work(CuptiState& state) {
  is_worker = true;
  auto next_flush = std::chrono::steady_clock::now();
  std::unique_lock lock(state.activity_mutex);
  while (true) {
    if (state.done.empty()) {
      state.worker_busy = false;
      state.done_changed.notify_all();
      state.done_changed.wait_for(lock, std::chrono::milliseconds(10),
                                  [&] { return !state.done.empty(); });
    }
    state.worker_busy = true;
    while (!state.done.empty()) {
      const Buffer buffer = state.done.front();
      state.done.pop_front();
      lock.unlock();
      complete(buffer);
      lock.lock();
    }
    const auto period = std::chrono::milliseconds(state.flush_period_ms);
    if (state.flush_period_ms != 0 && std::chrono::steady_clock::now() >= next_flush) {
      next_flush = std::chrono::steady_clock::now() + period;
      lock.unlock();
      collect(state, false);
      lock.lock();
    }
  }
}

Slot& slot_of_thread(Subscriber& of) {
  if (!of.buffer_per_thread.load(std::memory_order_relaxed)) return of.shared_slot;
  // One word a thread: GCC 12's LeakSanitizer crashes where there is no room for more.
  thread_local SlotsOfThread* slots = nullptr;
  if (slots == nullptr) {
    const std::lock_guard lock(cupti_state().activity_mutex);
    slots = &cupti_state().slots_of_threads.emplace_back();
  }
  Slot*& slot = (*slots)[of.index];
  if (slot == nullptr) {
    slot = new Slot;
    const std::lock_guard lock(cupti_state().activity_mutex);
    of.slots.push_back(slot);
  }
  return *slot;
}

void request(Subscriber& of, Buffer& buffer) {
  const auto shared = of.shared_request.load();
  const auto alone = of.request.load();
  buffer.owner = &of;
  if (shared != nullptr) {
    shared(&buffer.data, &buffer.bytes, &buffer.max_records, nullptr);
  } else if (alone != nullptr) {
    alone(&buffer.data, &buffer.bytes, &buffer.max_records);
  }
}

bool has_room(const Buffer& buffer, std::size_t bytes) {
  return buffer.data != nullptr && buffer.used + bytes <= buffer.bytes &&
         (buffer.max_records == 0 || buffer.records < buffer.max_records);
}

}  // namespace

std::uint64_t cupti_now() {
  if (const auto own = cupti_state().timestamp.load()) return own();
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// The worker takes no signals, so that those tests see where the profiler's own threads take them.
void start_worker() {
  CuptiState& state = cupti_state();
  if (state.worker_started) return;
  state.worker_started = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Without a thread buffers come back at a forced flush alone. No exception may reach the caller.
  try {
    std::thread([&state] { work(state); }).detach();
  } catch (const std::system_error&) {
    state.worker_started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void append(Subscriber& to, const void* record, std::size_t bytes, std::uint64_t end_ns) {
  Slot& slot = slot_of_thread(to);
  const std::lock_guard lock(slot.mutex);
  Buffer& buffer = slot.buffer;
  if (!has_room(buffer, bytes)) {
    hand_over(cupti_state(), slot);
    if (!fails("no_buffers")) request(to, buffer);
    if (!has_room(buffer, bytes)) {
      buffer = {};
      ++to.dropped;
      return;
    }
  }
  std::memcpy(buffer.data + buffer.used, record, bytes);
  buffer.used += bytes;
  ++buffer.records;
  buffer.last_end_ns = std::max(buffer.last_end_ns, end_ns);
}

void stop_activity() {
  for (Subscriber& subscriber : cupti_state().subscribers) {
    for (auto& kind : subscriber.kinds) kind = false;
  }
}

CUptiResult enable_kind(Subscriber& subscriber, CUpti_ActivityKind kind) {
  CuptiState& state = cupti_state();
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
    return CUPTI_ERROR_INVALID_KIND;
  if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && fails("no_graph_trace"))
    return CUPTI_ERROR_INVALID_KIND;
  if (fails("privileges")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (state.dead.load() || !attach_to_driver()) return CUPTI_ERROR_NOT_INITIALIZED;
  subscriber.kinds[kind] = true;
  return CUPTI_SUCCESS;
}

}  // namespace standin

using standin::cupti_state;
using standin::CuptiState;

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))
/// The functions without a subscriber do not go with the shared ones.
#define REFUSE_IF_SHARED() \
  if (cupti_state().is_shared.load()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED

STANDIN_EXPORT CUptiResult cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  standin::check_process(__func__);
  REFUSE_IF_SHARED();
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  CuptiState& state = cupti_state();
  const std::lock_guard lock(state.activity_mutex);
  state.first().request = request;
  state.first().complete = complete;
  state.first().shared_request = nullptr;
  state.first().shared_complete = nullptr;
  standin::start_worker();
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
  standin::check_process(__func__);
  cupti_state().timestamp = function;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  standin::check_process(__func__);
  REFUSE_IF_SHARED();
  return standin::enable_kind(cupti_state().first(), kind);
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableDeviceGraph(std::uint8_t enable) {
  standin::check_process(__func__);
  REFUSE_IF_SHARED();
  cupti_state().graphs_of_kernels = enable != 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  standin::check_process(__func__);
  REFUSE_IF_SHARED();
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
    return CUPTI_ERROR_INVALID_KIND;
  cupti_state().first().kinds[kind] = false;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid,
                                                         std::uint8_t enable) {
  cupti_state().api_off[0][cbid] = enable == 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid,
                                                        std::uint8_t enable) {
  cupti_state().api_off[1][cbid] = enable == 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                                      CUpti_Activity** record) {
  REFUSE_IF_SHARED();
  std::uint8_t* next = buffer;
  if (*record != nullptr)
    next = reinterpret_cast<std::uint8_t*>(*record) + standin::record_bytes(*record);
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return standin::record_bytes(*record) == 0 ? CUPTI_ERROR_INVALID_KIND : CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t,
                                                             std::size_t* dropped) {
  standin::check_process(__func__);
  REFUSE_IF_SHARED();
  *dropped = cupti_state().first().dropped.exchange(0);
  return CUPTI_SUCCESS;
}

/// Blocks until the profiler has every buffer that this flush returns.
STANDIN_EXPORT CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  standin::check_process(__func__);
  CuptiState& state = cupti_state();
  if (!state.worker_started || standin::is_worker) return CUPTI_ERROR_INVALID_OPERATION;
  if (state.dead.load()) return CUPTI_ERROR_NOT_INITIALIZED;
  if (flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED && standin::fails("flush_hangs")) {
    for (;;) pause();
  }
  standin::collect(state, flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::unique_lock lock(state.activity_mutex);
  state.done_changed.notify_all();
  state.done_changed.wait(lock, [&] { return state.done.empty() && !state.worker_busy; });
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityFlushPeriod(std::uint32_t milliseconds) {
  standin::check_process(__func__);
  CuptiState& state = cupti_state();
  const std::lock_guard lock(state.activity_mutex);
  state.flush_period_ms = milliseconds;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
                                                     std::size_t* size, void* value) {
  standin::check_process(__func__);
  REFUSE_IF_SHARED();
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (attribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) {
    cupti_state().first().buffer_per_thread = *static_cast<std::uint8_t*>(value) != 0;
  }
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute,
                                                     std::size_t* size, void* value) {
  if (size == nullptr || value == nullptr ||
      attribute != CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *static_cast<std::uint8_t*>(value) = cupti_state().first().buffer_per_thread.load() ? 1 : 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) {
  REFUSE_IF_SHARED();
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  REFUSE_IF_SHARED();
  *timestamp = standin::cupti_now();
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiFinalize() {
  standin::check_process(__func__);
  if (standin::count_subscribers() > 1) return CUPTI_SUCCESS;  // It would end another's session.
  cupti_state().dead = true;
  ++cupti_state().finalized;
  standin::stop_activity();
  for (standin::Subscriber& subscriber : cupti_state().subscribers) subscriber.callback = nullptr;
  cupti_state().is_shared = false;
  return CUPTI_SUCCESS;
}
