// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Classifies CUDA calls by name, see call_class.hpp.
#include "collectors/cupti/call_class.hpp"

namespace prof::collectors {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool starts_with_any(std::string_view text, const std::string_view (&prefixes)[N]) {
  for (std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

/// Queries are frequent and cheap and change nothing: none is worth a row.
bool is_question(std::string_view verb) {
  for (std::string_view word : {"Get", "Query", "IsCapturing", "ElapsedTime", "Attribute"}) {
    if (contains(verb, word)) return true;
  }
  return false;
}

/// "LaunchKernel" of "cudaLaunchKernel", "__cudaLaunchKernel", "cuLaunchKernel" and "cu64...".
std::string_view without_api_prefix(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  for (std::string_view prefix : {"cuda", "cu64", "cu"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

}  // namespace

CallClass classify_call(std::string_view name) {
  const std::string_view verb = without_api_prefix(plain_function_name(name));
  if (verb.empty() || is_question(verb)) return CallClass::kOther;
  if (verb == "LaunchHostFunc") return CallClass::kStream;
  if (verb == "LaunchCooperativeKernelMultiDevice") return CallClass::kLaunchMany;
  if (verb.starts_with("Launch")) return CallClass::kLaunch;
  if (verb == "GraphLaunch") return CallClass::kGraphLaunch;
  if (verb.starts_with("Memcpy") || verb == "MemBatchDecompressAsync") return CallClass::kCopy;
  if (verb.starts_with("Memset")) return CallClass::kSet;
  if (verb.ends_with("Synchronize")) return CallClass::kSynchronize;
  if (starts_with_any(verb, {"GraphInstantiate", "GraphUpload", "GraphExecUpdate", "GraphClone"}))
    return CallClass::kGraph;
  if (verb.starts_with("GraphAdd") && contains(verb, "Node")) return CallClass::kNodeAdd;
  if (verb.starts_with("Graph") && !verb.starts_with("GraphExec") &&
      contains(verb, "NodeSetParams")) {
    return CallClass::kNodeSet;
  }
  if (verb.starts_with("StreamBeginCapture")) return CallClass::kCaptureBegin;
  if (verb == "StreamEndCapture") return CallClass::kCaptureEnd;
  if (starts_with_any(verb, {"Stream", "GreenCtxStream", "WaitExternalSemaphores",
                             "SignalExternalSemaphores"})) {
    return CallClass::kStream;
  }
  if (verb == "ProfilerStart") return CallClass::kProfilerStart;
  if (verb == "ProfilerStop") return CallClass::kProfilerStop;
  if (starts_with_any(verb, {"Event", "CtxRecordEvent", "CtxWaitEvent", "GreenCtxRecordEvent",
                             "GreenCtxWaitEvent"})) {
    return CallClass::kEvent;
  }
  if (starts_with_any(verb, {"Malloc", "Free", "Host", "Mem", "ArrayCreate", "Array3DCreate",
                             "ArrayDestroy", "MipmappedArrayCreate", "MipmappedArrayDestroy"})) {
    return CallClass::kMemory;
  }
  if (starts_with_any(verb, {"ModuleLoad", "LibraryLoad", "LinkAdd", "LinkComplete"})) {
    return CallClass::kModule;
  }
  return CallClass::kOther;
}

SyncRecord::Type wait_of(std::string_view name) {
  using Type = SyncRecord::Type;
  const std::string_view function = plain_function_name(name);
  if (function == "cuCtxSynchronize") return Type::kContext;
  if (function == "cuStreamSynchronize") return Type::kStream;
  if (function == "cuEventSynchronize") return Type::kEvent;
  if (function == "cuStreamWaitEvent") return Type::kStreamWaitEvent;
  return Type::kUnknown;
}

bool is_recorded(CallClass call, ApiMode mode) {
  if (mode == ApiMode::kAll) return true;
  switch (call) {
    case CallClass::kLaunch:
    case CallClass::kLaunchMany:
    case CallClass::kGraphLaunch:
    case CallClass::kCopy:
    case CallClass::kSet:
      return true;
    case CallClass::kNodeAdd:
    case CallClass::kNodeSet:
    case CallClass::kProfilerStart:
    case CallClass::kProfilerStop:
    case CallClass::kOther:
      return false;
    default:
      return mode == ApiMode::kLaunch;
  }
}

bool is_watched(CallClass call, ApiMode mode) {
  return makes_nodes(call) || call == CallClass::kNodeSet || call == CallClass::kCaptureBegin ||
         call == CallClass::kCaptureEnd || is_recorded(call, mode);
}

}  // namespace prof::collectors
