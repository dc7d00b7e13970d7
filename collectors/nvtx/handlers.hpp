// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The handlers of NVTX calls, by topic. Each installer puts its handlers into one module's table.
// Every handler first loads recording_epoch() once: in a forked child it returns immediately.
#pragma once

#include "collectors/nvtx/nvtx_headers.hpp"

namespace prof::collectors {

/// One module's table: handler slots by callback id.
class SlotTable {
 public:
  SlotTable(NvtxFunctionTable slots, unsigned int size) : slots_(slots), size_(size) {}

  template <typename Function>
  void set(unsigned int id, Function* handler) const noexcept {
    // NVTX versions differ in how many functions a table has.
    if (id < size_ && slots_[id] != nullptr)
      *slots_[id] = reinterpret_cast<NvtxFunctionPointer>(handler);
  }

 private:
  NvtxFunctionTable slots_;
  unsigned int size_;
};

/// Installs the handlers of ranges and marks.
void install_core(const SlotTable& table) noexcept;
void install_core2(const SlotTable& table) noexcept;
/// Installs the handlers of categories, threads, CUDA objects; called by the two above and for the
/// CUDA modules.
void install_core_names(const SlotTable& table) noexcept;
void install_core2_names(const SlotTable& table) noexcept;
void install_cuda_names(const SlotTable& table) noexcept;
void install_cudart_names(const SlotTable& table) noexcept;
/// OpenCL names and synchronization: calls are only counted.
void install_opencl(const SlotTable& table) noexcept;
void install_sync(const SlotTable& table) noexcept;

/// The payload extension and the extensions whose calls are only counted; false: declined.
bool install_extension(const nvtxExtModuleInfo_t& module) noexcept;

}  // namespace prof::collectors
