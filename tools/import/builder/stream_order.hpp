// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StreamOrder: GPU work that cannot have run as long as the file says, because later work of its
// stream ran meanwhile. Launches may overlap a little with the one before; several that begin and
// end within one do not. Takes the work of a stream in launch order; memory is that of the streams.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "libprof/model/records/gpu_work.hpp"

namespace prof::importers {

class StreamOrder {
 public:
  /// True if this is the work that proves an earlier one's time wrong.
  bool proves_impossible(const GpuWork& work) {
    Running& running = streams_[{work.device, work.context, work.stream}];
    if (work.end_ns > running.end_ns) {
      running = {work.start_ns, work.end_ns, 0};
      return false;
    }
    const bool is_within = work.start_ns > running.start_ns && work.end_ns < running.end_ns;
    return is_within && ++running.others == kProof;
  }

 private:
  static constexpr int kProof = 3;
  struct Running {
    std::int64_t start_ns = INT64_MIN, end_ns = INT64_MIN;
    int others = 0;  // within it
  };

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Running> streams_;
};

}  // namespace prof::importers
