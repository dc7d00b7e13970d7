// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes NVTX in this program attach to our handlers, as if NVTX_INJECTION64_PATH named the
// collector: NVTX looks for these two pointers when no injection library is set.
#define NVTX_STATIC_INJECTION_IMPL
#include "collectors/nvtx/nvtx_attach.hpp"

extern "C" {
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
extern NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = prof::collectors::nvtx_attach;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr =
    prof::collectors::nvtx_attach_extension;
}
