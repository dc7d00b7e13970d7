// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns buffers of CUPTI activity records into our records, using the layouts of the CUPTI in the
// process, which may be older or newer than the headers of this build: a field is read only if that
// version has it. Independent of the buffers' lifetime and of where records go. Threads: one at a
// time per buffer; holds no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/core/activity_sink.hpp"
#include "collectors/cupti/correlation.hpp"

namespace prof::collectors {

/// cuptiActivityGetNextRecord with its types erased: (buffer, valid bytes, record) -> CUptiResult.
using NextActivity = int (*)(std::uint8_t* buffer, std::size_t valid_bytes, void** record);

struct DecodeContext {
  std::uint32_t cupti_version = 0;  ///< As cuptiGetVersion() reports it.
  NextActivity next = nullptr;
  CorrelationWidener* correlations = nullptr;
  bool* has_bodies = nullptr;  ///< Set if work of a conditional node's body is seen.
};

/// The oldest cuptiGetVersion() whose records are known: CUDA 11.0.
inline constexpr std::uint32_t kOldestCupti = 13;

/// Decodes all records of one buffer into `sink`. Records of unknown kinds are counted there.
/// Returns the number of records seen.
std::size_t decode_activity_buffer(const DecodeContext& context, std::uint8_t* buffer,
                                   std::size_t valid_bytes, ActivitySink& sink);

/// Decodes one record (a CUpti_Activity).
void decode_activity(const DecodeContext& context, const void* record, ActivitySink& sink);

}  // namespace prof::collectors
