// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in CUPTI's callback half: subscribers, callbacks by domain and function, graph ids.
// Failures by STANDIN_CUPTI_FAIL (comma-separated): see README.md.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "cupti_state.hpp"

namespace standin {
namespace {

struct CbidName {
  std::uint32_t cbid;
  const char* name;
};
#include "cbid_names.inc"

char context_object;
CUcontext context() { return reinterpret_cast<CUcontext>(&context_object); }

void deliver(CUpti_CallbackDomain domain, std::uint32_t cbid, const void* data) {
  if (cbid >= kMaxCbid) return;
  for (Subscriber& subscriber : cupti_state().subscribers) {
    if (!subscriber.enabled[domain][cbid].load(std::memory_order_relaxed)) continue;
    if (CUpti_CallbackFunc callback = subscriber.callback.load())
      callback(subscriber.userdata, domain, cbid, data);
  }
}

void on_api(ApiSite& site, bool enter) {
  thread_local std::uint64_t starts[2];
  const auto domain = static_cast<CUpti_CallbackDomain>(site.domain);
  const std::size_t level = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? 0 : 1;
  static constexpr std::uint64_t kNoParameters[64] = {};
  CUpti_CallbackData data{};
  data.callbackSite = enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.functionName = site.function;
  data.functionParams = site.parameters != nullptr ? site.parameters : kNoParameters;
  data.functionReturnValue = enter ? nullptr : &site.status;
  data.symbolName = site.symbol;
  data.context = context();
  data.contextUid = 1;
  data.correlationData = &site.scratch;
  data.correlationId = site.correlation;
  if (enter) starts[level] = cupti_now();
  deliver(domain, site.cbid, &data);
  if (!enter) on_api_record(site, starts[level], cupti_now());
}

void on_resource(std::uint32_t cbid) {
  CUpti_ResourceData data{};
  data.context = context();
  deliver(CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}

void on_graph(const GraphEvent& event) {
  CUpti_GraphData graph{};
  graph.graph = reinterpret_cast<CUgraph>(event.graph);
  graph.originalGraph = reinterpret_cast<CUgraph>(event.original_graph);
  graph.node = reinterpret_cast<CUgraphNode>(event.node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(event.original_node);
  graph.nodeType = static_cast<CUgraphNodeType>(event.type);
  graph.graphExec = reinterpret_cast<CUgraphExec>(event.executable);
  CUpti_ResourceData data{};
  data.context = context();
  data.resourceDescriptor = &graph;
  deliver(CUPTI_CB_DOMAIN_RESOURCE, event.cbid, &data);
}

std::uint32_t attachment() {
  const CuptiState& state = cupti_state();
  return count_subscribers() == 0 ? 0 : state.finalized + 1;
}

constexpr CuptiHooks kHooks{on_api, on_resource, on_graph, on_work, attachment};

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* userdata,
                      CUpti_SubscriberParams* parameters) {
  CuptiState& state = cupti_state();
  if (handle == nullptr || callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (fails("held") || count_subscribers() != 0) {
    if (parameters != nullptr && parameters->oldSubscriberName != nullptr &&
        parameters->oldSubscriberSize > 0) {
      const std::string name =
          fails("held") ? "CUPTI for Other Profiler" : "CUPTI for " + state.first().name;
      std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "%s",
                    name.c_str());
    }
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  if (fails("subscribe_privileges")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (!attach_to_driver()) return CUPTI_ERROR_NOT_INITIALIZED;
  *handle =
      take_place(callback, userdata, parameters != nullptr ? parameters->subscriberName : nullptr);
  return CUPTI_SUCCESS;
}

}  // namespace

CuptiState& cupti_state() {
  static CuptiState* state = [] {
    auto* made = new CuptiState;
    made->pid = getpid();
    const char* words = std::getenv("STANDIN_CUPTI_FAIL");
    made->failures = "," + std::string(words != nullptr ? words : "") + ",";
    return made;
  }();
  return *state;
}

CUpti_SubscriberHandle take_place(CUpti_CallbackFunc callback, void* userdata, const char* name) {
  CuptiState& state = cupti_state();
  if (state.finalized != 0) state.dead = false;
  for (Subscriber& subscriber : state.subscribers) {
    if (subscriber.callback.load() != nullptr) continue;
    subscriber.name = name != nullptr ? name : "";
    subscriber.userdata = userdata;
    subscriber.callback = callback;
    return reinterpret_cast<CUpti_SubscriberHandle>(&subscriber);
  }
  return nullptr;
}

Subscriber* find_subscriber(CUpti_SubscriberHandle handle) {
  for (Subscriber& subscriber : cupti_state().subscribers) {
    if (reinterpret_cast<CUpti_SubscriberHandle>(&subscriber) == handle &&
        subscriber.callback.load() != nullptr) {
      return &subscriber;
    }
  }
  return nullptr;
}

std::size_t count_subscribers() {
  std::size_t count = 0;
  for (const Subscriber& subscriber : cupti_state().subscribers)
    count += subscriber.callback.load() != nullptr ? 1U : 0U;
  return count;
}

bool fails(const char* word) {
  return cupti_state().failures.find("," + std::string(word) + ",") != std::string::npos;
}

void check_process(const char* function) {
  if (cupti_state().pid == getpid()) return;
  std::fprintf(stderr, "standin libcupti: %s called in a forked child\n", function);
  std::abort();
}

bool attach_to_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return false;
  auto* driver = reinterpret_cast<const Driver* (*)()>(dlsym(library, "standin_driver"));
  if (driver == nullptr) return false;
  driver()->attach(&kHooks);
  return true;
}

void raise_fatal_error() {
  CuptiState& state = cupti_state();
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_HARDWARE;
  data.notification.message = "the stand-in CUPTI was told to fail";
  state.dead = true;
  deliver(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
  stop_activity();
  for (Subscriber& subscriber : state.subscribers) subscriber.callback = nullptr;
}

}  // namespace standin

using standin::cupti_state;

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

STANDIN_EXPORT CUptiResult cuptiGetVersion(std::uint32_t* version) {
  const char* told = std::getenv("STANDIN_CUPTI_VERSION");
  *version = told != nullptr ? static_cast<std::uint32_t>(std::atoi(told)) : standin::kCuptiVersion;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle,
                                          CUpti_CallbackFunc callback, void* userdata) {
  standin::check_process(__func__);
  return standin::subscribe(handle, callback, userdata, nullptr);
}

#if !defined(STANDIN_CUPTI_12) && !defined(STANDIN_CUPTI_133)
STANDIN_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle,
                                             CUpti_CallbackFunc callback, void* userdata,
                                             CUpti_SubscriberParams* parameters) {
  standin::check_process(__func__);
  if (parameters == nullptr || parameters->structSize != CUpti_SubscriberParams_STRUCT_SIZE)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (parameters->subscriberName != nullptr &&
      std::strlen(parameters->subscriberName) > CUPTI_SUBSCRIBER_NAME_MAX_LEN) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  return standin::subscribe(handle, callback, userdata, parameters);
}
#endif

STANDIN_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
  standin::check_process(__func__);
  standin::CuptiState& state = cupti_state();
  standin::Subscriber* const subscriber = standin::find_subscriber(handle);
  if (subscriber == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  subscriber->callback = nullptr;
  for (auto& domain : subscriber->enabled) {
    for (auto& flag : domain) flag = false;
  }
  if (state.is_shared.load()) {
    for (auto& kind : subscriber->kinds) kind = false;
    if (standin::count_subscribers() == 0) state.is_shared = false;
  }
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle handle,
                                               CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  standin::check_process(__func__);
  standin::Subscriber* const subscriber = standin::find_subscriber(handle);
  if (subscriber == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (domain <= CUPTI_CB_DOMAIN_INVALID || domain >= CUPTI_CB_DOMAIN_SIZE ||
      cbid >= standin::kMaxCbid) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && cbid >= standin::kUnknownResource)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (standin::fails("callbacks")) return CUPTI_ERROR_NOT_INITIALIZED;
  subscriber->enabled[domain][cbid] = enable != 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiEnableDomain(std::uint32_t enable, CUpti_SubscriberHandle handle,
                                             CUpti_CallbackDomain domain) {
  for (std::uint32_t cbid = 1; cbid < standin::kMaxCbid; ++cbid) {
    if (const CUptiResult status = cuptiEnableCallback(enable, handle, domain, cbid)) return status;
  }
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetCallbackState(std::uint32_t* enable,
                                                 CUpti_SubscriberHandle handle,
                                                 CUpti_CallbackDomain domain,
                                                 CUpti_CallbackId cbid) {
  standin::Subscriber* const subscriber = standin::find_subscriber(handle);
  if (subscriber == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *enable = subscriber->enabled[domain][cbid].load() ? 1 : 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t cbid,
                                                const char** name) {
  const auto find = [&](const auto& table) {
    for (const standin::CbidName& entry : table) {
      if (entry.cbid != cbid) continue;
      *name = entry.name;
      return CUPTI_SUCCESS;
    }
    return CUPTI_ERROR_INVALID_PARAMETER;
  };
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) return find(standin::k_runtime_names);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) return find(standin::k_driver_names);
  return CUPTI_ERROR_INVALID_PARAMETER;
}

STANDIN_EXPORT CUptiResult cuptiGetGraphId(CUgraph graph, std::uint32_t* id) {
  if (graph == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = reinterpret_cast<standin::Graph*>(graph)->id;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetGraphExecId(CUgraphExec graph, std::uint32_t* id) {
  return cuptiGetGraphId(reinterpret_cast<CUgraph>(graph), id);
}

STANDIN_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
  if (node == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = reinterpret_cast<standin::GraphNode*>(node)->id;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* id) {
  *id = 0;
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetContextId(CUcontext, std::uint32_t* id) {
  *id = 1;
  return CUPTI_SUCCESS;
}

/// The default stream has the number that work has unless it says otherwise.
STANDIN_EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream stream, std::uint8_t,
                                              std::uint32_t* id) {
  *id =
      stream == nullptr ? 7 : static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream));
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  switch (result) {
    case CUPTI_SUCCESS:
      *text = "CUPTI_SUCCESS";
      break;
    case CUPTI_ERROR_INVALID_PARAMETER:
      *text = "CUPTI_ERROR_INVALID_PARAMETER";
      break;
    case CUPTI_ERROR_NOT_INITIALIZED:
      *text = "CUPTI_ERROR_NOT_INITIALIZED";
      break;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      break;
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      break;
    case CUPTI_ERROR_HARDWARE:
      *text = "CUPTI_ERROR_HARDWARE";
      break;
    default:
      *text = "CUPTI_ERROR_UNKNOWN";
      break;
  }
  return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  return cuptiGetResultString(result, text);
}
