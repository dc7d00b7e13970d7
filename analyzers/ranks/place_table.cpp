// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/place_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "libprof/base/ascii.hpp"
#include "libprof/base/statistics.hpp"

namespace prof::ranks {
namespace {

constexpr std::size_t kLeastSteps = 3;
/// One of so many steps may be unlike the others.
constexpr std::size_t kExceptions = 10;
/// Ranks have the same part if they share so many of their places: one may do more than another.
constexpr double kSamePart = 0.6;
/// Work of one layer alone is compared with this many layers alike at most: where each has work of
/// its own, the comparisons are their square.
constexpr std::size_t kMostAlike = 1000;
/// The part of ranks whose part no other rank has.
constexpr std::uint32_t kAlone = UINT32_MAX;

double shared(const std::set<Place>& a, const std::set<Place>& b) {
  std::size_t both = 0;
  for (const Place& place : a) both += b.count(place);
  const std::size_t either = a.size() + b.size() - both;
  return either > 0 ? static_cast<double>(both) / static_cast<double>(either) : 0;
}

/// Layers that differ in their numbers alone are one.
Place folded(const Place& place) {
  Place made = place;
  made.layer.clear();
  for (const char c : place.layer) {
    if (!is_digit(c)) made.layer += c;
    if (is_digit(c) && (made.layer.empty() || made.layer.back() != '*')) made.layer += '*';
  }
  return made;
}

/// A member's values over the steps.
struct Series {
  std::vector<double> excess, own, others;
  PlaceSums own_sums, others_sums;
  std::size_t others_count = 0;
};

double each(double amount, double kernels) { return kernels > 0 ? amount / kernels : 0; }

PlaceDifference difference_of(const PlaceMember& member, Series& of) {
  const std::size_t count = of.excess.size();
  PlaceDifference made{.rank = member.rank, .place = member.place, .steps = count};
  made.own_amount = each(of.own_sums.amount, of.own_sums.count);
  made.others_amount = each(of.others_sums.amount, of.others_sums.count);
  made.own_count = of.own_sums.count / static_cast<double>(count);
  made.others_count = of.others_sums.count / static_cast<double>(of.others_count);
  made.own_rows = of.own_sums.rows / static_cast<double>(count);
  made.others_rows = of.others_sums.rows / static_cast<double>(of.others_count);
  made.own_ns = median(of.own);
  made.others_ns = median(of.others);
  std::vector<double> excess = of.excess;
  made.excess_ns = median(excess);
  const auto least = excess.begin() + static_cast<std::ptrdiff_t>(count / kExceptions);
  std::ranges::nth_element(excess, least);
  made.least_ns = *least;
  made.noise_ns = error_of_median(of.excess, made.excess_ns);
  return made;
}

/// How far the other ranks' excesses are spread, for each rank. Leaving one out moves the median to
/// one of three values at most, so distances are sorted thrice, not for each of thousands of ranks.
void add_spreads(std::vector<PlaceDifference>& differences) {
  if (differences.size() < 4) return;
  std::vector<double> sorted;
  for (const PlaceDifference& one : differences) sorted.push_back(one.excess_ns);
  std::ranges::sort(sorted);
  const auto without = [](const std::vector<double>& values, double left_out) {
    const auto place = std::ranges::lower_bound(values, left_out) - values.begin();
    return median_without(values, static_cast<std::size_t>(place));
  };
  std::map<double, std::vector<double>> distances;  // by middle, sorted
  for (PlaceDifference& one : differences) {
    const double middle = without(sorted, one.excess_ns);
    std::vector<double>& from_middle = distances[middle];
    if (from_middle.empty()) {
      for (const double value : sorted) from_middle.push_back(std::abs(value - middle));
      std::ranges::sort(from_middle);
    }
    one.spread_ns = kOfNormal * without(from_middle, std::abs(one.excess_ns - middle));
  }
}

}  // namespace

PlaceTable::PlaceTable(const JoinedRun& run) : run_(run), pipelines_(pipelines_of(run)) {
  find_parts();
  find_steps();
  find_transfers();
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) add_places_of(rank);
  complete();
}

void PlaceTable::find_steps() {
  std::map<std::optional<std::int64_t>, std::size_t> numbers;
  for (const RankSummary* summary : run_.summaries) {
    for (const RankStep& step : summary->steps) numbers.emplace(step.step, 0);
  }
  for (auto& [step, index] : numbers) index = steps_++;
  for (const RankSummary* summary : run_.summaries) {
    auto& own = own_steps_.emplace_back(steps_);
    std::vector<double> periods;
    for (std::size_t i = 0; i < summary->steps.size(); ++i) {
      const RankStep& step = summary->steps[i];
      own[numbers.at(step.step)] = i;
      if (step.is_whole || summary->steps.size() == 1) {
        periods.push_back(static_cast<double>(step.period_ns()));
      }
    }
    periods_ns_.push_back(periods.empty() ? 0 : median(periods));
  }
}

