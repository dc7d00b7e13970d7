// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The minimum cost of any CUPTI-based kernel profiler: an injection library (CUDA_INJECTION64_PATH)
// that enables CUPTI's concurrent kernel records with pooled buffers and discards the records. The
// yardstick of the overhead benchmark; shares no code with the profiler. RAW_CUPTI_COUNTS=FILE:
// also counts kernels by name, copies and sets, and waits by type, context and stream (4294967295:
// none), and writes them there as JSON at exit.
// RAW_CUPTI_SUBSCRIBE=1: subscribes, so that CUPTI is taken.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
};

// On the heap for good: the exit flush runs after static destructors.
struct State {
  Cupti cupti;
  std::mutex mutex;
  std::vector<std::uint8_t*> pool;
  const char* counts_path = nullptr;
  std::map<std::string, std::map<std::string, unsigned long>> counts;
};
State* g_state = nullptr;

void CUPTIAPI wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *max_records = 0;
  *bytes = kBufferBytes;
  {
    const std::lock_guard<std::mutex> lock(g_state->mutex);
    if (!g_state->pool.empty()) {
      *buffer = g_state->pool.back();
      g_state->pool.pop_back();
      return;
    }
  }
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(4096, kBufferBytes));
}

const char* copy_word(std::uint8_t kind) {
  return kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "htod"
         : kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "dtoh"
         : kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD ? "dtod"
                                                   : "other";
}

void count(std::uint8_t* buffer, std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (g_state->cupti.next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        ++g_state->counts["kernels"][reinterpret_cast<const CUpti_ActivityKernel9*>(record)->name];
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        ++g_state->counts["copies"][copy_word(
            reinterpret_cast<const CUpti_ActivityMemcpy5*>(record)->copyKind)];
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        ++g_state->counts["sets"]["all"];
        break;
      case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
        const auto& wait = *reinterpret_cast<const CUpti_ActivitySynchronization2*>(record);
        ++g_state
              ->counts["waits"][std::to_string(wait.type) + " " + std::to_string(wait.contextId) +
                                " " + std::to_string(wait.streamId)];
        break;
      }
      default:
        break;
    }
  }
}

void CUPTIAPI filled(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                     std::size_t valid_bytes) {
  const std::lock_guard<std::mutex> lock(g_state->mutex);
  if (g_state->counts_path != nullptr) count(buffer, valid_bytes);
  g_state->pool.push_back(buffer);
}

void write_counts() {
  std::FILE* file = std::fopen(g_state->counts_path, "w");
  if (file == nullptr) return;
  const char* group_separator = "{";
  for (const char* group : {"kernels", "copies", "sets", "waits"}) {
    std::fprintf(file, "%s\"%s\": ", group_separator, group);
    group_separator = ", ";
    const char* separator = "{";
    for (const auto& [name, number] : g_state->counts[group]) {
      std::fprintf(file, "%s\"%s\": %lu", separator, name.c_str(), number);
      separator = ", ";
    }
    std::fputs(*separator == '{' ? "{}" : "}", file);
  }
  std::fputs("}\n", file);
  std::fclose(file);
}

void at_exit() {
  g_state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (g_state->counts_path != nullptr) write_counts();
}

template <typename Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return;
  std::fprintf(stderr, "raw_cupti_inject: libcupti has no %s\n", name);
  std::abort();
}

void* find_cupti() {
  for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      if (void* library = dlopen(name, flags)) return library;
    }
  }
  std::fprintf(stderr, "raw_cupti_inject: %s\n", dlerror());
  std::abort();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  if (g_state != nullptr) return 1;
  g_state = new State;
  g_state->counts_path = std::getenv("RAW_CUPTI_COUNTS");
  void* library = find_cupti();
  Cupti& cupti = g_state->cupti;
  look_up(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  look_up(library, "cuptiActivityEnable", cupti.enable);
  look_up(library, "cuptiActivityFlushAll", cupti.flush);
  look_up(library, "cuptiActivityGetNextRecord", cupti.next);
  look_up(library, "cuptiSubscribe", cupti.subscribe);
  if (std::getenv("RAW_CUPTI_SUBSCRIBE") != nullptr) {
    CUpti_SubscriberHandle subscriber = nullptr;
    cupti.subscribe(
        &subscriber, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}, nullptr);
  }
  if (cupti.register_callbacks(wanted, filled) != CUPTI_SUCCESS ||
      cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
    std::fprintf(stderr, "raw_cupti_inject: CUPTI could not be enabled\n");
    std::abort();
  }
  if (g_state->counts_path != nullptr) {
    cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY);
    cupti.enable(CUPTI_ACTIVITY_KIND_MEMSET);
    cupti.enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  }
  std::atexit(at_exit);
  return 1;
}
