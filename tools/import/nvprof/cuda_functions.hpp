// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of CUDA's functions by the numbers that nvprof keeps instead of them. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::importers::nvprof {

/// Name of the function with this CUpti_runtime_api_trace_cbid; empty: none is known.
std::string_view runtime_function(std::uint32_t number);
/// Name of the function with this CUpti_driver_api_trace_cbid; empty: none is known.
std::string_view driver_function(std::uint32_t number);

}  // namespace prof::importers::nvprof
