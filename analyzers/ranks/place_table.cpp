// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/place_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "analyzers/ranks/robust.hpp"

namespace prof::ranks {
namespace {

constexpr std::size_t kLeastSteps = 3;
/// The standard error of a median against that of a mean.
constexpr double kOfMedian = 1.2533;
/// Ranks have the same part if they share so many of their places: one may do more than another.
constexpr double kSamePart = 0.6;
/// Of ranks whose part no other has.
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
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) made.layer += c;
    if (is_digit && (made.layer.empty() || made.layer.back() != '*')) made.layer += '*';
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
  made.own_ns = median(of.own);
  made.others_ns = median(of.others);
  std::vector<double> excess = of.excess;
  made.excess_ns = median(excess);
  made.noise_ns =
      kOfMedian * spread_about(of.excess, made.excess_ns) / std::sqrt(static_cast<double>(count));
  return made;
}

void add_spreads(std::vector<PlaceDifference>& differences) {
  if (differences.size() < 4) return;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    std::vector<double> others;
    for (std::size_t j = 0; j < differences.size(); ++j) {
      if (j != i) others.push_back(differences[j].excess_ns);
    }
    const double middle = median(others);
    differences[i].spread_ns = spread_about(others, middle);
  }
}

}  // namespace

PlaceTable::PlaceTable(const JoinedRun& run) {
  find_parts(run);
  find_pipelines(run);
  std::map<std::optional<std::int64_t>, std::size_t> numbers;
  for (const RankSummary* summary : run.summaries) {
    for (const RankStep& step : summary->steps) numbers.emplace(step.step, 0);
  }
  for (auto& [step, index] : numbers) index = steps_++;
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) {
    const RankSummary& summary = *run.summaries[rank];
    std::vector<bool>& has = has_step_.emplace_back(steps_);
    std::vector<double> periods;
    for (std::size_t i = 0; i < summary.steps.size(); ++i) {
      const RankStep& step = summary.steps[i];
      const std::size_t at = numbers.at(step.step);
      has[at] = true;
      if (step.is_whole || summary.steps.size() == 1) {
        periods.push_back(static_cast<double>(step.end_ns - step.begin_ns));
      }
      for (const Piece& piece : summary.pieces_of(i)) add(run, rank, piece, at);
    }
    periods_ns_.push_back(periods.empty() ? 0 : median(periods));
  }
  complete();
}

/// Each rank has the part of the first one that it is like.
void PlaceTable::find_parts(const JoinedRun& run) {
  std::vector<std::set<Place>> first;
  std::vector<std::vector<std::uint32_t>> ranks;
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) {
    const std::vector<Place>& own = run.summaries[rank]->places;
    std::set<Place> places(own.begin(), own.end());
    std::size_t part = 0;
    while (part < first.size() && shared(first[part], places) < kSamePart) ++part;
    if (part == first.size()) {
      first.push_back(std::move(places));
      ranks.emplace_back();
    }
    ranks[part].push_back(rank);
  }
  parts_.assign(run.summaries.size(), kAlone);
  for (std::vector<std::uint32_t>& of_part : ranks) {
    if (of_part.size() < 2) continue;
    for (const std::uint32_t rank : of_part) {
      parts_[rank] = static_cast<std::uint32_t>(ranks_of_part_.size());
    }
    ranks_of_part_.push_back(std::move(of_part));
  }
}

/// Ranks that send to each other. One is known by its first rank.
void PlaceTable::find_pipelines(const JoinedRun& run) {
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) pipelines_.push_back(rank);
  for (const JoinedCollective& one : run.collectives) {
    if (one.rule != WaitRule::kPair) continue;
    const std::uint32_t a = pipelines_[run.of(one).front().rank];
    const std::uint32_t b = pipelines_[run.of(one).back().rank];
    if (a != b) std::ranges::replace(pipelines_, std::max(a, b), std::min(a, b));
  }
}

