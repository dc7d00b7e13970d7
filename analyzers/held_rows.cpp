// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/held_rows.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace prof {
namespace {

// A product and the reduction after it, with copies or rows of other threads between them.
constexpr std::size_t kRowsBeforeReduction = 8;

CostSource source_of(WorkRole role, const OpsOnStack& op) {
  if (role == WorkRole::kCopy) return CostSource::kCopy;
  if (role == WorkRole::kHelper) return CostSource::kHelper;
  return op.inner == op.owner ? CostSource::kOwner : CostSource::kInner;
}

/// Call before the row's instance is released.
Contradictions contradictions_of(const HeldRow& held) {
  if (held.role == WorkRole::kCopy) return {};
  const OpAttribution& op = *held.attribution.op;
  const KernelFacts& kernel = *held.attribution.kernel;
  Contradictions found = contradictions(op, kernel, held.claims);
  if (!held.late) found |= held.instance->claims().contradictions(op, held.claims, kernel);
  return found;
}

}  // namespace

HeldRows::HeldRows(KernelCatalog& kernels, StackWalker& stacks, std::size_t max_rows)
    : kernels_(kernels), stacks_(stacks), max_rows_(std::max<std::size_t>(max_rows, 1)) {}

bool HeldRows::is_ready() const {
  if (empty()) return false;
  const OpInstance* const instance = rows_[head_].instance;
  return instance == nullptr || instance->complete();
}

void HeldRows::complete_ended(std::int64_t time_ns) {
  if (empty()) return;
  OpInstance* const oldest = first().instance;
  if (oldest != nullptr && oldest->end_ns() < time_ns) oldest->set_complete();
}

HeldRow& HeldRows::add(const GpuRow& row, const KernelEntry& kernel, const StackMeaning& meaning) {
  if (count_ == rows_.size()) grow();
  HeldRow& added = rows_[(head_ + count_++) & (rows_.size() - 1)];
  // In its place: to assign a new one costs twice as much, for each row of the trace, and so does
  // writing zeros first, as std::construct_at() does.
  std::destroy_at(&added);
  ::new (static_cast<void*>(&added)) HeldRow;
  added.gpu = row;
  added.unread = meaning.unread;
  added.claims = kernel.claims;
  added.blocks = kernel.blocks;
  added.weight =
      row.kind == GpuRow::Kind::kKernel ? kernel.threads : static_cast<std::int64_t>(row.bytes);
  Attribution& made = added.attribution;
  made.kernel = kernel.facts;
  const auto step = stacks_.steps().around(meaning.step, row.launch_time_ns());
  if (!step) return added;
  made.step = step->number;
  if (step->end_ns != INT64_MAX) made.step_end_ns = step->end_ns;
  made.step_is_found = step->is_found;
  return added;
}

void HeldRows::join(const StackMeaning& meaning, bool is_replayed) {
  HeldRow& held = newest(0);
  const ThreadId thread = held.gpu.thread;
  const OpsOnStack& op = meaning.attributed->facts.op;
  const CostSource source = source_of(held.role, op);
  const OpCost& cost = held.attribution.op->cost;
  held.instance = is_replayed
                      ? instances_.enter_replay(meaning, cost, source, op.prepares)
                      : instances_.enter(thread, meaning, stacks_, cost, source, op.prepares);
  if (held.instance == nullptr) return;
  if (held.attribution.op->gradients != nullptr)
    held.instance->set_gradients(held.attribution.op->gradients);
  learn_from_kernel(held);
  held.late = !held.instance->add(held.role, held.weight, held.attribution.kernel.get());
  if (held.role != WorkRole::kCopy && !held.late) {
    held.instance->claims().add(*held.attribution.kernel, held.claims, held.blocks);
  }
  const bool is_kernel = held.gpu.kind == GpuRow::Kind::kKernel;
  held.attribution.sub = is_replayed ? instances_.index_in_replay(meaning, is_kernel)
                                     : instances_.index(thread, meaning, *held.instance, is_kernel);
}

/// A product's layout says which of two gradients it computes. The reduction after a product proves
/// that it was split, and computes the same gradient.
void HeldRows::learn_from_kernel(HeldRow& held) {
  if (held.attribution.kernel == nullptr) return;
  const auto compute = [](HeldRow& row, Part part) {
    auto& op = row.attribution.op;
    if (op->either != nullptr && part != Part::kNone) op = op->either->at(part);
  };
  if (held.attribution.kernel->is_product)
    compute(held, gradient_of_linear(*held.attribution.kernel));
  if (!held.attribution.kernel->family.ends_with("/splitk_reduce")) return;
  const std::size_t rows = std::min(count_, kRowsBeforeReduction);
  for (std::size_t i = 1; i < rows; ++i) {
    HeldRow& before = newest(i);
    auto& kernel = before.attribution.kernel;
    if (before.instance != held.instance || kernel == nullptr || !kernel->is_product) continue;
    if (!kernel->split_k) kernel = kernels_.split(kernel);
    compute(held, before.attribution.op->part);
    return;
  }
}

void HeldRows::settle_first() {
  HeldRow& held = first();
  Attribution& to = held.attribution;
  if (held.instance == nullptr) {
    to.op_id = to.call_id = 0;
    to.main = held.role != WorkRole::kHelper;
    return;
  }
  const CostShare share = held.instance->take_share(held.role, held.weight, held.late);
  if (share.part != Part::kNone && to.op->gradients != nullptr) {
    to.op = to.op->gradients->at(share.part);
  }
  to.contradictions = contradictions_of(held);
  const Basis basis = to.op->cost.basis;
  to.basis = share.is_estimated && basis != Basis::kUpperBound ? Basis::kEstimated : basis;
  to.main = share.main;
  to.share = share.share;
  to.cost = share.cost;
  to.is_transformed = held.instance->claims().is_transformed();
  instances_.release(held.instance);
  held.instance = nullptr;
}

void HeldRows::remove_first() {
  head_ = (head_ + 1) & (rows_.size() - 1);
  --count_;
}

void HeldRows::grow() {
  std::vector<HeldRow> larger(rows_.size() * 2);
  for (std::size_t i = 0; i < count_; ++i) {
    larger[i] = std::move(rows_[(head_ + i) & (rows_.size() - 1)]);
  }
  rows_ = std::move(larger);
  head_ = 0;
}

}  // namespace prof
