// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a Chrome trace event by event, in bounded memory whatever its size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/source/gz_bytes.hpp"
#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

/// A statement of the trace about itself, beside its events.
struct TraceFact {
  std::string name;  ///< "baseTimeNanoseconds"; for an object's member "distributedInfo.rank".
  EventValue value;
  /// Index of the object in its array: 1 for "deviceProperties.name" of device 1.
  std::uint64_t index = 0;
};

struct TraceVisitor {
  std::function<void(const TraceFact&)> fact;
  /// An error ends reading. One without a place is about the event.
  std::function<Status(const TraceEvent&)> event;
  FilePosition position = {};
};

struct ReadTrace {
  std::uint64_t events = 0;
  bool is_cut = false;  ///< The file ends early.
  /// See JsonMender.
  std::uint64_t mended_bytes = 0, mended_controls = 0, mended_surrogates = 0, mended_numbers = 0;
};

/// Facts may come after events.
Result<ReadTrace> read_chrome_trace(const std::string& path, const TraceVisitor& visitor);

/// Whether a file that starts like this may be a trace of torch.profiler: any JSON may, as what the
/// trace says about itself may be long, or be missing. Reading a file shows whether it is one.
bool is_kineto_trace(std::string_view first_bytes);

}  // namespace prof::importers
