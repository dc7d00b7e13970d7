// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of copies, sets and memories, each in the words of the tool that people know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libprof/store/read/trace_reader.hpp"

namespace prof::reports {

// Names of a copy or set. The texts are static.
/// "[memcpy HtoD]", "[memcpy unified HtoD]", "[memset]".
std::string_view short_name_of(const GpuRow& work);
/// As nvprof says: "[CUDA memcpy HtoD]", "[CUDA memset]".
std::string_view nvprof_name_of(const GpuRow& work);
/// As nsys says: "[CUDA memcpy Host-to-Device]", "[CUDA memset]".
std::string_view nsys_name_of(const GpuRow& work);
/// As PyTorch says: "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
std::string torch_name_of(const GpuRow& work);

/// "device_static"; empty: unknown.
std::string_view memory_name(MemoryKind memory);

}  // namespace prof::reports
