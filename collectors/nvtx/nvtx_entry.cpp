// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The entry points by which NVTX finds an injection library. Part of the injection library itself.
#include "collectors/nvtx/nvtx_attach.hpp"

#define PROF_NVTX_ENTRY extern "C" __attribute__((visibility("default")))

PROF_NVTX_ENTRY int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);
PROF_NVTX_ENTRY int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_export_table);
PROF_NVTX_ENTRY int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* module);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  return prof::collectors::nvtx_attach(get_export_table);
}

int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_export_table) {
  return prof::collectors::nvtx_attach(get_export_table);
}

int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* module) {
  return prof::collectors::nvtx_attach_extension(module);
}
