// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Attaching to NVTX. Every module that uses NVTX has tables of its own and calls the injection
// library's entry points (nvtx_entry.cpp) once, at its first NVTX call; these functions put our
// handlers into those tables. Threads: any, NVTX may attach several modules at once. The handlers'
// state is in prof::collectors::global().
#pragma once

#include <cstdint>

#include "collectors/nvtx/nvtx_headers.hpp"

namespace prof::collectors {

/// For InitializeInjectionNvtx2 and, since its table protocol is the same, InitializeInjectionNvtx.
/// Returns what NVTX expects: 1 attached, 0 not (all calls of the module become no-ops).
int nvtx_attach(NvtxGetExportTableFunc_t get_export_table) noexcept;

/// For InitializeInjectionNvtxExtension: the payload extension is handled; calls of the counter and
/// memory extensions are counted; others are declined.
int nvtx_attach_extension(nvtxExtModuleInfo_t* module) noexcept;

/// Number of modules and extension modules that have been attached.
std::uint64_t nvtx_attached_modules() noexcept;

}  // namespace prof::collectors
