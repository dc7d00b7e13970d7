// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RankWaits: how long the GPUs of a run wait for each other in collectives. The last one to arrive
// in a collective spends the least time in it; what the others spend beyond that, they wait. A
// collective of all GPUs is found in each of them as the n-th of its kind and size in the step.
// Durations alone are compared, so the clocks of the hosts do not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzers/model/quantities.hpp"
#include "libprof/store/read/trace_set.hpp"

namespace prof::reports {

/// A GPU of a trace, by its CUDA device number.
using DeviceOfTrace = std::pair<const TraceIdentity*, std::uint32_t>;

/// Times of a step.
struct RankWait {
  std::size_t gpus = 0;     ///< Of the run; all of them take part. 0: there is nothing to compare.
  double collectives = 0;   ///< That were compared.
  double own_ns = 0;        ///< How long this GPU waits.
  double mean_ns = 0;       ///< How long the GPUs wait, the mean over them.
  double exposed_ns = 0;    ///< How long nothing hides collectives, likewise.
  bool is_slowest = false;  ///< No other GPU waits less: they wait for this one.
};

class RankWaits {
 public:
  /// Work of a steady step, in launch order. What is no collective of all does not count.
  void add(const DeviceOfTrace& device, std::int64_t step, std::string_view op,
           const Quantities& cost, std::int64_t duration_ns);
  /// Of GPUs, each with the time of its exposed collectives. Only those of one run are compared, if
  /// their ranks distinguish them.
  [[nodiscard]] std::map<DeviceOfTrace, RankWait> finish(
      const std::map<DeviceOfTrace, double>& exposed_ns) const;

 private:
  using Kind = std::tuple<std::int64_t, std::string, double>;  // step, op, bytes of the message
  struct Call {
    double ranks = 0;
    std::int64_t duration_ns = 0;
  };
  using Calls = std::map<Kind, std::vector<Call>>;

  void compare(const std::vector<DeviceOfTrace>& run, double exposed_ns,
               std::map<DeviceOfTrace, RankWait>& found) const;

  std::map<DeviceOfTrace, Calls> calls_;
};

}  // namespace prof::reports
