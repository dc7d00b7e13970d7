// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over kernels, see work_sums.hpp.
#include "tools/report/rows/work_sums.hpp"

#include "libprof/model/times.hpp"
#include "tools/report/rows/gpu_work.hpp"

namespace prof::reports {

Cell sum_cell(const KnownSum& sum, double unit) {
  if (sum.known == 0) return absent();
  if (sum.unknown > 0) return Cell{AtLeast{sum.sum / unit}};
  return real(sum.sum / unit);
}

Cell rate_cell(const KnownSum& sum, double per_ns) {
  if (sum.known == 0 || sum.time_ns <= 0) return absent();
  return real(sum.sum / static_cast<double>(sum.time_ns) * per_ns);
}

Cell part_cell(const KnownSum& model_ns) {
  if (model_ns.known == 0 || model_ns.time_ns <= 0) return absent();
  return real(100.0 * model_ns.sum / static_cast<double>(model_ns.time_ns));
}

Cell total_ns(const WorkSums& sums) {
  return sums.time_ns > 0 ? signed_number(sums.time_ns) : absent();
}

Cell total_us(const WorkSums& sums) {
  return sums.time_ns > 0 ? microseconds(sums.time_ns) : absent();
}

Cell mean_us(const WorkSums& sums) {
  return sums.time_ns > 0 ? mean_us(sums.time_ns, sums.kernels + sums.copies) : absent();
}

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

void WorkSums::add(const WorkRow& work) {
  const std::int64_t duration_ns = work.row().duration_ns;
  const devices::RooflineTimes roofline = work.roofline();
  ++(work.is_kernel() ? kernels : copies);
  if (duration_ns > 0) durations.add(duration_ns);  // 0: unknown
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

void WorkSums::merge(const WorkSums& other) {
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

}  // namespace prof::reports
