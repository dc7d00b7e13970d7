// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PerfettoGpus: numbers and names of what a Perfetto trace says about GPUs: the GPUs themselves,
// contexts, streams ("hardware queues") and kinds of work ("stages").
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/export/formats/perfetto_packets.hpp"
#include "tools/report/export/formats/work_stacks.hpp"

namespace prof::exports {

class PerfettoGpus {
 public:
  /// Both must outlive it. GPUs have numbers in the order of traces and devices.
  PerfettoGpus(const TraceSet& traces, PerfettoPackets& packets);

  std::int32_t gpu(std::size_t trace, std::uint32_t device);
  /// Contexts of a process, `pid`, which are CUDA's. The number is ours: those of CUPTI are unique
  /// within a process only.
  std::uint64_t context(std::size_t trace, std::uint32_t context, std::uint64_t pid);
  std::uint64_t stream(std::size_t trace, const GpuRow& work);
  /// "kernel", "memcpy", "memset".
  std::uint64_t stage(std::string_view kind);
  /// Once all GPUs are known.
  void write_names();

 private:
  struct Stream {
    GpuOfTrace gpu;
    std::uint32_t context = 0;
    std::uint64_t stream = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
    auto operator<=>(const Stream&) const = default;
  };

  std::uint64_t specify(std::string_view name, std::string_view description, bool is_compute);
  [[nodiscard]] std::string name_of_gpu(const GpuOfTrace& gpu) const;

  const TraceSet& traces_;
  PerfettoPackets& packets_;
  std::map<GpuOfTrace, std::int32_t> gpus_;
  std::vector<GpuOfTrace> by_number_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> contexts_;
  std::map<Stream, std::uint64_t> streams_;
  std::map<std::string, std::uint64_t, std::less<>> stages_;
  std::uint64_t specifications_ = 0;
};

}  // namespace prof::exports
