// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's interface for several subscribers in one process, as of CUDA 13.3. The headers that we
// build with may be those of CUDA 13.0, which lack it, so it is declared here and looked up by
// name.
//
// Sources, all in NVIDIA's CUPTI documentation of CUDA 13.3 and 13.4: "Multiple Subscribers" names
// the functions and what they require of each other; "CUPTI Activity API" and "CUPTI Callback API"
// have their signatures; "CUpti_SubscriberParams" has the structure. Two things are inferred: the
// documentation lists the activity attributes in the order of their numbers without stating these,
// and the structure ends where the alignment of its members makes it end.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace prof::collectors {

/// cuptiGetVersion() of the first release with all of it.
inline constexpr std::uint32_t kSharesCupti = 130'300;

/// CUpti_SubscriberParams with the member that CUDA 13.3 added. Lower members as in CUDA 13.0.
struct SharedSubscriberParams {
  std::size_t struct_size = sizeof(SharedSubscriberParams);
  const char* subscriber_name = nullptr;
  /// Receives the name of the first subscriber, or of the holder.
  char* old_subscriber_name = nullptr;
  std::size_t old_subscriber_size = 0;
  std::uint8_t allow_multiple_subscribers = 1;
  std::uint8_t padding[7] = {};
};
static_assert(offsetof(SharedSubscriberParams, allow_multiple_subscribers) ==
                  CUpti_SubscriberParams_STRUCT_SIZE ||
              sizeof(CUpti_SubscriberParams) >= sizeof(SharedSubscriberParams));

/// CUpti_ActivityAttribute: a std::uint8_t of all subscribers, which the first may set.
inline constexpr auto kWholeGraphsForAll = static_cast<CUpti_ActivityAttribute>(20);
/// CUpti_ActivityAttribute: a CUpti_ActivityThreadIdType of one subscriber.
inline constexpr auto kThreadIdTypeOfOne = static_cast<CUpti_ActivityAttribute>(21);

/// The last argument of the buffer functions (CUpti_BufferCallbackRequestInfo and ...CompleteInfo)
/// and of enabling a kind (CUpti_ActivityConfig, which may be null) are of no use here.
using SharedBufferWanted = void (*)(std::uint8_t** buffer, std::size_t* bytes,
                                    std::size_t* max_records, void* info);
using SharedBufferFilled = void (*)(std::uint8_t* buffer, std::size_t bytes,
                                    std::size_t valid_bytes, void* info);

struct SharedCuptiFunctions {
  using Subscriber = CUpti_SubscriberHandle;
  CUptiResult (*subscribe)(Subscriber*, CUpti_CallbackFunc, void*,
                           SharedSubscriberParams*) = nullptr;
  CUptiResult (*register_callbacks)(Subscriber, SharedBufferWanted, SharedBufferFilled) = nullptr;
  CUptiResult (*enable_kind)(Subscriber, CUpti_ActivityKind, void* config) = nullptr;
  CUptiResult (*disable_kind)(Subscriber, CUpti_ActivityKind, void* config) = nullptr;
  CUptiResult (*get_attribute)(Subscriber, CUpti_ActivityAttribute, std::size_t*, void*) = nullptr;
  CUptiResult (*set_attribute)(Subscriber, CUpti_ActivityAttribute, std::size_t*, void*) = nullptr;
  CUptiResult (*next_record)(Subscriber, std::uint8_t*, std::size_t, CUpti_Activity**) = nullptr;
  CUptiResult (*dropped_records)(Subscriber, CUcontext, std::uint32_t, std::size_t*) = nullptr;
  CUptiResult (*get_timestamp)(Subscriber, std::uint64_t*) = nullptr;

  /// Whether the library has all of them.
  bool load(void* library) {
    const auto find = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find(subscribe, "cuptiSubscribe_v2") &&
           find(register_callbacks, "cuptiActivityRegisterCallbacks_v2") &&
           find(enable_kind, "cuptiActivityEnable_v2") &&
           find(disable_kind, "cuptiActivityDisable_v2") &&
           find(get_attribute, "cuptiActivityGetAttribute_v2") &&
           find(set_attribute, "cuptiActivitySetAttribute_v2") &&
           find(next_record, "cuptiActivityGetNextRecord_v2") &&
           find(dropped_records, "cuptiActivityGetNumDroppedRecords_v2") &&
           find(get_timestamp, "cuptiGetTimestamp_v2");
  }
};

}  // namespace prof::collectors
