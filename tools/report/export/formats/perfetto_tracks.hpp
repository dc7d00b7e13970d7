// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PerfettoTracks: describes the tracks of a Perfetto trace that are not a GPU's: processes, lanes
// of threads and of processes, and counters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/export/formats/counters.hpp"
#include "tools/report/export/formats/perfetto_packets.hpp"

namespace prof::exports {

class PerfettoTracks {
 public:
  /// Both must outlive it.
  PerfettoTracks(const TraceSet& traces, PerfettoPackets& packets)
      : traces_(traces), packets_(packets) {}

  /// The pid of a trace's process. It is ours: processes of different hosts may have the same.
  static std::uint64_t pid_of(std::size_t trace) { return trace + 1; }
  /// The track's number, as events state it. Those of processes are their pids.
  static std::uint64_t lane(std::uint64_t tid) { return kLanes + tid; }
  /// The track's number of a counter, which is described when it is first asked for.
  std::uint64_t counter(const CounterSample& sample);

  /// The root and all processes: the first packets.
  void describe_processes();
  /// A lane with a thread's id is that thread's; any other belongs to the process.
  void describe_lane(std::uint64_t pid, std::uint64_t tid, const std::string& name,
                     std::uint64_t order);

 private:
  static constexpr std::uint64_t kLanes = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kCounters = std::uint64_t{1} << 33;

  const TraceSet& traces_;
  PerfettoPackets& packets_;
  using CounterKey = std::tuple<std::size_t, std::optional<std::uint32_t>, std::string>;
  std::map<CounterKey, std::uint64_t> counters_;
  std::string message_;
};

}  // namespace prof::exports