/// All time of collectives that is not known to be a wait counts as transfer.
void PlaceTable::find_transfers() {
  std::vector<std::map<std::optional<std::int64_t>, std::pair<double, double>>> times;
  for (const RankSummary* summary : run_.summaries) {
    auto& of = times.emplace_back();
    for (const RankCollective& one : summary->collectives) {
      of[one.step].first += static_cast<double>(one.duration_ns());
    }
  }
  for (const Participant& one : run_.participants) {
    times[one.rank][run_.seen_by(one).step].second += static_cast<double>(one.wait_ns);
  }
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    std::vector<double>& own = transfers_.emplace_back();
    for (const RankStep& step : run_.summaries[rank]->steps) {
      const auto& [time, wait] = times[rank][step.step];
      own.push_back(time > 0 ? std::clamp(1 - wait / time, 0.0, 1.0) : 1);
    }
  }
}

/// Each rank has the part of the first one that it is like.
void PlaceTable::find_parts() {
  std::vector<std::set<Place>> first;
  std::vector<std::vector<std::uint32_t>> ranks;
  for (std::uint32_t rank = 0; rank < run_.summaries.size(); ++rank) {
    const std::vector<Place>& own = run_.summaries[rank]->places;
    std::set<Place> places(own.begin(), own.end());
    std::size_t part = 0;
    while (part < first.size() && shared(first[part], places) < kSamePart) ++part;
    if (part == first.size()) {
      first.push_back(std::move(places));
      ranks.emplace_back();
    }
    ranks[part].push_back(rank);
  }
  parts_.assign(run_.summaries.size(), kAlone);
  for (std::vector<std::uint32_t>& of_part : ranks) {
    if (of_part.size() < 2) continue;
    for (const std::uint32_t rank : of_part) {
      parts_[rank] = static_cast<std::uint32_t>(ranks_of_part_.size());
    }
    ranks_of_part_.push_back(std::move(of_part));
  }
}

void PlaceTable::add_places_of(std::uint32_t rank) {
  const RankSummary& summary = *run_.summaries[rank];
  std::vector<bool> has_work(summary.places.size());
  for (const Piece& piece : summary.pieces) has_work[piece.place] = true;
  const bool is_alone = parts_[rank] == kAlone;
  for (std::uint32_t own = 0; own < summary.places.size(); ++own) {
    if (!has_work[own]) continue;
    const Place& place = summary.places[own];
    const auto [found, is_new] =
        places_.try_emplace(Key(parts_[rank], is_alone ? folded(place) : place), rows_.size());
    for (std::size_t i = 0; is_new && i < kActivities; ++i) {
      rows_.push_back({.activity = static_cast<Activity>(i), .is_of_layers_alike = is_alone});
    }
    for (std::size_t i = 0; i < kActivities; ++i) {
      rows_[found->second + i].members.push_back({.rank = rank, .place = &place, .own = own});
    }
  }
}

/// A step has a piece for each place and activity at most.
PlaceSums PlaceTable::sums_of(const PlaceMember& member, Activity activity,
                              std::size_t step) const {
  const std::size_t own_step = *own_steps_[member.rank][step];
  const std::span<const Piece> pieces = run_.summaries[member.rank]->pieces_of(own_step);
  const auto key = [](const Piece& piece) { return std::pair(piece.place + 0U, piece.kind()); };
  const auto wanted = std::pair(member.own.value_or(UINT32_MAX), activity);
  const auto found = std::ranges::lower_bound(pieces, wanted, {}, key);
  if (found == pieces.end() || key(*found) != wanted) return {};
  const auto time_ns = static_cast<double>(found->time_ns);
  return {.time_ns = time_ns,
          .alone_ns = time_ns - found->beside_ns * transfers_[member.rank][own_step],
          .amount = found->amount,
          .count = static_cast<double>(found->count),
          .rows = found->rows};
}

PlaceTable::LayersAlike PlaceTable::layers_alike() const {
  LayersAlike found;
  std::set<std::tuple<std::uint32_t, std::string_view, Direction>> known;
  for (std::uint32_t rank = 0; rank < run_.summaries.size(); ++rank) {
    if (parts_[rank] != kAlone) continue;
    for (const Place& place : run_.summaries[rank]->places) {
      if (!known.emplace(rank, place.layer, place.direction).second) continue;
      found[{folded(place).layer, place.direction}].push_back({.rank = rank, .place = &place});
    }
  }
  return found;
}

