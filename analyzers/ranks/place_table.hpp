// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PlaceTable: what the ranks of a run do in each place in each step, and how one differs from
// others. Ranks with the same places have the same part in the run, and are compared place by
// place. A rank whose part no other has, such as a stage of a pipeline, is compared by layers that
// differ in their numbers alone, its own and those of other such ranks. It finds the sums in the
// summaries' pieces, and keeps none: they are most of what is in memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

struct PlaceSums {
  double time_ns = 0, alone_ns = 0;  ///< All, and without what runs beside transfers.
  double amount = 0, count = 0, rows = 0;
};

/// A member of a comparison: an activity of one rank in one place.
struct PlaceMember {
  std::uint32_t rank = 0;
  const Place* place = nullptr;
  /// Index in RankSummary::places; absent: it is never there.
  std::optional<std::uint32_t> own = {};
};

struct PlaceRow {
  Activity activity = Activity::kKernels;
  std::vector<PlaceMember> members = {};  ///< At least two.
  bool is_of_layers_alike = false;  ///< Not of one place in several ranks, but of several places.
};

/// A member of a row against the median of the others.
struct PlaceDifference {
  std::uint32_t rank = 0;
  const Place* place = nullptr;
  /// Based on all time, or on the time without work that runs beside transfers if that is less:
  /// work is slower beside them.
  double excess_ns = 0, own_ns = 0, others_ns = 0;  ///< Medians over the steps.
  double own_amount = 0, others_amount = 0;         ///< Amounts of one kernel.
  double own_count = 0, others_count = 0;           ///< In a step.
  double own_rows = 0, others_rows = 0;             ///< Rows of its products, in a step; 0: none.
  double noise_ns = 0;    ///< How far the median may be from that of many steps.
  double least_ns = 0;    ///< The excess that all steps have but one in ten.
  double spread_ns = 0;   ///< Spread of the excess of the other members; 0 for fewer than three.
  std::size_t steps = 0;  ///< Number of steps that were compared.
};

class PlaceTable {
 public:
  /// The run must outlive it.
  explicit PlaceTable(const JoinedRun& run);

  /// By place, kActivities for each, in their order; members are the same.
  [[nodiscard]] const std::vector<PlaceRow>& rows() const { return rows_; }
  /// The difference of each member; none, if fewer than three steps can be compared.
  [[nodiscard]] std::vector<PlaceDifference> differences(const PlaceRow& row) const;
  /// The median period of a rank's steps, or how long its work takes; 0: it has none.
  [[nodiscard]] double period_ns(std::uint32_t rank) const { return periods_ns_[rank]; }

 private:
  using Key = std::pair<std::uint32_t, Place>;  // part in the run

  void find_parts();
  void find_steps();
  void find_transfers();
  void add_places_of(std::uint32_t rank);
  /// By layer without its numbers: those of the ranks whose part no other has.
  using LayersAlike = std::map<std::pair<std::string, Direction>, std::vector<PlaceMember>>;
  [[nodiscard]] LayersAlike layers_alike() const;
  void complete();
  std::size_t add_others(const Key& key, std::size_t row, std::uint32_t only, bool are_of_pipeline);
  [[nodiscard]] PlaceSums sums_of(const PlaceMember& member, Activity activity,
                                  std::size_t step) const;
  [[nodiscard]] std::vector<PlaceDifference> differences_of(const PlaceRow& row,
                                                            double PlaceSums::*time) const;

  const JoinedRun& run_;
  std::vector<std::uint32_t> pipelines_;  // of each rank, as pipelines_of
  std::vector<PlaceRow> rows_;
  std::map<Key, std::size_t> places_;  // the first row
  std::vector<std::uint32_t> parts_;   // of each rank
  std::vector<std::vector<std::uint32_t>> ranks_of_part_;
  std::vector<double> periods_ns_;
  // For each rank, the index of its own step for each of the run's steps.
  std::vector<std::vector<std::optional<std::size_t>>> own_steps_;
  std::size_t steps_ = 0;
  // For each rank, by its step: the part of its collectives' time in which these transfer.
  std::vector<std::vector<double>> transfers_;
};

}  // namespace prof::ranks
