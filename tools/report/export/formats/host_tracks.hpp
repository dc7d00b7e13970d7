// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HostTracks: the tracks of a trace's process: one for steps, one for ranges of the process, and
// one for each thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/export/formats/timeline_rows.hpp"
#include "tools/report/export/formats/tracks.hpp"
#include "tools/report/filter/thread_facts.hpp"

namespace prof::exports {

class HostTracks {
 public:
  /// The pid that stands for a trace's process.
  using PidOf = std::function<std::uint64_t(std::size_t trace)>;

  /// The first two must outlive it.
  HostTracks(const TraceSet& traces, Tracks& tracks, PidOf pid_of)
      : traces_(traces), tracks_(tracks), pid_of_(std::move(pid_of)) {}

  std::uint32_t track(std::size_t trace, TrackKind kind, ThreadId thread = {});
  std::uint32_t track(const HostSlice& slice) {
    return track(slice.trace, slice.kind,
                 slice.kind == TrackKind::kThread ? slice.thread : ThreadId{});
  }
  /// Both tracks that are no thread's, for each trace: they are then its first ones.
  void make_first();

 private:
  const ThreadRow* row_of(std::size_t trace, ThreadId thread);

  const TraceSet& traces_;
  Tracks& tracks_;
  PidOf pid_of_;
  std::map<std::size_t, reports::ThreadFacts> threads_;
};

}  // namespace prof::exports
