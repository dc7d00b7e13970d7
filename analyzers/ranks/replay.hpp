// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Replay: when the collectives of a run would end if a rank's own work took less time. Each start
// and each wait has what came last before it, and how much earlier everything else was; so what is
// gained passes from one to the next, and ends where something else comes last. All times are
// differences from those that were measured: no clocks are compared. Pure.
//
// The launches, own work, and the collectives of a stream keep their order. Transfers take as long
// as they did, but for those that a caller shortens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

/// How much less is needed up to a position, of own work or of the host: a line through points.
class Reduction {
 public:
  /// By position.
  void add(std::int64_t position_ns, double less_ns) { points_.emplace_back(position_ns, less_ns); }
  [[nodiscard]] double at(std::int64_t position_ns) const;
  [[nodiscard]] double total() const { return points_.empty() ? 0 : points_.back().second; }

 private:
  std::vector<std::pair<std::int64_t, double>> points_;
};

struct RankReductions {
  Reduction own, host;
};

class Replay {
 public:
  /// The run must outlive it.
  explicit Replay(const JoinedRun& run);

  /// By rank of the run, how much earlier each of its collectives ends; empty, if they do not fit
  /// together. `less`: of each rank; null: it needs what it did. `transfers`: how much less that of
  /// each joined collective takes, of those whose ranks end together; empty: none.
  [[nodiscard]] std::vector<std::vector<double>> run(const std::vector<const RankReductions*>& less,
                                                     const std::vector<double>& transfers) const;

  /// How long after all that they may have waited for collectives start, in total: of all ranks.
  [[nodiscard]] double unexplained_ns() const { return unexplained_ns_; }

 private:
  class Runner;

  /// An event on a rank; events are in the order of its clock.
  struct Event {
    enum class Kind : std::uint8_t { kStart, kOwnWait, kHostWait } kind = Kind::kStart;
    std::uint32_t index = 0;  ///< Index in the summary's collectives or waits.
    /// Waits of own work and of the host before what it depends on.
    std::uint32_t own_waits = 0, host_waits = 0;
  };

  void add_events(std::uint32_t rank);

  const JoinedRun& run_;
  std::vector<std::vector<Event>> events_;          // of each rank
  std::vector<std::vector<std::uint32_t>> joined_;  // of each rank's collectives; kNoCollective
  std::vector<std::vector<double>> waits_;          // likewise
  double unexplained_ns_ = 0;
};

}  // namespace prof::ranks
