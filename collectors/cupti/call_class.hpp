// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The purpose of a CUDA call, judged by its name, so that calls of newer libraries are classified,
// too. Decides which calls are recorded (docs/capture.md, --api). Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/function_name.hpp"
#include "libprof/model/records/sync.hpp"

namespace prof::collectors {

enum class CallClass : std::uint8_t {
  kLaunch,  ///< Runs one kernel: every launch function of the runtime and the driver.
  /// Runs kernels on several devices; their number is not in its name.
  kLaunchMany,
  kGraphLaunch,  ///< Runs a graph.
  kCopy,
  kSet,
  kSynchronize,
  kMemory,  ///< Allocates, frees, maps, registers, prefetches.
  kModule,  ///< Loads a module or a library of kernels, or links one.
  kStream,
  kCaptureBegin,  ///< Begins the capture of a stream into a graph.
  kCaptureEnd,    ///< Ends the capture of a stream into a graph.
  kEvent,
  kGraph,    ///< Instantiates, updates, clones or uploads a graph.
  kNodeAdd,  ///< Adds a node to a graph.
  kNodeSet,  ///< Changes a node of a graph, not of an executable.
  kProfilerStart,
  kProfilerStop,
  kOther,  ///< Getters, queries, the rest.
};

/// The calls that are recorded: the option --api.
enum class ApiMode : std::uint8_t { kNone, kLaunch, kAll };

/// Accepts CUPTI's name or the plain one.
CallClass classify_call(std::string_view name);

/// The wait that a function of the driver performs, or imposes on a stream; kUnknown: none.
/// Functions of the runtime end up in these. Accepts CUPTI's name or the plain one.
SyncRecord::Type wait_of(std::string_view name);

/// Whether calls of this class are recorded in this mode.
bool is_recorded(CallClass call, ApiMode mode);

/// Whether calls of this class are observed in this mode, if only for their effect on graphs.
bool is_watched(CallClass call, ApiMode mode);

/// Whether a call may create graph nodes without launching anything.
constexpr bool makes_nodes(CallClass call) {
  return call == CallClass::kGraph || call == CallClass::kNodeAdd;
}

/// Whether a graph node created in such a call may be a new kernel of the program, rather than a
/// copy or a node of CUDA's own.
constexpr bool makes_new_kernel_nodes(CallClass call) {
  return call == CallClass::kNodeAdd || call == CallClass::kLaunch ||
         call == CallClass::kLaunchMany;
}

/// Whether a successful call puts exactly one kernel on a stream (unless captured).
constexpr bool expects_kernel(CallClass call) { return call == CallClass::kLaunch; }

/// Whether a successful call puts work on a stream (unless captured).
constexpr bool puts_work(CallClass call) {
  return call == CallClass::kLaunch || call == CallClass::kLaunchMany ||
         call == CallClass::kGraphLaunch || call == CallClass::kCopy || call == CallClass::kSet;
}

/// Calls that make nodes are observed, if only to query their kernels; launches are not, since that
/// would make each of them more expensive.
constexpr bool is_about_nodes(CallClass call) {
  return makes_nodes(call) || call == CallClass::kNodeSet || call == CallClass::kCaptureBegin ||
         call == CallClass::kCaptureEnd;
}

constexpr bool is_about_profiler(CallClass call) {
  return call == CallClass::kProfilerStart || call == CallClass::kProfilerStop;
}

constexpr std::string_view to_word(ApiMode mode) {
  return mode == ApiMode::kNone ? "none" : mode == ApiMode::kAll ? "all" : "launch";
}

}  // namespace prof::collectors
