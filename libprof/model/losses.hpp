// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a capture can be less than complete, in one list: the word that is stored, how
// bad it is, and the sentence that a report prints. Add a line here to add a loss.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prof {

enum class Severity : std::uint8_t {
  kNotice,    ///< Odd, but nothing is missing.
  kDataLoss,  ///< Something is missing from the trace.
};

// clang-format off
#define PROF_LOSSES(X)                                                                                          \
  X(kDroppedRecords,       "dropped_records",        kDataLoss, "activity records dropped by CUPTI")           \
  X(kBufferPoolExhausted,  "buffer_pool_exhausted",  kNotice,   "activity buffers refused because the pool was used up") \
  X(kQueueFull,            "queue_full",             kDataLoss, "decoded records dropped because the writer fell behind") \
  X(kRingFull,             "ring_full",              kDataLoss, "events of a thread dropped because its ring was full") \
  X(kBeforeStart,          "before_start",           kNotice,   "NVTX events outside the capture") \
  X(kLaunchWithoutRecord,  "launch_without_record",  kDataLoss, "kernel launches for which CUPTI returned no record") \
  X(kRecordWithoutLaunch,  "record_without_launch",  kNotice,   "GPU records whose launch call was not recorded") \
  X(kUnknownRecord,        "unknown_record",         kNotice,   "activity records of a kind or version that is not decoded") \
  X(kZeroTimestamp,        "zero_timestamp",         kNotice,   "records without start and end time")          \
  X(kUnbalancedPop,        "unbalanced_pop",         kNotice,   "range pops without an open range")            \
  X(kUnclosedRange,        "unclosed_range",         kNotice,   "ranges never closed")                         \
  X(kUnknownRangeEnd,      "unknown_range_end",      kNotice,   "range ends without a start")                  \
  X(kStackTooDeep,         "stack_too_deep",         kDataLoss, "ranges nested deeper than is kept")           \
  X(kTextTruncated,        "text_truncated",         kDataLoss, "texts cut because they were too long")        \
  X(kStringTableFull,      "string_table_full",      kDataLoss, "texts not kept because the string table's cap was reached") \
  X(kPayloadNotKept,       "payload_not_kept",       kDataLoss, "NVTX payloads of a form that is not kept")    \
  X(kNvtxCallNotKept,      "nvtx_call_not_kept",     kNotice,   "NVTX calls of a kind that is not kept")       \
  X(kForkedChild,          "forked_child",           kNotice,   "child processes forked after the start and not captured") \
  X(kCuptiError,           "cupti_error",            kDataLoss, "errors reported by CUPTI")                    \
  X(kTakenOver,            "taken_over",             kDataLoss, "captures that another profiler in the program took over") \
  X(kStoreError,           "store_error",            kDataLoss, "records that the trace file did not take")    \
  X(kKilled,               "killed",                 kDataLoss, "captures that ended without a stop")
// clang-format on

enum class Loss : std::uint8_t {
#define PROF_LOSS_ENUM(id, word, severity, text) id,
  PROF_LOSSES(PROF_LOSS_ENUM)
#undef PROF_LOSS_ENUM
};

struct LossInfo {
  std::string_view word;
  Severity severity;
  std::string_view text;
};

inline constexpr std::array kLossInfos = {
#define PROF_LOSS_INFO(id, word, severity, text) LossInfo{word, Severity::severity, text},
    PROF_LOSSES(PROF_LOSS_INFO)
#undef PROF_LOSS_INFO
};

inline constexpr std::size_t kLossCount = kLossInfos.size();

constexpr const LossInfo& info(Loss loss) { return kLossInfos[static_cast<std::size_t>(loss)]; }

}  // namespace prof
