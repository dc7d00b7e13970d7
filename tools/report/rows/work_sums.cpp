// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over kernels, and the columns that print them, one line each.
#include "tools/report/rows/work_sums.hpp"

#include "libprof/model/times.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {
namespace {

/// A sum with no known part is unknown; one with some unknown parts is a lower bound.
Cell sum_cell(const KnownSum& sum, double unit) {
  if (sum.known == 0) return absent(sum.unknown > 0 ? Why::kOfNone : Why::kUnstated);
  if (sum.unknown > 0) return Cell{AtLeast{sum.sum / unit}};
  return real(sum.sum / unit);
}

/// Divided by the time of the kernels whose part of the sum is known. `per_ns` is one per
/// nanosecond in the printed unit.
Cell rate_cell(const KnownSum& sum, double per_ns, Why why = Why::kOfNone) {
  if (sum.known == 0) return absent(why);
  if (sum.time_ns <= 0) return absent(Why::kNoTime);
  return real(sum.sum / static_cast<double>(sum.time_ns) * per_ns);
}

/// Fraction of the time of the kernels for which the model has a time.
Cell part_cell(const KnownSum& model_ns) {
  if (model_ns.known == 0 || model_ns.time_ns <= 0) return absent();
  return real(100.0 * model_ns.sum / static_cast<double>(model_ns.time_ns));
}

// Absent if no time is known.
Cell total_ns(const WorkSums& sums) {
  return sums.durations.count() > 0 ? signed_number(sums.time_ns) : absent(Why::kNoTime);
}

Cell total_us(const WorkSums& sums) {
  return sums.durations.count() > 0 ? microseconds(sums.time_ns) : absent(Why::kNoTime);
}

Cell mean_of(const WorkSums& sums) {
  return sums.durations.count() > 0 ? mean_ns(sums.time_ns, sums.kernels + sums.copies) : absent();
}

// clang-format off
constexpr SumField kWorkSumFields[] = {
    {Column::integer("calls", "Calls", "", "op calls that the group's work belongs to; a backward pass belongs to its forward op's call").grouped().drop(5), [](const WorkSums& s, const WorkSums&) { return number(s.calls.count()); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped().drop(3), [](const WorkSums& s, const WorkSums&) { return number(s.kernels); }},
    {Column::real("time_us", "Time", "us", "total time on the GPU; overlapping kernels count in full", 0).grouped().wide(9), [](const WorkSums& s, const WorkSums&) { return total_us(s); }, Role::kAlias},
    {Column::time("time_ns", "Time", "total time").wide(9), [](const WorkSums& s, const WorkSums&) { return total_ns(s); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all kernels shown", 1).drop(1), [](const WorkSums& s, const WorkSums& all) { return percent(s.time_ns, all.time_ns); }},
    {Column::real("flops", "FLOPs", "", "floating-point operations; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.flops, 1); }},
    {Column::real("gflop", "GFLOP", "", "FLOPs in 1e9", 3).grouped().drop(8), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.flops, 1e9); }, Role::kAlias},
    {Column::real("bytes", "Bytes", "", "bytes the ops must move; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.bytes, 1); }},
    {Column::real("mb", "MB", "", "bytes in 1e6", 3).grouped().drop(9), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.bytes, 1e6); }, Role::kAlias},
    {Column::real("tflop_per_s", "TFLOP/s", "", "FLOPs over the time of the kernels with known FLOPs", 2).grouped().drop(4), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.flops, 1e-3); }},
    {Column::real("gb_per_s", "GB/s", "", "bytes over the time of the kernels with known bytes", 1).grouped().drop(6), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.bytes, 1); }},
    {Column::real("intensity", "FLOP/B", "", "FLOPs over bytes of the kernels with both known", 2).grouped(), [](const WorkSums& s, const WorkSums&) { return s.bytes_of_both > 0 ? real(s.flops_of_both / s.bytes_of_both) : absent(); }},
    {Column::real("peak_pct", "Peak", "%", "time for the arithmetic alone at the device's peak, at the clocks that ran, over the actual time", 1).drop(7), [](const WorkSums& s, const WorkSums&) { return part_cell(s.compute_ns); }},
    {Column::real("roofline_pct", "Roofline", "%", "time predicted by the roofline model, at the clocks that ran, over the actual time", 1).drop(2), [](const WorkSums& s, const WorkSums&) { return part_cell(s.model_ns); }},
    {Column::integer("flops_unknown", "FLOPs?", "", "kernels with unknown FLOPs").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.cost.flops.unknown); }},
    {Column::integer("bytes_unknown", "Bytes?", "", "kernels with unknown bytes").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.cost.bytes.unknown); }},
    {Column::real("bytes_read", "Read", "B", "bytes read; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.read, 1); }},
    {Column::real("bytes_written", "Written", "B", "bytes written; '≥': unknown for some kernels", 0).grouped(), [](const WorkSums& s, const WorkSums&) { return sum_cell(s.cost.written, 1); }},
    {Column::real("alg_gb_per_s", "AlgBW", "GB/s", "collectives: message sizes over kernel time (nccl-tests' algbw)", 1).grouped(), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.algorithm_bytes, 1, Why::kUnstated); }},
    {Column::real("bus_gb_per_s", "BusBW", "GB/s", "collectives: algorithm bandwidth times the share each link carries (nccl-tests' busbw)", 1).grouped(), [](const WorkSums& s, const WorkSums&) { return rate_cell(s.cost.bus_bytes, 1, Why::kUnstated); }},
    {Column::time("mean_ns", "Mean", "mean time per kernel", Column::Type::kReal), [](const WorkSums& s, const WorkSums&) { return mean_of(s); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets; see --kind").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.copies); }, Role::kOnRequest},
    {Column::integer("count", "Count", "", "kernels, copies and sets").grouped(), [](const WorkSums& s, const WorkSums&) { return number(s.kernels + s.copies); }, Role::kOnRequest},
    {Column::time("min_ns", "Min", "shortest time"), [](const WorkSums& s, const WorkSums&) { return s.durations.min_ns(); }, Role::kOnRequest},
    {Column::time("max_ns", "Max", "longest time"), [](const WorkSums& s, const WorkSums&) { return s.durations.max_ns(); }, Role::kOnRequest},
    {Column::time("median_ns", "Median", "median time", Column::Type::kReal), [](const WorkSums& s, const WorkSums&) { return s.durations.quantile_ns(0.5); }, Role::kOnRequest, true},
    {Column::time("stddev_ns", "StdDev", "standard deviation of the sample; 0 for one", Column::Type::kReal), [](const WorkSums& s, const WorkSums&) { return s.durations.stddev_ns(); }, Role::kOnRequest, true},
    {Column::time("p95_ns", "P95", "95th percentile of the times, interpolated linearly", Column::Type::kReal), [](const WorkSums& s, const WorkSums&) { return s.durations.quantile_ns(0.95); }, Role::kOnRequest, true},
};
// clang-format on

/// Everything that a spilled sum is made of, in one order.
template <typename SumsType, typename Visit>
void each_plain_sum(SumsType& sums, const Visit& visit) {
  visit(sums.kernels);
  visit(sums.copies);
  visit(sums.time_ns);
  visit(sums.cost);
  visit(sums.flops_of_both);
  visit(sums.bytes_of_both);
  visit(sums.compute_ns);
  visit(sums.model_ns);
}

}  // namespace

