// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcupti that the driver calls, found by name.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

namespace prof::collectors {

// All CUPTI functions in use: X(member, name, required).
// clang-format off
#define PROF_CUPTI_FUNCTIONS(X)                                                   \
  X(get_version,         cuptiGetVersion,                   true)                 \
  X(get_result_string,   cuptiGetResultString,              true)                 \
  X(subscribe,           cuptiSubscribe,                    true)                 \
  X(subscribe_v2,        cuptiSubscribe_v2,                 false)                \
  X(unsubscribe,         cuptiUnsubscribe,                  true)                 \
  X(enable_callback,     cuptiEnableCallback,               true)                 \
  X(enable_domain,       cuptiEnableDomain,                 true)                 \
  X(get_callback_name,   cuptiGetCallbackName,              true)                 \
  X(get_timestamp,       cuptiGetTimestamp,                 true)                 \
  X(set_thread_id_type,  cuptiSetThreadIdType,              false)                \
  X(set_attribute,       cuptiActivitySetAttribute,         false)                \
  X(register_callbacks,  cuptiActivityRegisterCallbacks,    true)                 \
  X(enable_kind,         cuptiActivityEnable,               true)                 \
  X(enable_device_graph, cuptiActivityEnableDeviceGraph,    false)                \
  X(disable_kind,        cuptiActivityDisable,              true)                 \
  X(flush_all,           cuptiActivityFlushAll,             true)                 \
  X(next_record,         cuptiActivityGetNextRecord,        true)                 \
  X(dropped_records,     cuptiActivityGetNumDroppedRecords, true)                 \
  X(finalize,            cuptiFinalize,                     false)
// clang-format on

struct CuptiFunctions {
#define PROF_CUPTI_MEMBER(member, name, required) decltype(&::name) member = nullptr;
  PROF_CUPTI_FUNCTIONS(PROF_CUPTI_MEMBER)
#undef PROF_CUPTI_MEMBER

  /// Returns the name of a required function that the library lacks; null: it has all.
  const char* load(void* library) {
    const char* missing = nullptr;
#define PROF_CUPTI_LOAD(member, name, required)                         \
  (member) = reinterpret_cast<decltype(member)>(dlsym(library, #name)); \
  if ((required) && (member) == nullptr) missing = #name;
    PROF_CUPTI_FUNCTIONS(PROF_CUPTI_LOAD)
#undef PROF_CUPTI_LOAD
    return missing;
  }
};

}  // namespace prof::collectors