/// Completes rows with a single member. Work of one rank alone is compared with the other ranks of
/// its part, which do not do it, and work of one layer alone with the layers that are alike. Of the
/// ranks of its pipeline only those count that have the same numbered layer: the first and the last
/// stage have work of their own outside of these. Rows without anybody to compare with are left
/// out.
void PlaceTable::complete() {
  const LayersAlike alike = layers_alike();
  for (const auto& [key, row] : places_) {
    if (rows_[row].members.size() > 1) continue;
    const PlaceMember only = rows_[row].members.front();
    if (key.first == kAlone) {
      const auto found = alike.find({key.second.layer, key.second.direction});
      if (found == alike.end() || found->second.size() > kMostAlike) continue;
      for (const PlaceMember& other : found->second) {
        if (other.rank == only.rank && other.place->layer == only.place->layer) continue;
        for (std::size_t i = 0; i < kActivities; ++i) rows_[row + i].members.push_back(other);
      }
      continue;
    }
    const bool is_alike =
        add_others(key, row, only.rank, false) == 0 && add_others(key, row, only.rank, true) > 0;
    for (std::size_t i = 0; i < kActivities; ++i) rows_[row + i].is_of_layers_alike = is_alike;
  }
  std::erase_if(rows_, [](const PlaceRow& row) { return row.members.size() < 2; });
}

/// Those of its part that never do what `only` does, in other pipelines or in its own; how many.
std::size_t PlaceTable::add_others(const Key& key, std::size_t row, std::uint32_t only,
                                   bool are_of_pipeline) {
  const Place& place = key.second;
  if (are_of_pipeline && folded(place).layer == place.layer) return 0;
  std::size_t added = 0;
  for (const std::uint32_t rank : ranks_of_part_[key.first]) {
    if (rank == only || (pipelines_[rank] == pipelines_[only]) != are_of_pipeline) continue;
    const auto has_layer = [&](const Place& one) {
      return one.layer == place.layer && one.direction == place.direction;
    };
    if (are_of_pipeline && std::ranges::none_of(run_.summaries[rank]->places, has_layer)) continue;
    for (std::size_t i = 0; i < kActivities; ++i) {
      rows_[row + i].members.push_back({.rank = rank, .place = &place});
    }
    ++added;
  }
  return added;
}

std::vector<PlaceDifference> PlaceTable::differences(const PlaceRow& row) const {
  std::vector<PlaceDifference> all = differences_of(row, &PlaceSums::time_ns);
  const bool is_gpu = row.activity == Activity::kKernels || row.activity == Activity::kCopies;
  if (!is_gpu) return all;
  const std::vector<PlaceDifference> alone = differences_of(row, &PlaceSums::alone_ns);
  for (std::size_t i = 0; i < all.size(); ++i) {  // of the same members
    all[i].excess_ns = std::min(all[i].excess_ns, alone[i].excess_ns);
    all[i].noise_ns = std::max(all[i].noise_ns, alone[i].noise_ns);
    all[i].least_ns = std::min(all[i].least_ns, alone[i].least_ns);
    all[i].spread_ns = std::max(all[i].spread_ns, alone[i].spread_ns);
  }
  return all;
}

std::vector<PlaceDifference> PlaceTable::differences_of(const PlaceRow& row,
                                                        double PlaceSums::*time) const {
  std::vector<Series> series(row.members.size());
  std::vector<std::pair<double, std::size_t>> there;
  std::vector<double> times;
  std::vector<PlaceSums> sums;
  for (std::size_t step = 0; step < steps_; ++step) {
    there.clear();
    sums.clear();
    PlaceSums all;
    for (std::size_t i = 0; i < row.members.size(); ++i) {
      sums.emplace_back();
      if (!own_steps_[row.members[i].rank][step]) continue;
      const PlaceSums& of = sums.back() = sums_of(row.members[i], row.activity, step);
      there.emplace_back(of.*time, i);
      all.amount += of.amount;
      all.rows += of.rows;
      all.count += of.count;
    }
    if (there.size() < 2) continue;
    std::ranges::sort(there);
    times.clear();
    for (const auto& [value, member] : there) times.push_back(value);
    for (std::size_t i = 0; i < there.size(); ++i) {
      Series& of = series[there[i].second];
      const double others = median_without(times, i);
      of.own.push_back(times[i]);
      of.others.push_back(others);
      of.excess.push_back(times[i] - others);
      const PlaceSums& own = sums[there[i].second];
      of.own_sums.amount += own.amount;
      of.own_sums.rows += own.rows;
      of.own_sums.count += own.count;
      of.others_sums.amount += all.amount - own.amount;
      of.others_sums.rows += all.rows - own.rows;
      of.others_sums.count += all.count - own.count;
      of.others_count += there.size() - 1;
    }
  }
  std::vector<PlaceDifference> found;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].excess.size() < kLeastSteps) continue;
    found.push_back(difference_of(row.members[i], series[i]));
  }
  add_spreads(found);
  return found;
}

}  // namespace prof::ranks
