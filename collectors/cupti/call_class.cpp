// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Classifies CUDA calls by name, see call_class.hpp.
#include "collectors/cupti/call_class.hpp"

namespace prof::collectors {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes a trailing "_v123".
bool drop_version(std::string_view& name) {
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  if (end == name.size() || end < 2 || name[end - 1] != 'v' || name[end - 2] != '_') return false;
  name.remove_suffix(name.size() - end + 2);
  return true;
}

bool drop_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

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

std::string_view plain_function_name(std::string_view cupti_name) {
  std::string_view name = cupti_name;
  while (drop_version(name) || drop_suffix(name, "_ptsz") || drop_suffix(name, "_ptds")) {
  }
  return name;
}

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
  if (starts_with_any(verb, {"Stream", "GreenCtxStream", "WaitExternalSemaphores",
                             "SignalExternalSemaphores"})) {
    return CallClass::kStream;
  }
  if (starts_with_any(verb, {"Event", "CtxRecordEvent", "CtxWaitEvent", "GreenCtxRecordEvent",
                             "GreenCtxWaitEvent"})) {
    return CallClass::kEvent;
  }
  if (starts_with_any(verb, {"Malloc", "Free", "Host", "Mem", "ArrayCreate", "Array3DCreate",
                             "ArrayDestroy", "MipmappedArrayCreate", "MipmappedArrayDestroy"})) {
    return CallClass::kMemory;
  }
  return CallClass::kOther;
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
    case CallClass::kOther:
      return false;
    default:
      return mode == ApiMode::kLaunch;
  }
}

bool is_watched(CallClass call, ApiMode mode) {
  return call == CallClass::kGraph || is_recorded(call, mode);
}

}  // namespace prof::collectors
