// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/op_instances.hpp"

#include <algorithm>
#include <tuple>

namespace prof {
namespace {

/// Nested ops that each own a cost; ops further out are taken to be complete.
constexpr std::size_t kMaxOwners = 64;

}  // namespace

bool OpInstance::add(Rank rank, std::int64_t weight, const KernelFacts* kernel) {
  ++held_;
  if (complete_) return false;
  shares_[static_cast<std::size_t>(rank)].add(weight);
  if (gradients_ != nullptr) gradient_rows_.add(rank, weight, kernel, *gradients_);
  return true;
}

Rank OpInstance::payer() const {
  std::size_t rank = 0;
  while (rank + 1 < kRanks && shares_[rank].empty()) ++rank;
  return static_cast<Rank>(rank);
}

void OpInstance::settle() {
  is_settled_ = true;
  if (gradients_ == nullptr) return;
  parts_ = gradient_rows_.resolve(*gradients_, payer());
  for (std::size_t row = 0; row < parts_.size(); ++row) {
    part_shares_[static_cast<std::size_t>(parts_[row])].add(gradient_rows_.weight(row));
  }
}

Quantities OpInstance::rest() const {
  Quantities rest = static_cast<const Quantities&>(cost_);
  if (!counted_inside_ || !rest.flops || *rest.flops <= 0) return rest;
  *rest.flops -= counted_inside_->flops;
  if (*rest.flops <= 0) rest.flops.reset();
  // Mostly the sum of what it calls: what its own kernels move is not known.
  const bool is_composite = counted_inside_->flops > *cost_.flops / 2;
  if (is_composite) rest.bytes = rest.read = rest.written = std::nullopt;
  return rest;
}

CostShare OpInstance::take_share(Rank rank, std::int64_t weight, bool late) {
  if (!is_settled_) settle();
  CostShare result;
  result.cost = nothing_of(cost_);
  result.main = rank == payer();
  if (late) return result;
  const std::size_t row = taken_++;
  if (row < parts_.size()) {
    const Part part = parts_[row];
    result.main = part != Part::kNone;
    if (!result.main) return result;
    CostShares& shares = part_shares_[static_cast<std::size_t>(part)];
    result = shares.take(gradients_->at(part)->cost, weight);
    result.part = part;
    result.is_estimated = shares.is_shared();
    return result;
  }
  if (!result.main) return result;
  CostShares& shares = shares_[static_cast<std::size_t>(rank)];
  result = shares.take(rest(), weight);
  // Threads do not tell who did how much. The bytes of copies do.
  const bool is_by_threads = rank != Rank::kCopy && shares.is_shared();
  result.is_estimated = is_by_threads || counted_inside_.has_value() || gradients_ != nullptr;
  return result;
}

OpInstance* OpInstances::enter(ThreadId thread, const StackMeaning& meaning, StackWalker& stacks,
                               const OpCost& cost, CostSource source, bool prepares) {
  // Thread 0 means "none", but its key must not be 0.
  const std::uint64_t key = std::uint64_t{thread.value} + 1;
  Thread* state = threads_.find(key);
  if (state == nullptr) {
    if (meaning.owner_id == 0) return nullptr;
    state = threads_.insert(key, {});
  }
  auto& open = state->open;
  const auto with_cost = [&](OpInstance* instance) {
    const auto worth = [](const OpCost& known, CostSource from) {
      return std::tuple(from >= CostSource::kInner, known.bytes.has_value(), from);
    };
    if (worth(cost, source) > worth(instance->cost_, instance->cost_from_)) {
      instance->cost_ = cost;
      instance->cost_from_ = source;
    }
    return instance;
  };
  if (open.size() == 1 && open.front()->op_id_ == meaning.owner_id) return with_cost(open.front());

  if (!open.empty()) find_owners(meaning, stacks);
  const auto over = [&](OpInstance* instance) {
    if (std::ranges::find(owners_, instance->op_id_) != owners_.end()) return false;
    instance->complete_ = true;
    instance->open_ = false;
    if (instance->held_ == 0) recycle(instance);
    return true;
  };
  open.erase(std::remove_if(open.begin(), open.end(), over), open.end());
  if (meaning.owner_id == 0) return nullptr;
  for (OpInstance* instance : open) {
    if (instance->op_id_ == meaning.owner_id) return with_cost(instance);
  }
  OpInstance* made = make();
  made->op_id_ = meaning.owner_id;
  made->end_ns_ = meaning.owner_end_ns;
  made->cost_ = cost;
  made->cost_from_ = source;
  made->open_ = true;
  for (const auto& [caller, inside] : state->counted_inside) {
    if (caller == meaning.owner_id) made->counted_inside_ = inside;
  }
  open.push_back(made);
  if (meaning.subject_id != 0 && !prepares) count_inside(*state, meaning.subject_id, cost);
  if (meaning.caller_id != 0 && !prepares) count_inside(*state, meaning.caller_id, cost);
  return made;
}

void OpInstances::count_inside(Thread& state, std::uint64_t caller, const OpCost& cost) {
  const auto add_to = [&](PerQuantity<double>& sum) {
    for_each_quantity([](const auto& part, double& all) { all += part.value_or(0); }, cost, sum);
  };
  for (OpInstance* instance : state.open) {
    if (instance->op_id_ != caller) continue;
    if (!instance->counted_inside_) instance->counted_inside_.emplace();
    add_to(*instance->counted_inside_);
    return;
  }
  const auto same = [&](const auto& one) { return one.first == caller; };
  auto* found = std::ranges::find_if(state.counted_inside, same);
  if (found == state.counted_inside.end()) {
    found = &state.counted_inside[state.next_counted++ % state.counted_inside.size()];
    *found = {caller, {}};
  }
  add_to(found->second);
}

OpPlace OpInstances::place(ThreadId thread, const StackMeaning& meaning, OpInstance& instance,
                           bool is_kernel) {
  OpInstance::Place* counts = &instance.place_;
  if (meaning.nested) {
    Thread& state = *threads_.find(std::uint64_t{thread.value} + 1);
    const auto same = [&](const auto& one) { return one.first == meaning.op_id; };
    auto* found = std::ranges::find_if(state.recent, same);
    if (found == state.recent.end()) {
      found = &state.recent[state.next_recent++ % state.recent.size()];
      *found = {meaning.op_id, {}};
    }
    counts = &found->second;
  }
  const OpPlace result{counts->kernels, counts->rows == 0};
  ++counts->rows;
  if (is_kernel) ++counts->kernels;
  return result;
}

void OpInstances::find_owners(const StackMeaning& meaning, StackWalker& stacks) {
  owners_.clear();
  if (meaning.owner_id == 0) return;
  owners_.push_back(meaning.owner_id);
  for (RangeId around = meaning.around_owner; around != 0 && owners_.size() < kMaxOwners;) {
    const StackMeaning outer = stacks.meaning(around);
    if (outer.owner_id == 0) return;
    owners_.push_back(outer.owner_id);
    around = outer.around_owner;
  }
}

void OpInstances::release(OpInstance* instance) {
  if (--instance->held_ == 0 && !instance->open_) recycle(instance);
}

OpInstance* OpInstances::make() {
  if (free_.empty()) return &pool_.emplace_back();
  OpInstance* instance = free_.back();
  free_.pop_back();
  *instance = OpInstance{};
  return instance;
}

void OpInstances::recycle(OpInstance* instance) { free_.push_back(instance); }

}  // namespace prof
