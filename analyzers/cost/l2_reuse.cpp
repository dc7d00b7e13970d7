// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/l2_reuse.hpp"

#include <algorithm>

namespace prof {
namespace {

/// Sizes of a program are few; those of one whose shapes always change are forgotten.
constexpr std::size_t kMaxSizes = 1U << 16;

}  // namespace

std::uint64_t L2Reuse::key(double bytes, std::uint32_t stream) const {
  return static_cast<std::uint64_t>(bytes) << 20U | (stream & 0xfffffU);
}

double* L2Reuse::find(double bytes, std::uint32_t stream) {
  Written* const found = written_.find(key(bytes, stream));
  if (found == nullptr) return nullptr;
  double* latest = nullptr;
  for (std::size_t i = 0; i < found->count; ++i) {
    double& moved = found->moved[i];
    if (moved > moved_ || bytes + moved_ - moved > size_) continue;
    if (latest == nullptr || moved > *latest) latest = &moved;
  }
  return latest;
}

void L2Reuse::remember(double bytes, std::uint32_t stream, double moved, bool is_same_op) {
  const std::uint64_t at = key(bytes, stream);
  Written* known = written_.find(at);
  if (known == nullptr) {
    if (written_.size() >= kMaxSizes) written_.clear();
    known = written_.insert(at, {});
  }
  // Several kernels of an op write parts of one operand.
  if (is_same_op && known->count > 0) {
    *std::max_element(known->moved.begin(), known->moved.begin() + known->count) = moved;
  } else if (known->count < Written::kKept) {
    known->moved[known->count++] = moved;
  } else {
    *std::ranges::min_element(known->moved) = moved;
  }
}

double L2Reuse::take(const Attribution& kernel, std::uint32_t stream, std::int64_t duration_ns) {
  if (size_ <= 0) return 0;
  const double bytes = kernel.cost.bytes.value_or(0);
  if (!kernel.main || bytes <= 0) {
    // Not more than the memory moves in its time.
    moved_ +=
        static_cast<double>(std::max<std::int64_t>(duration_ns, 0)) * memory_bytes_per_s_ / 1e9;
    return 0;
  }
  const OpAttribution& op = *kernel.op;
  double distinct = 0;
  for (const Operand& operand : op.operands) distinct += operand.bytes;
  distinct = op.operands.empty() ? bytes : std::min(distinct * kernel.share, bytes);
  const double after = moved_ + distinct;
  const bool is_same_op = kernel.op_id != 0 && kernel.op_id == last_op_;
  double served = 0;
  for (const Operand& operand : op.operands) {
    if (operand.bytes > size_) continue;
    double* const moved = operand.is_read ? find(operand.bytes, stream) : nullptr;
    if (moved != nullptr) {
      *moved = after;
      served += operand.is_written ? 2 * operand.bytes : operand.bytes;
    } else if (operand.is_written) {
      remember(operand.bytes, stream, after, is_same_op);
    }
  }
  moved_ = after;
  last_op_ = kernel.op_id;
  return std::min(served * kernel.share, bytes);
}

}  // namespace prof
