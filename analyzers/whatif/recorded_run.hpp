// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecordedRun: the calls and the GPU work of a part of a trace, from which a graph is built. Plain
// data; streams and threads are numbered from 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzers/whatif/step_graph.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::whatif {

/// What a CUDA function does to the thread that calls it.
enum class CallKind : std::uint8_t {
  kOther,
  kLaunch,
  kGraphLaunch,
  kCopy,        ///< Also sets; returns before the copy ends, unless memory is pageable.
  kCopyInCall,  ///< Returns after it.
  kWaitStream,
  kWaitAll,
  kWaitEvent,  ///< Which work the event follows is not recorded.
  kRecordEvent,
  kStreamWait,  ///< Makes a stream wait for an event.
  kAllocate,    ///< Or frees: may wait for all work.
};
CallKind kind_of_call(std::string_view function);

struct RunCall {
  std::int64_t start_ns = 0, end_ns = 0;
  Correlation correlation = 0;
  StringId function;
  CallKind kind = CallKind::kOther;
  std::uint16_t thread = 0;
  std::optional<std::uint16_t> stream;  ///< That it waits for, or that waits.
};

struct RunWork {
  std::int64_t start_ns = 0, end_ns = 0;
  std::optional<std::uint32_t> call;  ///< Index of the call that launched it.
  std::uint32_t device = 0;
  std::uint16_t stream = 0;
  NodeKind kind = NodeKind::kKernel;
  bool is_of_graph = false;
  bool is_pageable = false;  ///< A copy from or to such memory.
};

/// A step of a GPU, on the trace's time axis.
struct RunStep {
  std::int64_t number = 0;
  std::uint32_t device = 0;
  std::optional<std::uint32_t> capture;
  std::int64_t begin_ns = 0, settled_ns = 0, period_end_ns = 0;
  bool is_steady = false;
};

/// Calls in the order in which they begin, works in the order of their launches.
struct RecordedRun {
  std::vector<RunCall> calls;
  std::vector<RunWork> works;
  std::vector<RunStep> steps;
  bool is_cut = false;  ///< There are more than one graph can have.
};

/// A stretch of the host's time.
struct HostWindow {
  std::int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
  [[nodiscard]] bool has(std::int64_t time_ns) const {
    return begin_ns <= time_ns && time_ns <= end_ns;
  }
};

/// Collects what was launched in a window.
class RunRecorder {
 public:
  /// Reads the trace's calls.
  RunRecorder(TraceReader& trace, HostWindow window);

  /// All work in launch order. Returns its place; absent: it is not in the window.
  std::optional<std::uint32_t> add(const GpuRow& row, bool is_transfer);
  /// After the last one; the recorder is empty then.
  RecordedRun finish(std::vector<RunStep> steps);
  [[nodiscard]] Status status() const { return status_; }

 private:
  using StreamKey = std::tuple<std::uint32_t, std::uint32_t>;  // context, CUPTI's id

  std::uint16_t stream_of(std::uint32_t context, std::uint32_t stream);
  void read_calls(TraceReader& trace);
  void make_room();
  void read_waits(TraceReader& trace);

  HostWindow window_;
  bool skips_others_ = false;  // calls that neither launch nor wait
  RecordedRun run_;
  std::unordered_map<Correlation, std::uint32_t> call_of_;
  std::map<StreamKey, std::uint16_t> streams_;
  Status status_;
};

}  // namespace prof::whatif
