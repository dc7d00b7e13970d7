// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUDA call is for, told by its name, so that calls of libraries that are newer than this
// code are sorted too. Decides which calls are recorded (docs/capture.md, --api). Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::collectors {

enum class CallClass : std::uint8_t {
  kLaunch,       ///< Runs one kernel: every door of the runtime and the driver.
  kLaunchMany,   ///< Runs kernels on several devices: how many, its name does not tell.
  kGraphLaunch,  ///< Runs a graph.
  kCopy,
  kSet,
  kSynchronize,
  kMemory,  ///< Allocates, frees, maps, registers, prefetches.
  kStream,
  kEvent,
  kGraph,  ///< Instantiates, updates or uploads a graph.
  kOther,  ///< Getters, queries, modules, the rest.
};

/// Which calls are recorded: the option --api.
enum class ApiMode : std::uint8_t { kNone, kLaunch, kAll };

/// "cudaLaunchKernel_ptsz_v7000" and "cuMemAlloc_v2" without what only tells variants apart.
std::string_view plain_function_name(std::string_view cupti_name);

/// Takes CUPTI's name or the plain one.
CallClass classify_call(std::string_view name);

/// Calls of this class are recorded in this mode.
bool is_recorded(CallClass call, ApiMode mode);

/// Calls of this class are looked at in this mode, if only to tell copies of graph nodes from new
/// ones.
bool is_watched(CallClass call, ApiMode mode);

/// Where it succeeds, the call has put exactly one kernel on a stream (unless it was captured).
constexpr bool expects_kernel(CallClass call) { return call == CallClass::kLaunch; }

/// Where it succeeds, the call has put work on a stream (unless it was captured).
constexpr bool puts_work(CallClass call) {
  return call == CallClass::kLaunch || call == CallClass::kLaunchMany ||
         call == CallClass::kGraphLaunch || call == CallClass::kCopy || call == CallClass::kSet;
}

constexpr std::string_view to_word(ApiMode mode) {
  return mode == ApiMode::kNone ? "none" : mode == ApiMode::kAll ? "all" : "launch";
}

}  // namespace prof::collectors
