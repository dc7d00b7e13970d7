// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers, filters and tallies rows, see selection.hpp.
#include "tools/report/rows/selection.hpp"

#include "libprof/model/times.hpp"

namespace prof::reports {

const Work* Selection::next() {
  while (const AttributedRow* item = source_.next()) {
    ++work_.idx;
    work_.row = item->row;
    work_.attribution = item->attribution;
    const bool is_kernel = item->row->kind == GpuRow::Kind::kKernel;
    const std::optional<std::int64_t> step = item->attribution->step;
    ++(is_kernel ? counts_.kernels : counts_.copies);
    if (step) steps_.add(*step);
    if (filter_ && !filter_(work_)) continue;
    if (!is_kernel) {
      ++counts_.shown_copies;
      return &work_;
    }
    ++counts_.shown_kernels;
    counts_.shown_kernel_ns = sum_of_times(counts_.shown_kernel_ns, item->row->duration_ns);
    if (step) ++counts_.shown_in_steps;
    if (item->attribution->op->op.empty()) ++counts_.shown_without_op;
    if (is_unattributed(*item->attribution)) ++counts_.shown_unattributed;
    return &work_;
  }
  return nullptr;
}

}  // namespace prof::reports
