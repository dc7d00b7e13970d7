// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Summarizes a trace for the comparison with those of other ranks: one RankSummary for each of its
// GPUs. Takes attributed work in launch order. Work waits until nothing that is launched later can
// start before it, so that memory is that of the GPU's queue, not of the trace. Steps, and what the
// GPU does in them, are those of the timeline. Pure but for reading what the trace's library states
// of collectives, and the states of its GPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/attributed_work.hpp"
#include "analyzers/ranks/own_line.hpp"
#include "analyzers/ranks/rank_summary.hpp"
#include "analyzers/timeline/collective_times.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::ranks {

/// Reads all of the work. Valid only if that had no error.
Result<std::vector<RankSummary>> summarize(TraceReader& trace, AttributedWork& work);

struct StepOfCapture {
  std::optional<std::uint32_t> capture;
  RankStep step;
};

/// Collects the work of one GPU.
class Summarizer {
 public:
  /// The library's statement about a launch; null: nothing.
  using Stated = std::function<const CollectiveRecord*(Correlation)>;

  /// `waited`: what the trace states; null: nothing.
  Summarizer(std::uint32_t device, Stated stated, OwnLine::Waited waited);

  /// In launch order; `capture` is the captured part of the run that it belongs to.
  void add(const AttributedRow& row, std::optional<std::uint32_t> capture);
  /// The steps of the GPU in order of time, and their captured parts.
  RankSummary finish(std::span<const StepOfCapture> steps);

 private:
  /// A captured part, and in it a step; each part may number its steps from 0.
  using StepKey = std::pair<std::optional<std::uint32_t>, std::optional<std::int64_t>>;
  struct Work {
    std::int64_t start_ns = 0, end_ns = 0;
    std::optional<std::int64_t> launch_ns;
    StepKey step;
    double amount = 0, bus_bytes = 0;  // of a collective the bytes of its message
    double rows = 0;                   // of a product
    std::uint64_t sequence = 0;
    std::uint32_t place = 0, communicator = 0;
    std::int32_t peer = -1, root = -1;
    Activity activity = Activity::kKernels;
    bool is_collective = false, has_sequence = false;
    OwnLine::Launched launched = {};
  };
  struct Later {
    bool operator()(const Work& a, const Work& b) const { return a.start_ns > b.start_ns; }
  };
  struct OfStep {
    double flops = 0;
    std::map<std::pair<std::uint32_t, Activity>, Piece> pieces;
  };
  struct Running {
    std::size_t index = 0;  // among the collectives
    std::int64_t end_ns = 0, computed_ns = 0;
  };

  std::uint32_t place_of(const std::shared_ptr<const OpAttribution>& op);
  std::uint32_t communicator_of(const CommunicationGroup& group, const CollectiveRecord* stated);
  void describe(const AttributedRow& row, Work& work);
  void take(const Work& work);
  void take_collective(const Work& work);
  void add_host_time(const Work& next);
  void add_piece(const Work& work, Activity activity, std::int64_t time_ns, double amount,
                 std::int64_t beside_ns = 0);
  [[nodiscard]] std::int64_t in_collectives(std::int64_t from_ns, std::int64_t to_ns) const;
  void end_collectives(std::int64_t time_ns);

  Stated stated_;
  RankSummary made_;
  std::priority_queue<Work, std::vector<Work>, Later> waiting_;  // by start
  std::int64_t launched_ns_ = INT64_MIN;                         // of the last launch
  std::map<Place, std::uint32_t> places_;
  std::unordered_map<const OpAttribution*,
                     std::pair<std::shared_ptr<const OpAttribution>, std::uint32_t>>
      places_by_op_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> communicators_;
  std::map<StepKey, OfStep> steps_;

  // At the start of the work taken last.
  std::optional<std::int64_t> busy_until_ns_;                  // with work of its own
  CoveredTime computing_;                                      // by kernels
  std::vector<std::pair<std::int64_t, std::int64_t>> recent_;  // collectives, from begin to end
  std::vector<Running> running_;

  OwnLine line_;
  std::int64_t own_until_ns_ = kNever;  // as busy_until_ns_, without waits for the host
};

}  // namespace prof::ranks
