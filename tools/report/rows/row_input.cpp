// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tallies, see row_input.hpp.
#include "tools/report/rows/row_input.hpp"

#include <algorithm>

namespace prof::reports {

WorkCounts& WorkCounts::operator+=(const WorkCounts& other) {
  kernels += other.kernels;
  copies += other.copies;
  shown_kernels += other.shown_kernels;
  shown_copies += other.shown_copies;
  shown_unattributed += other.shown_unattributed;
  shown_without_op += other.shown_without_op;
  shown_in_steps += other.shown_in_steps;
  shown_kernel_ns = sum_of_times(shown_kernel_ns, other.shown_kernel_ns);
  return *this;
}

WorkCounts Tally::work() const {
  WorkCounts all;
  for (const OfTrace& trace : traces) all += trace.work;
  return all;
}

void Tally::remark_once(std::string_view line) {
  if (std::ranges::find(remarks, line) == remarks.end()) remarks.emplace_back(line);
}

}  // namespace prof::reports
