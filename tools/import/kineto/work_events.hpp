// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work, waits and overheads as Kineto records them, to records. What an event lacks stays at
// the record's default; numbers that cannot be kept are counted. One thread.
#pragma once

#include <cstdint>

#include "libprof/model/records.hpp"
#include "tools/import/kineto/damage.hpp"
#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

/// When an event ran; a duration that is missing is 0.
struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};

KernelRecord kernel_of(const TraceEvent& event, Span span, Damage& damage);
MemcpyRecord memcpy_of(const TraceEvent& event, Span span, Damage& damage);
MemsetRecord memset_of(const TraceEvent& event, Span span, Damage& damage);
SyncRecord sync_of(const TraceEvent& event, Span span, Damage& damage);

}  // namespace prof::importers
