// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns buffers of CUPTI activity records into our records, by the layouts of the CUPTI that is in
// the process, which may be older or newer than the headers this was built with: a field is read
// only where that version has it. Knows nothing of buffers' life and of where records go. Threads:
// one at a time per buffer; holds no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/cupti/activity_sink.hpp"
#include "collectors/cupti/correlation.hpp"

namespace prof::collectors {

/// cuptiActivityGetNextRecord with its types erased: (buffer, valid bytes, record) -> CUptiResult.
using NextActivity = int (*)(std::uint8_t* buffer, std::size_t valid_bytes, void** record);

struct DecodeContext {
  std::uint32_t cupti_version = 0;  ///< What cuptiGetVersion says.
  NextActivity next = nullptr;
  CorrelationWidener* correlations = nullptr;
};

/// The oldest cuptiGetVersion() whose records are known: CUDA 11.0.
inline constexpr std::uint32_t kOldestCupti = 13;

/// Decodes all records of one buffer into `sink`. Records of unknown kinds are counted there.
/// Returns how many records it met.
std::size_t decode_activity_buffer(const DecodeContext& context, std::uint8_t* buffer,
                                   std::size_t valid_bytes, ActivitySink& sink);

/// Decodes one record (a CUpti_Activity).
void decode_activity(const DecodeContext& context, const void* record, ActivitySink& sink);

}  // namespace prof::collectors
