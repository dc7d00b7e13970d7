// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbering, filtering and tallying, see selection.hpp.
#include "tools/report/selection.hpp"

#include "libprof/model/times.hpp"

namespace prof::reports {

const Work* Selection::next() {
  while (const AttributedRow* item = source_.next()) {
    ++work_.idx;
    work_.row = item->row;
    work_.attribution = item->attribution;
    const bool is_kernel = item->row->kind == GpuRow::Kind::kKernel;
    const std::optional<std::int64_t> step = item->attribution->step;
    ++(is_kernel ? tally_.kernels : tally_.copies);
    if (step) tally_.steps.add(*step);
    if (step_ && step != step_) continue;
    if (!is_kernel) {
      ++tally_.shown_copies;
      return &work_;
    }
    const OpAttribution& op = *item->attribution->op;
    ++tally_.shown_kernels;
    tally_.shown_kernel_ns = sum_of_times(tally_.shown_kernel_ns, item->row->duration_ns);
    if (step) ++tally_.shown_in_steps;
    if (op.op.empty()) ++tally_.shown_without_op;
    if (op.layer.empty() || !op.known_op || op.direction == Direction::kNone) {
      ++tally_.shown_unattributed;
    }
    return &work_;
  }
  return nullptr;
}

}  // namespace prof::reports
