// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RankWaits: what the traces of other ranks say of a rank's own: how long its collectives wait for
// others, and for whom. Row kinds that show collectives and steps look it up; tools/report/ranks
// finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_set.hpp"

namespace prof::reports {

/// A GPU of a trace, by its CUDA device number.
using DeviceOfTrace = std::pair<const TraceIdentity*, std::uint32_t>;

/// Times of a collective, as one of its ranks sees it.
struct CollectiveWait {
  std::int64_t start_ns = 0, end_ns = 0;  ///< Since the start of the trace, as the kernel's.
  std::int64_t wait_ns = 0;
  std::string_view waits_for;  ///< Label of the rank that comes last; empty: that is this one.
  /// The number of the collective, the same in all its ranks, from 1.
  std::uint64_t collective = 0;
};

/// How a rank and the others affect each other in a step: means over the steady steps.
struct RankStanding {
  std::size_t ranks = 0;        ///< Number of the run's ranks that have a trace.
  double waits_ns = 0;          ///< Time in which it waits for others and computes nothing.
  std::string label = {};       ///< "rank 1".
  std::string waits_for = {};   ///< The rank for which it waits longest; empty: none.
  double waited_for_ns = 0;     ///< Time in which the rank that waits longest for it does so.
  double exposed_waits_ns = 0;  ///< As waits_ns, also for other stages of its pipeline: a bubble.
  /// How much longer a step takes than if this rank were as the others: an estimate; 0: not known
  /// to be longer.
  double cost_ns = 0;
  std::string cause = {};      ///< Why it is late, in words; empty: none is known.
  bool has_more_work = false;  ///< The cause is that it has more to do.
};

class RankWaits {
 public:
  struct OfDevice {
    std::vector<CollectiveWait> collectives;                      ///< By start.
    std::map<std::optional<std::int64_t>, std::int64_t> by_step;  ///< Exposed waits.
    RankStanding standing;
  };

  std::uint64_t collectives = 0;  ///< Number of collectives of all runs.
  bool is_estimated = false;      ///< Some collectives have no numbers by which to match them.

  [[nodiscard]] const std::map<DeviceOfTrace, OfDevice>& devices() const { return devices_; }
  OfDevice& of(const DeviceOfTrace& device) { return devices_[device]; }
  /// Null: no trace of another rank of its run is there.
  [[nodiscard]] const OfDevice* find(const DeviceOfTrace& device) const;
  /// Nullopt: no other trace has the same collective.
  [[nodiscard]] std::optional<CollectiveWait> find(const DeviceOfTrace& device,
                                                   std::int64_t start_ns,
                                                   std::int64_t end_ns) const;
  /// As above, for GPU work that is a collective.
  [[nodiscard]] std::optional<CollectiveWait> find(const TraceIdentity& trace,
                                                   const GpuRow& work) const;
  /// A copy that lives as long as this.
  std::string_view keep(std::string text) { return *labels_.insert(std::move(text)).first; }

 private:
  std::map<DeviceOfTrace, OfDevice> devices_;
  std::set<std::string> labels_;
};

/// Reads all traces when it is called first. Null: there are no two ranks to compare.
using FindRankWaits = std::function<Result<const RankWaits*>()>;

struct RowInput;

/// By `input`, with a remark about ranks whose traces are not there: waits for them are unknown.
Result<const RankWaits*> rank_waits(const RowInput& input);

}  // namespace prof::reports
