// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/nvtx_attach.hpp"

#include <atomic>

#include "collectors/core/global.hpp"
#include "collectors/nvtx/handlers.hpp"

namespace prof::collectors {
namespace {

constinit std::atomic<std::uint64_t> g_attached{0};

struct Module {
  NvtxCallbackModule id;
  void (*install)(const SlotTable&) noexcept;
};

constexpr Module kModules[] = {
    {NVTX_CB_MODULE_CORE, install_core},       {NVTX_CB_MODULE_CORE2, install_core2},
    {NVTX_CB_MODULE_CUDA, install_cuda_names}, {NVTX_CB_MODULE_CUDART, install_cudart_names},
    {NVTX_CB_MODULE_OPENCL, install_opencl},   {NVTX_CB_MODULE_SYNC, install_sync},
};

}  // namespace

int nvtx_attach(NvtxGetExportTableFunc_t get_export_table) noexcept {
  // A forked child: attached without handlers, so that every call of the module is a no-op.
  if (is_dead(recording_epoch())) return 1;
  if (get_export_table == nullptr) return 0;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks) ||
      callbacks->GetModuleFunctionTable == nullptr) {
    global().losses.add(Loss::kNvtxCallNotKept);
    return 0;
  }
  (void)global();  // Created here rather than in the first handler.
  bool any = false;
  for (const Module& module : kModules) {
    NvtxFunctionTable slots = nullptr;
    unsigned int size = 0;
    if (callbacks->GetModuleFunctionTable(module.id, &slots, &size) == 0 || slots == nullptr)
      continue;
    module.install(SlotTable(slots, size));
    any = true;
  }
  const auto* version =
      static_cast<const NvtxExportTableVersionInfo*>(get_export_table(NVTX_ETID_VERSIONINFO));
  if (version != nullptr && version->struct_size >= sizeof(NvtxExportTableVersionInfo) &&
      version->SetInjectionNvtxVersion != nullptr) {
    version->SetInjectionNvtxVersion(NVTX_VERSION);
  }
  if (!any) return 0;
  g_attached.fetch_add(1, std::memory_order_relaxed);
  return 1;
}

int nvtx_attach_extension(nvtxExtModuleInfo_t* module) noexcept {
  if (module == nullptr || is_dead(recording_epoch())) return 0;
  if (module->structSize < sizeof(nvtxExtModuleInfo_t) || !install_extension(*module)) {
    global().losses.add(Loss::kNvtxCallNotKept);
    return 0;
  }
  g_attached.fetch_add(1, std::memory_order_relaxed);
  return 1;
}

std::uint64_t nvtx_attached_modules() noexcept {
  return g_attached.load(std::memory_order_relaxed);
}

}  // namespace prof::collectors
