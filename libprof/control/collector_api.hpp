// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Interface of libprof_inject.so for libprof.so: one versioned table of C functions, returned by
// the exported prof_collector_api_v1(). A later version may append members; existing ones never
// change. Programs use prof/prof.h instead. Threads: any, at once; none may be called from a CUDA
// or CUPTI callback.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// The numbers of prof_result in prof/prof.h.
enum ProfCollectorResult : std::int32_t {
  kProfCollectorOk = 0,
  kProfCollectorInvalidArgument = 1,
  kProfCollectorNoCupti = 3,
  kProfCollectorNoDriver = 4,
  kProfCollectorHeldByOther = 5,
  kProfCollectorNoPermission = 6,
  kProfCollectorAlreadyStarted = 7,
  kProfCollectorNotStarted = 8,
  kProfCollectorOutput = 9,
  kProfCollectorForked = 10,
  kProfCollectorFailed = 11,
};

struct ProfCollectorOptions {
  std::size_t struct_size;
  const char* output;  ///< Null: as in the environment.
  const char* stream;  ///< Null: as in the environment.
  std::int32_t api;    ///< 0 as in the environment, 1 launch, 2 all, 3 none.
  std::int32_t force;  ///< Replace an existing output.
  std::int32_t keep_attached;
  std::int32_t verbose;        ///< Print a line on stderr when the trace is written.
  std::uint64_t queue_bytes;   ///< 0: as in the environment.
  std::uint64_t buffer_bytes;  ///< 0: as in the environment.
};

struct ProfCollectorStatus {
  std::size_t struct_size;
  std::int32_t running;
  std::uint64_t kernels, copies, sets, launches, lost;
  char output[4096];
};

struct ProfCollectorApi {
  std::size_t struct_size;
  std::uint32_t version;  ///< 1.
  const char* collector_version;
  /// Each function writes one line about a failure to `message`, at most `bytes`; "" if nothing
  /// failed.
  std::int32_t (*start)(const ProfCollectorOptions* options, char* message, std::size_t bytes);
  std::int32_t (*stop)(char* message, std::size_t bytes);
  std::int32_t (*flush)(char* message, std::size_t bytes);
  std::int32_t (*status)(ProfCollectorStatus* status);
  std::int32_t (*standby)(char* message, std::size_t bytes);
  /// Captures windows of the run until stop(). `specs`: as for prof-run --capture, one on each
  /// line.
  std::int32_t (*start_windows)(const ProfCollectorOptions* options, const char* specs,
                                char* message, std::size_t bytes);
  /// 0: no window is open, so that nobody needs the program's marks now. Valid forever.
  const volatile std::int32_t* wants_marks;
  /// The OpSink to which libprof_torch.so reports ops (collectors/ops/op_sink.hpp). Valid forever.
  const void* op_sink;
  /// Keeps a document (libprof/model/records/document.hpp) for the capture that runs and later
  /// ones. Copies its arguments. Allocates, takes a lock.
  void (*keep_document)(const char* kind, const char* name, const void* bytes, std::size_t size);
  /// The NcclSink to which libprof_nccl.so reports calls (collectors/nccl/nccl_sink.hpp). Valid
  /// forever.
  const void* nccl_sink;
};

using ProfCollectorApiGetter = const ProfCollectorApi*();

}  // extern "C"

namespace prof {

/// Set by libprof.so together with PROF_START=manual, which is meant for its own process: children
/// inherit both, and prof-run then ignores them.
inline constexpr const char* kStartedByVariable = "PROF_START_BY";

}  // namespace prof
