// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All the ways in which a capture can be incomplete, in one list: the stored word, the severity,
// the text that a report prints after the count (a singular noun and its predicate), and the user's
// remedy. Add a line here to add a loss.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prof {

enum class Severity : std::uint8_t {
  kNotice,    ///< Unusual, but nothing is missing.
  kDataLoss,  ///< Something is missing from the trace.
};

// clang-format off
#define PROF_LOSSES(X)                                                                                                       \
  X(kDroppedRecords,       "dropped_records",        kDataLoss, "activity record", "dropped by CUPTI", "raise PROF_BUFFER_MB") \
  X(kReleaseNotRecorded,   "release_not_recorded",   kDataLoss, "release", "of memory that CUPTI cannot record: by cuMemFreeAsync(), of what belongs to no pool", "release memory of cudaMalloc() by cudaFree()") \
  X(kBufferPoolExhausted,  "buffer_pool_exhausted",  kNotice,   "activity buffer", "refused because the pool was exhausted", "raise PROF_BUFFER_MB if records are dropped, too") \
  X(kQueueFull,            "queue_full",             kDataLoss, "decoded record", "dropped because the writer fell behind", "raise PROF_QUEUE_MB, or write to a faster disk") \
  X(kRingFull,             "ring_full",              kDataLoss, "event", "dropped because its thread's ring was full", "record less: --api none, or a window (docs/capture.md)") \
  X(kBeforeStart,          "before_start",           kNotice,   "NVTX event", "outside the capture", "") \
  X(kLaunchWithoutRecord,  "launch_without_record",  kDataLoss, "kernel launch", "for which CUPTI returned no record", "let the program wait for its GPU work before it ends") \
  X(kRecordWithoutLaunch,  "record_without_launch",  kNotice,   "GPU record", "whose launch call was not recorded", "start the capture before the work is launched") \
  X(kUnknownRecord,        "unknown_record",         kNotice,   "activity record", "of a kind or version that is not decoded", "use a libprof built for this version of CUPTI") \
  X(kZeroTimestamp,        "zero_timestamp",         kNotice,   "record", "without start and end time", "") \
  X(kUnbalancedPop,        "unbalanced_pop",         kNotice,   "range pop", "without an open range", "check the program's pushes and pops") \
  X(kUnclosedRange,        "unclosed_range",         kNotice,   "range", "never closed", "check the program's pushes and pops") \
  X(kUnknownRangeEnd,      "unknown_range_end",      kNotice,   "range end", "without a start", "check the ids that the program passes to nvtxRangeEnd") \
  X(kStackTooDeep,         "stack_too_deep",         kDataLoss, "range", "nested too deep to be kept", "nest fewer ranges") \
  X(kTextTruncated,        "text_truncated",         kDataLoss, "text", "truncated because it was too long", "use shorter texts") \
  X(kStringTableFull,      "string_table_full",      kDataLoss, "text", "not kept because the string table was full", "use fewer distinct texts: no numbers or addresses in names") \
  X(kPayloadNotKept,       "payload_not_kept",       kDataLoss, "NVTX payload", "of a form that is not kept", "state it in the text of the range") \
  X(kDocumentNotKept,      "document_not_kept",      kDataLoss, "document", "about compiled code not kept because there were too many", "compile less often: look for recompilations") \
  X(kNvtxCallNotKept,      "nvtx_call_not_kept",     kNotice,   "NVTX call", "of a kind that is not kept", "") \
  X(kOsCallNotKept,        "os_call_not_kept",       kDataLoss, "operating system call", "of a thread that could not be registered", "") \
  X(kNoThreadMemory,       "no_thread_memory",       kDataLoss, "call", "not recorded because there was no memory for what its thread does", "raise the limit of addresses (ulimit -v)") \
  X(kInSignalHandler,      "in_signal_handler",      kDataLoss, "call", "made by a signal handler that had interrupted the profiler", "call neither CUDA nor NVTX in signal handlers") \
  X(kDamagedEvent,         "damaged_event",          kDataLoss, "event", "damaged before the trace was written", "look for writes out of bounds in the program; export an imported file again") \
  X(kForkedChild,          "forked_child",           kNotice,   "child process", "forked after the start and not captured", "fork before the first CUDA call, or exec the child") \
  X(kCuptiError,           "cupti_error",            kDataLoss, "error", "reported by CUPTI", "see docs/capture.md, When it does not work") \
  X(kTakenOver,            "taken_over",             kDataLoss, "capture", "that another profiler in the program took over", "run the program without its own profiler") \
  X(kAfterEnd,             "after_end",              kDataLoss, "GPU call", "made after the exit handlers that end a capture", "end GPU work before the exit handlers") \
  X(kOverlappingSlice,     "overlapping_slice",      kNotice,   "slice", "overlapping another one of its thread without being inside it", "") \
  X(kOverlapTooDeep,       "overlap_too_deep",       kNotice,   "slice", "overlapping more than 16 others of its thread: nothing is inside it after the end of the first of them", "") \
  X(kUnderAnotherOp,       "under_another_op",       kNotice,   "GPU record", "whose launch call is under another op than the imported file states", "") \
  X(kImpossibleDuration,   "impossible_duration",    kDataLoss, "GPU record", "lasting while several later ones of its stream ran: a wrong time", "do not trust sums of times in this trace") \
  X(kAmbiguousLaunch,      "ambiguous_launch",       kDataLoss, "GPU record", "without a known launch, as calls of several processes or threads have its correlation", "import the trace of each rank by itself") \
  X(kWholeGraph,           "whole_graph",            kDataLoss, "graph launch", "recorded as a whole, without kernels", "capture with --graph-trace node") \
  X(kLaunchableByKernels,  "launchable_by_kernels",  kNotice,   "graph executable", "that kernels may launch: such launches leave no records; prof-run --graph-trace graph records them", "capture with --graph-trace graph") \
  X(kUnwatchedBody,        "unwatched_body",         kDataLoss, "launch of a node in a conditional node's body", "of a CUDA graph made while CUPTI was not watching, which may have run more often than once", "start the capture before the graph is made") \
  X(kOtherTable,           "other_table",            kNotice,   "row", "of a table that prof-import does not read", "") \
  X(kOtherProcess,         "other_process",          kNotice,   "row", "of a process without CUDA and NVTX events", "") \
  X(kRoundedSize,          "rounded_size",           kNotice,   "size", "that the imported file states rounded", "import what nsys export --type sqlite makes") \
  X(kProfilerLoss,         "profiler_loss",          kDataLoss, "warning", "of the profiler whose file was imported, that events may be missing", "") \
  X(kProfilerMessage,      "profiler_message",       kNotice,   "warning", "of the profiler whose file was imported", "") \
  X(kStoreError,           "store_error",            kDataLoss, "record", "that could not be written to the trace", "free space on the disk, or lift its limits") \
  X(kKilled,               "killed",                 kDataLoss, "capture", "that ended without a stop", "let the program end, or stop the capture before")
// clang-format on

enum class Loss : std::uint8_t {
#define PROF_LOSS_ENUM(id, word, severity, noun, text, advice) id,
  PROF_LOSSES(PROF_LOSS_ENUM)
#undef PROF_LOSS_ENUM
};

struct LossInfo {
  std::string_view word;
  Severity severity;
  std::string_view noun, text;
  std::string_view advice;  ///< Remedy for the user; empty: nothing helps, or nothing is amiss.
};

inline constexpr std::array kLossInfos = {
#define PROF_LOSS_INFO(id, word, severity, noun, text, advice) \
  LossInfo{word, Severity::severity, noun, text, advice},
    PROF_LOSSES(PROF_LOSS_INFO)
#undef PROF_LOSS_INFO
};

inline constexpr std::size_t kLossCount = kLossInfos.size();

constexpr const LossInfo& info(Loss loss) { return kLossInfos[static_cast<std::size_t>(loss)]; }

}  // namespace prof
