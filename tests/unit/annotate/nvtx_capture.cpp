// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX's loader calls what InitializeInjectionNvtx2_fnptr points to, when no tool is named by the
// environment; that function fills NVTX's tables with its own handlers.
#include "nvtx_capture.hpp"

#include <nvtx3/nvToolsExt.h>

#include <deque>
#include <mutex>

namespace prof::test {
namespace {

std::mutex mutex;
std::deque<std::string> strings;  // a deque, so that addresses, which are the handles, stay
bool registers_strings = true;

int push(const char* message) {
  const std::lock_guard lock(mutex);
  nvtx_capture().events.push_back(std::string("+") + message);
  return 0;
}

int push_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  if (domain != nullptr || event->messageType != NVTX_MESSAGE_TYPE_REGISTERED) return -1;
  const std::lock_guard lock(mutex);
  ++nvtx_capture().registered_pushes;
  nvtx_capture().events.push_back("+" +
                                  *reinterpret_cast<const std::string*>(event->message.registered));
  return 0;
}

int pop() {
  const std::lock_guard lock(mutex);
  nvtx_capture().events.emplace_back("-");
  return 0;
}

nvtxStringHandle_t register_string(nvtxDomainHandle_t, const char* message) {
  const std::lock_guard lock(mutex);
  ++nvtx_capture().registrations;
  if (!registers_strings) return nullptr;
  return reinterpret_cast<nvtxStringHandle_t>(&strings.emplace_back(message));
}

template <typename Function>
void set(NvtxFunctionTable table, unsigned id, Function* function) {
  *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

int initialize(NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable core = nullptr;
  NvtxFunctionTable core2 = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, &size) == 0 ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core2, &size) == 0) {
    return 0;
  }
  set(core, NVTX_CBID_CORE_RangePushA, &push);
  set(core, NVTX_CBID_CORE_RangePop, &pop);
  set(core2, NVTX_CBID_CORE2_DomainRangePushEx, &push_ex);
  set(core2, NVTX_CBID_CORE2_DomainRegisterStringA, &register_string);
  return 1;
}

// Before main, so before the first NVTX call.
[[maybe_unused]] const bool installed = (InitializeInjectionNvtx2_fnptr = &initialize, true);

}  // namespace

NvtxCapture& nvtx_capture() {
  static NvtxCapture capture;
  return capture;
}

void set_nvtx_registers_strings(bool on) {
  const std::lock_guard lock(mutex);
  registers_strings = on;
}

}  // namespace prof::test
