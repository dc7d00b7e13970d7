// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work under ranges, see range_work.hpp.
#include "tools/report/rows/range_work.hpp"

#include "tools/report/rows/qualified_text.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {

Cell RangeWorkRow::start_ns() const {
  return work_->duration_ns > 0 ? signed_number(on_axis(trace_, work_->start_ns)) : absent();
}

Cell RangeWorkRow::time_ns() const {
  return work_->duration_ns > 0 ? signed_number(work_->duration_ns) : absent();
}

std::string RangeWorkRow::shown_text() const {
  std::string whole = range_->whole_text();
  return short_ranges_ ? name_of_range(whole).name : whole;
}

Cell RangeWorkRow::name() {
  if (range_ == nullptr) return absent();
  name_ = qualified_text(trace_.reader, range_->domain, shown_text());
  return text(name_);
}

Cell RangeWorkRow::range_kind() const {
  if (range_ == nullptr) return absent();
  return text(range_->kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop");
}

Cell RangeWorkRow::domain() const {
  return range_ != nullptr ? text(trace_.reader.domain_name(range_->domain)) : absent();
}

Cell RangeWorkRow::range_text() {
  if (range_ == nullptr) return absent();
  range_text_ = shown_text();
  return Cell{std::in_place_type<std::string_view>, range_text_};
}

Cell RangeWorkRow::kernel() {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  return text(kernels_.of(trace_.reader, work_->config).full);
}

Cell RangeWorkRow::short_kernel() {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  return text(kernels_.of(trace_.reader, work_->config).brief);
}

Cell RangeWorkRow::memory_operation() const {
  if (work_->kind == GpuRow::Kind::kKernel) return absent();
  return text(nvprof_name_of(*work_));
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