void PlaceTable::add(const JoinedRun& run, std::uint32_t rank, const Piece& piece,
                     std::size_t step) {
  const Place& place = run.summaries[rank]->places[piece.place];
  const bool is_alone = parts_[rank] == kAlone;
  const auto [found, is_new] = places_.try_emplace(
      Key(parts_[rank], is_alone ? folded(place) : place), rows_.size(), Members());
  if (is_new) {
    for (std::size_t i = 0; i < kActivities; ++i) {
      rows_.push_back({.activity = static_cast<Activity>(i), .members = {}});
    }
  }
  auto& [row, members] = found->second;
  const auto [member, is_first] =
      members.try_emplace({rank, is_alone ? piece.place : 0}, rows_[row].members.size());
  for (std::size_t i = 0; is_first && i < kActivities; ++i) {
    rows_[row + i].members.push_back({.rank = rank, .place = &place, .steps = {}});
    rows_[row + i].is_of_layers_alike = is_alone;
  }
  std::vector<PlaceSums>& steps = rows_[row + piece.activity].members[member->second].steps;
  steps.resize(steps_);
  PlaceSums& sums = steps[step];
  sums.time_ns += static_cast<double>(piece.time_ns);
  sums.alone_ns += static_cast<double>(piece.time_ns) - piece.beside_ns;
  sums.amount += piece.amount;
  sums.count += piece.count;
}

/// What one rank alone does, others of the same part do not: they are compared as well. Not those
/// of its pipeline, whose first and last stage have work of their own even if all stages have the
/// same layers. Rows without anybody to compare with are left out.
void PlaceTable::complete() {
  for (auto& [key, of] : places_) {
    if (key.first == kAlone || of.second.size() > 1) continue;
    const std::uint32_t owner = of.second.begin()->first.first;
    for (const std::uint32_t rank : ranks_of_part_[key.first]) {
      if (pipelines_[rank] == pipelines_[owner]) continue;
      for (std::size_t i = 0; i < kActivities; ++i) {
        rows_[of.first + i].members.push_back({.rank = rank, .place = &key.second, .steps = {}});
      }
    }
  }
  std::erase_if(rows_, [](const PlaceRow& row) { return row.members.size() < 2; });
}

std::vector<PlaceDifference> PlaceTable::differences(const PlaceRow& row) const {
  std::vector<PlaceDifference> all = differences_of(row, &PlaceSums::time_ns);
  const bool is_gpu = row.activity == Activity::kKernels || row.activity == Activity::kCopies;
  if (!is_gpu) return all;
  const std::vector<PlaceDifference> alone = differences_of(row, &PlaceSums::alone_ns);
  for (std::size_t i = 0; i < all.size(); ++i) {  // of the same members
    all[i].excess_ns = std::min(all[i].excess_ns, alone[i].excess_ns);
    all[i].noise_ns = std::max(all[i].noise_ns, alone[i].noise_ns);
    all[i].spread_ns = std::max(all[i].spread_ns, alone[i].spread_ns);
  }
  return all;
}

std::vector<PlaceDifference> PlaceTable::differences_of(const PlaceRow& row,
                                                        double PlaceSums::*time) const {
  std::vector<Series> series(row.members.size());
  std::vector<std::pair<double, std::size_t>> there;
  std::vector<double> times;
  for (std::size_t step = 0; step < steps_; ++step) {
    const auto sums_of = [&](std::size_t i) {
      const std::vector<PlaceSums>& steps = row.members[i].steps;
      return steps.empty() ? PlaceSums() : steps[step];
    };
    there.clear();
    PlaceSums all;
    for (std::size_t i = 0; i < row.members.size(); ++i) {
      if (!has_step_[row.members[i].rank][step]) continue;
      const PlaceSums sums = sums_of(i);
      there.emplace_back(sums.*time, i);
      all.amount += sums.amount;
      all.count += sums.count;
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
      const PlaceSums own = sums_of(there[i].second);
      of.own_sums.amount += own.amount;
      of.own_sums.count += own.count;
      of.others_sums.amount += all.amount - own.amount;
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
