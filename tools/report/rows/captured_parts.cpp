// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/captured_parts.hpp"

#include <algorithm>

namespace prof::reports {

void CapturedPart::add(const GpuRow& work) {
  ++(work.kind == GpuRow::Kind::kKernel ? kernels : copies);
  gpu_ns = sum_of_times(gpu_ns, work.duration_ns);
}

void CapturedPartsOfTrace::count() {
  is_counted_ = true;
  const Captures& captures = trace_.reader.captures();
  for (const CaptureRow& row : captures.rows()) parts_.emplace_back(trace_).row = row;
  if (captures.empty()) {
    CapturedPart& only = parts_.emplace_back(trace_);
    only.row.number = captures.last_number();
    only.has_times = false;
  }
  const auto work = trace_.reader.gpu_work(TraceReader::Work::kKernelsAndCopies);
  while (const GpuRow* row = work->next()) {
    const auto number = captures.empty() ? captures.last_number() : capture_of(*row, captures);
    const auto part = std::ranges::find(parts_, number, &CapturedPart::capture);
    if (part != parts_.end()) part->add(*row);
  }
  status_ = work->status();
}

CapturedPart* CapturedPartsOfTrace::next() {
  if (!is_counted_) count();
  return status_ && at_ < parts_.size() ? &parts_[at_++] : nullptr;
}

}  // namespace prof::reports
