// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work, waits and overheads as Kineto records them, to records. What an event lacks stays at
// the record's default; numbers that cannot be kept are counted. One thread.
#pragma once

#include <cstdint>

#include "libprof/model/records.hpp"
#include "tools/import/kineto/damage.hpp"
#include "tools/import/kineto/numbers.hpp"
#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

/// When an event ran; a duration that is missing is 0.
struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};

class WorkEvents {
 public:
  explicit WorkEvents(Damage& damage) : damage_(damage) {}

  KernelRecord kernel_of(const TraceEvent& event, Span span);
  MemcpyRecord memcpy_of(const TraceEvent& event, Span span);
  MemsetRecord memset_of(const TraceEvent& event, Span span);
  SyncRecord sync_of(const TraceEvent& event, Span span);

 private:
  void fill(const TraceEvent& event, Span span, Numbers32& numbers, GpuWork& work);

  Damage& damage_;
  NumberedNames streams_;
};

}  // namespace prof::importers
