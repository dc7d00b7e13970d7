// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work under ranges, see range_work.hpp.
#include "tools/report/rows/range_work.hpp"

#include "analyzers/kernels/kernel_name.hpp"

namespace prof::reports {

Cell RangeWorkRow::start_ns() const {
  return work_->duration_ns > 0 ? signed_number(on_axis(trace_, work_->start_ns)) : absent();
}

Cell RangeWorkRow::time_ns() const {
  return work_->duration_ns > 0 ? signed_number(work_->duration_ns) : absent();
}

Cell RangeWorkRow::name() {
  if (range_ == nullptr) return absent();
  name_.assign(trace_.reader.domain_name(range_->domain)).append(":").append(range_->whole_text());
  return text(name_);
}

Cell RangeWorkRow::range_kind() const {
  if (range_ == nullptr) return absent();
  return text(range_->kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop");
}

Cell RangeWorkRow::kernel() {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  const StringId id = trace_.reader.config(work_->config).name;
  const auto [known, is_new] = kernels_.try_emplace(id.value);
  if (is_new) known->second = kernels::demangle(trace_.reader.string(id));
  return text(known->second);
}

Cell RangeWorkRow::kernel_id() const {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  return number(trace_.reader.config(work_->config).name.value);
}

RangeWorkRow* RangeWorkOfTrace::next() {
  if (left_.empty()) {
    work_ = cursor_->next();
    if (work_ == nullptr) return nullptr;
    left_ = ranges_.of(*work_);
    if (left_.empty()) {
      row_.set(*work_, nullptr);
      return &row_;
    }
  }
  row_.set(*work_, left_.front().get());
  left_ = left_.subspan(1);
  return &row_;
}

}  // namespace prof::reports
