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
  return sums.time_ns > 0 ? mean_us(sums.time_ns, sums.kernels) : absent();
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

void WorkSums::add(const WorkRow& work) {
  const std::int64_t duration_ns = work.row().duration_ns;
  const devices::RooflineTimes roofline = work.roofline();
  ++kernels;
  if (work.attribution().first_of_op) ++calls;
  time_ns = sum_of_times(time_ns, duration_ns);
  const Quantities& cost_of_work = work.attribution().cost;
  for_each_quantity([&](const auto& one, KnownSum& sum) { sum.add(one, duration_ns); },
                    cost_of_work, cost);
  if (cost_of_work.flops && cost_of_work.bytes) {
    flops_of_both += *cost_of_work.flops;
    bytes_of_both += *cost_of_work.bytes;
  }
  compute_ns.add(roofline.compute_ns, duration_ns);
  model_ns.add(roofline.model_ns(), duration_ns);
}

}  // namespace prof::reports
