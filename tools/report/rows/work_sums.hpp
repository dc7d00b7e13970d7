// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over a group of kernels, and the columns that print them, one line each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyzers/quantities.hpp"
#include "tools/report/rows/durations.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/op_calls.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {

class WorkRow;

/// A sum over kernels of a quantity that may be unknown, with the time of the kernels where it is
/// known.
struct KnownSum {
  double sum = 0;
  std::int64_t time_ns = 0;
  std::uint64_t known = 0;
  std::uint64_t unknown = 0;

  void add(const std::optional<double>& value, std::int64_t duration_ns);
  void merge(const KnownSum& other);
};

struct WorkSums {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  ///< Memory copies and sets, if they are asked for.
  OpCalls calls;
  std::int64_t time_ns = 0;
  PerQuantity<KnownSum> cost;
  /// Sums over the kernels whose FLOPs and bytes are both known.
  double flops_of_both = 0, bytes_of_both = 0;
  /// Nanoseconds needed by arithmetic alone and by the roofline model.
  KnownSum compute_ns, model_ns;
  Durations durations;

  void add(const WorkRow& work);
  void merge(const WorkSums& other);
  /// Heavier groups come first.
  [[nodiscard]] std::int64_t weight() const { return time_ns; }
  /// All but the durations.
  template <typename Self, typename Visit>
  static void each_part(Self& sums, const Visit& visit) {
    visit(sums.kernels);
    visit(sums.copies);
    visit(sums.calls);
    visit(sums.time_ns);
    visit(sums.cost);
    visit(sums.flops_of_both);
    visit(sums.bytes_of_both);
    visit(sums.compute_ns);
    visit(sums.model_ns);
  }

 private:
  void add(const Quantities& cost_of_work, std::int64_t duration_ns);
};

/// A sum with no known part is unknown; one with some unknown parts is a lower bound.
Cell sum_cell(const KnownSum& sum, double unit);
/// Divided by the time of the kernels whose part of the sum is known. `per_ns` is one per
/// nanosecond in the printed unit.
Cell rate_cell(const KnownSum& sum, double per_ns);
/// Fraction of the time of the kernels for which the model has a time.
Cell part_cell(const KnownSum& model_ns);
/// Absent if no time is known.
Cell total_ns(const WorkSums& sums);
Cell total_us(const WorkSums& sums);
Cell mean_us(const WorkSums& sums);

// clang-format off
inline constexpr SumField<WorkSums> kWorkSums[] = {
    {Column::integer("calls", "Calls", "", "op calls that the group's work belongs to; a backward pass belongs to its forward op's call").grouped().drop(5), [](const WorkSums& s, const WorkSums&) { return number(s.calls.count()); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped().drop(3), [](const WorkSums& s, const WorkSums&) { return number(s.kernels); }},
    {Column::real("time_us", "Time", "us", "total time on the GPU; overlapping kernels count in full", 0).grouped().wide(9), [](const WorkSums& s, const WorkSums&) { return total_us(s); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "total time in nanoseconds").grouped().wide(9), [](const WorkSums& s, const WorkSums&) { return total_ns(s); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all kernels shown", 1).drop(1), [](const WorkSums& s, const WorkSums& all) { return percent(s.time_ns, all.time_ns); }},
    {Column::real("flops", "FLOPs", "", "floating-point operations; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.flops, 1); }},
    {Column::real("gflop", "GFLOP", "", "FLOPs in 1e9", 3).grouped().drop(8), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.flops, 1e9); }, Role::kAlias},
    {Column::real("bytes", "Bytes", "", "bytes the ops must move; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.bytes, 1); }},
    {Column::real("mb", "MB", "", "bytes in 1e6", 3).grouped().drop(9), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.bytes, 1e6); }, Role::kAlias},
    {Column::real("tflop_per_s", "TFLOP/s", "", "FLOPs over the time of the kernels with known FLOPs", 2).grouped().drop(4), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.flops, 1e-3); }},
    {Column::real("gb_per_s", "GB/s", "", "bytes over the time of the kernels with known bytes", 1).grouped().drop(6), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.bytes, 1); }},
    {Column::real("intensity", "FLOP/B", "", "FLOPs over bytes of the kernels with both known", 2).grouped(), [](const WorkSums& s, const WorkSums&) { return s.bytes_of_both > 0 ? real(s.flops_of_both / s.bytes_of_both) : absent(); }},
    {Column::real("peak_pct", "Peak", "%", "time for the arithmetic alone at the device's peak, over the actual time", 1).drop(7), [](const WorkSums& s, const WorkSums&) { return part_cell(s.compute_ns); }},
    {Column::real("roofline_pct", "Roofline", "%", "time predicted by the roofline model over the actual time", 1).drop(2), [](const WorkSums& s, const WorkSums&) { return part_cell(s.model_ns); }},
    {Column::integer("flops_unknown", "FLOPs?", "", "kernels with unknown FLOPs").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.cost.flops.unknown); }},
    {Column::integer("bytes_unknown", "Bytes?", "", "kernels with unknown bytes").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.cost.bytes.unknown); }},
    {Column::real("bytes_read", "Read", "B", "bytes read; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.read, 1); }},
    {Column::real("bytes_written", "Written", "B", "bytes written; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.written, 1); }},
    {Column::real("alg_gb_per_s", "AlgBW", "GB/s", "collectives: message sizes over kernel time (nccl-tests' algbw)", 1).grouped(), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.algorithm_bytes, 1); }},
    {Column::real("bus_gb_per_s", "BusBW", "GB/s", "collectives: algorithm bandwidth times the share each link carries (nccl-tests' busbw)", 1).grouped(), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.bus_bytes, 1); }},
    {Column::real("mean_us", "Mean", "us", "mean time per kernel", 3).grouped(), [](const WorkSums& s, const WorkSums&) { return mean_us(s); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets; see --kind").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.copies); }, Role::kOnRequest},
    {Column::integer("count", "Count", "", "kernels, copies and sets").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.kernels + s.copies); }, Role::kOnRequest},
    {Column::real("min_us", "Min", "us", "shortest time", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return s.durations.min_us(); }, Role::kOnRequest},
    {Column::real("max_us", "Max", "us", "longest time", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return s.durations.max_us(); }, Role::kOnRequest},
    {Column::real("median_us", "Median", "us", "median time", 3).grouped(), [](const WorkSums& s, const WorkSums&) { return s.durations.quantile_us(0.5); }, Role::kOnRequest, true},
    {Column::real("stddev_us", "StdDev", "us", "standard deviation of the sample; 0 for one", 3).grouped(), [](const WorkSums& s, const WorkSums&) { return s.durations.stddev_us(); }, Role::kOnRequest, true},
    {Column::real("p95_us", "P95", "us", "95th percentile of the times, interpolated linearly", 3).grouped(), [](const WorkSums& s, const WorkSums&) { return s.durations.quantile_us(0.95); }, Role::kOnRequest, true},
};
// clang-format on

}  // namespace prof::reports