void KnownSum::add(const std::optional<double>& value, std::int64_t duration_ns) {
  if (!value) {
    ++unknown;
    return;
  }
  ++known;
  sum += *value;
  time_ns = sum_of_times(time_ns, duration_ns);
}

void KnownSum::merge(const KnownSum& other) {
  known += other.known;
  unknown += other.unknown;
  sum += other.sum;
  time_ns = sum_of_times(time_ns, other.time_ns);
}

void WorkSums::add(Row& row) {
  auto& work = static_cast<WorkRow&>(row);
  const std::int64_t duration_ns = work.row().duration_ns;
  const devices::RooflineTimes roofline = work.roofline();
  ++(work.is_kernel() ? kernels : copies);
  if (work.row().has_times()) durations.add(duration_ns);
  calls.add(work);
  time_ns = sum_of_times(time_ns, duration_ns);
  if (work.is_kernel()) {
    add(work.attribution().cost, duration_ns);
  } else {
    Quantities cost_of_copy = work.attribution().cost;
    cost_of_copy.bytes = static_cast<double>(work.row().bytes);
    add(cost_of_copy, duration_ns);
  }
  compute_ns.add(roofline.compute_ns, duration_ns);
  model_ns.add(roofline.model_ns(), duration_ns);
}

void WorkSums::add(const Quantities& cost_of_work, std::int64_t duration_ns) {
  for_each_quantity([&](const auto& one, KnownSum& sum) { sum.add(one, duration_ns); },
                    cost_of_work, cost);
  if (!cost_of_work.flops || !cost_of_work.bytes) return;
  flops_of_both += *cost_of_work.flops;
  bytes_of_both += *cost_of_work.bytes;
}

void WorkSums::merge(const Sums& others) {
  const auto& other = static_cast<const WorkSums&>(others);
  kernels += other.kernels;
  copies += other.copies;
  calls.merge(other.calls);
  time_ns = sum_of_times(time_ns, other.time_ns);
  for_each_quantity([](const KnownSum& one, KnownSum& sum) { sum.merge(one); }, other.cost, cost);
  flops_of_both += other.flops_of_both;
  bytes_of_both += other.bytes_of_both;
  compute_ns.merge(other.compute_ns);
  model_ns.merge(other.model_ns);
  durations.merge(other.durations);
}

std::unique_ptr<Sums> WorkSums::copy() const { return std::make_unique<WorkSums>(*this); }

void WorkSums::append(std::string& to) const {
  each_plain_sum(*this, [&to](const auto& sum) { append_plain(sum, to); });
  calls.append(to);
  durations.append(to);
}

void WorkSums::take(std::string_view& bytes) {
  each_plain_sum(*this, [&bytes]<typename Sum>(Sum& sum) { sum = take_plain<Sum>(bytes); });
  calls.take(bytes);
  durations.take(bytes);
}

constinit const SumKind kWorkSums = {
    .fields = kWorkSumFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<WorkSums>(); },
};

}  // namespace prof::reports
