// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in CUPTI's functions of CUDA 13.3 for several subscribers, declared from NVIDIA's
// documentation ("Multiple Subscribers" and the pages of the functions): the toolkit's headers may
// be older. Stricter than the documentation in one point: whatever is not a live subscriber ends
// the process with a line where the documentation asks for one.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cupti_state.hpp"

using standin::cupti_state;
using standin::CuptiState;
using standin::Subscriber;

namespace {

/// CUpti_SubscriberParams of 13.3.
struct Parameters {
  std::size_t struct_size;
  const char* name;
  char* old_name;
  std::size_t old_size;
  std::uint8_t allow_multiple;
  std::uint8_t padding[7];
};

// The attributes of 13.3 by their place in the documentation's list.
constexpr int kMultipleState = 12, kWholeGraphs = 20, kThreadIdType = 21;

void tell_name(const Parameters& parameters, const std::string& name) {
  if (parameters.old_name == nullptr || parameters.old_size == 0) return;
  std::snprintf(parameters.old_name, parameters.old_size, "%s", name.c_str());
}

Subscriber& need(CUpti_SubscriberHandle handle, const char* function) {
  standin::check_process(function);
  Subscriber* const subscriber = standin::find_subscriber(handle);
  if (subscriber != nullptr && cupti_state().is_shared.load()) return *subscriber;
  std::fprintf(stderr, "standin libcupti: %s called without a subscriber\n", function);
  std::abort();
}

bool is_any_kind_enabled() {
  for (const Subscriber& subscriber : cupti_state().subscribers) {
    for (const auto& kind : subscriber.kinds) {
      if (kind.load()) return true;
    }
  }
  return false;
}

}  // namespace

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

STANDIN_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle,
                                             CUpti_CallbackFunc callback, void* userdata,
                                             CUpti_SubscriberParams* given) {
  standin::check_process(__func__);
  // Older clients have a shorter structure, and are alone.
  Parameters parameters{};
  if (given == nullptr || given->structSize > sizeof parameters)
    return CUPTI_ERROR_INVALID_PARAMETER;
  std::memcpy(&parameters, given, given->structSize);
  CuptiState& state = cupti_state();
  const std::size_t others = standin::count_subscribers();
  const bool may_join = others == 0 || (state.is_shared.load() && parameters.allow_multiple == 1);
  if (standin::fails("held") || !may_join) {
    tell_name(parameters, standin::fails("held") ? "CUPTI for Other Profiler"
                                                 : "CUPTI for " + state.first().name);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  // What drivers before 610 answer.
  if (standin::fails("cannot_share") && parameters.allow_multiple == 1)
    return CUPTI_ERROR_NOT_SUPPORTED;
  if (standin::fails("subscribe_privileges")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (!standin::attach_to_driver()) return CUPTI_ERROR_NOT_INITIALIZED;
  if (others != 0) tell_name(parameters, "CUPTI for " + state.first().name);
  state.is_shared = parameters.allow_multiple == 1;
  *handle = standin::take_place(callback, userdata, parameters.name);
  return *handle != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

STANDIN_EXPORT CUptiResult cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle handle,
                                                             standin::SharedRequest request,
                                                             standin::SharedComplete complete) {
  Subscriber& subscriber = need(handle, __func__);
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::lock_guard lock(cupti_state().activity_mutex);
  subscriber.shared_request = request;
  subscriber.shared_complete = complete;
  standin::start_worker();
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle handle,
                                                  CUpti_ActivityKind kind, void*) {
  return standin::enable_kind(need(handle, __func__), kind);
}

STANDIN_EXPORT CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle handle,
                                                   CUpti_ActivityKind kind, void*) {
  Subscriber& subscriber = need(handle, __func__);
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
    return CUPTI_ERROR_INVALID_KIND;
  subscriber.kinds[kind] = false;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivitySetAttribute_v2(CUpti_SubscriberHandle handle,
                                                        CUpti_ActivityAttribute attribute,
                                                        std::size_t* size, void* value) {
  Subscriber& subscriber = need(handle, __func__);
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (attribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) {
    subscriber.buffer_per_thread = *static_cast<std::uint8_t*>(value) != 0;
  } else if (attribute == kWholeGraphs) {
    if (is_any_kind_enabled()) return CUPTI_ERROR_INVALID_OPERATION;
    cupti_state().whole_graphs = *static_cast<std::uint8_t*>(value) != 0;
  }
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetAttribute_v2(CUpti_SubscriberHandle,
                                                        CUpti_ActivityAttribute attribute,
                                                        std::size_t* size, void* value) {
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  CuptiState& state = cupti_state();
  if (attribute == kThreadIdType) {
    if (*size < sizeof(CUpti_ActivityThreadIdType))
      return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    *size = sizeof(CUpti_ActivityThreadIdType);
    const CUpti_ActivityThreadIdType type = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
    std::memcpy(value, &type, sizeof type);
    return CUPTI_SUCCESS;
  }
  if (attribute != kMultipleState && attribute != kWholeGraphs)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const bool is_on = attribute == kWholeGraphs ? state.whole_graphs.load() : state.is_shared.load();
  *static_cast<std::uint8_t*>(value) = is_on ? 1 : 0;
  *size = 1;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNextRecord_v2(CUpti_SubscriberHandle handle,
                                                         std::uint8_t* buffer,
                                                         std::size_t valid_bytes,
                                                         CUpti_Activity** record) {
  need(handle, __func__);
  std::uint8_t* next = buffer;
  if (*record != nullptr)
    next = reinterpret_cast<std::uint8_t*>(*record) + standin::record_bytes(*record);
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return standin::record_bytes(*record) == 0 ? CUPTI_ERROR_INVALID_KIND : CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords_v2(CUpti_SubscriberHandle handle,
                                                                CUcontext, std::uint32_t,
                                                                std::size_t* dropped) {
  *dropped = need(handle, __func__).dropped.exchange(0);
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetTimestamp_v2(CUpti_SubscriberHandle handle,
                                                std::uint64_t* timestamp) {
  need(handle, __func__);
  *timestamp = standin::cupti_now();
  return CUPTI_SUCCESS;
}
