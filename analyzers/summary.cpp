// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/summary.hpp"

#include "libprof/model/times.hpp"

namespace prof {
namespace {

constexpr std::size_t kMaxAttributions = 1U << 16;

void add_known(std::optional<double>& sum, std::uint64_t& without,
               const std::optional<double>& value) {
  if (value) {
    sum = sum.value_or(0) + *value;
  } else {
    ++without;
  }
}

void add_ns(std::int64_t& sum, std::int64_t ns) { sum = sum_of_times(sum, ns); }

}  // namespace

void Totals::add(const GpuRow& row, const Attribution& attribution) {
  if (row.kind == GpuRow::Kind::kKernel) {
    ++kernels;
    add_ns(kernel_ns, row.duration_ns);
    if (attribution.kernel && attribution.kernel->tensor_core == TensorCore::kYes) {
      add_ns(tensor_core_ns, row.duration_ns);
    }
  } else {
    ++copies;
    add_ns(copy_ns, row.duration_ns);
  }
  if (attribution.first_of_op) ++ops;
  add_known(flops, without_flops, attribution.flops);
  add_known(bytes, without_bytes, attribution.bytes);
  const OpCost& cost = attribution.op->cost;
  const bool is_estimated = cost.basis == Basis::kEstimated || cost.types_from_kernel;
  if (attribution.share > 0 && is_estimated) estimated = true;
}

SummaryRow& Summary::group(const std::shared_ptr<const OpAttribution>& op) {
  if (op.get() == last_) return *last_group_;
  if (by_attribution_.size() >= kMaxAttributions) by_attribution_.clear();
  auto& entry = by_attribution_[op.get()];
  if (!entry.first) {
    const std::string& name = by_ == By::kLayer ? op->layer : op->op;
    std::string key(1, static_cast<char>('0' + static_cast<int>(op->direction)));
    key += name;
    SummaryRow*& found = by_name_[key];
    if (found == nullptr) {
      found = &rows_.emplace_back();
      (by_ == By::kLayer ? found->layer : found->op) = name;
      found->direction = op->direction;
      found->known_op = by_ == By::kLayer || op->known_op;
    }
    entry = {op, found};
  }
  last_ = op.get();
  last_group_ = entry.second;
  return *last_group_;
}

void Summary::add(const GpuRow& row, const Attribution& attribution) {
  group(attribution.op).totals.add(row, attribution);
  totals_.add(row, attribution);
}

}  // namespace prof
