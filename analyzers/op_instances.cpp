// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/op_instances.hpp"

#include <algorithm>
#include <cmath>

namespace prof {
namespace {

/// Nested ops that each own a cost; ops further out are taken to be complete.
constexpr std::size_t kMaxOwners = 64;

constexpr std::uint64_t nonnegative(std::int64_t weight) {
  return weight > 0 ? static_cast<std::uint64_t>(weight) : 0;
}

}  // namespace

bool OpInstance::add(Rank rank, std::int64_t weight) {
  ++held_;
  if (complete_) return false;
  Sum& sum = added_[static_cast<std::size_t>(rank)];
  ++sum.rows;
  sum.weight += nonnegative(weight);
  return true;
}

Rank OpInstance::payer() const {
  std::size_t rank = 0;
  while (rank + 1 < kRanks && added_[rank].rows == 0) ++rank;
  return static_cast<Rank>(rank);
}

CostShare OpInstance::take_share(Rank rank, std::int64_t weight, bool late) {
  CostShare result;
  result.main = rank == payer();
  for_each_quantity(
      [](const auto& cost, auto& mine) {
        if (cost) mine = 0;
      },
      cost_, result.cost);
  if (late || !result.main) return result;

  // The cost up to and including this row minus the cost before it, in whole numbers: the shares
  // add up exactly.
  const Sum& all = added_[static_cast<std::size_t>(rank)];
  ++taken_.rows;
  taken_.weight += nonnegative(weight);
  double part = 1;
  if (taken_.rows < all.rows) {
    part = all.weight > 0 ? static_cast<double>(taken_.weight) / static_cast<double>(all.weight)
                          : static_cast<double>(taken_.rows) / static_cast<double>(all.rows);
  }
  for_each_quantity(
      [&](const auto& cost, double& given, auto& mine) {
        if (!cost) return;
        const double up_to_here = taken_.rows == all.rows ? *cost : std::floor(part * *cost);
        mine = up_to_here - given;
        given = up_to_here;
      },
      cost_, taken_cost_, result.cost);
  if (result.cost.read && result.cost.written) {
    result.cost.bytes = *result.cost.read + *result.cost.written;
  }
  result.share = part - taken_share_;
  taken_share_ = part;
  return result;
}

OpInstance* OpInstances::enter(ThreadId thread, const StackMeaning& meaning, StackWalker& stacks,
                               const OpCost& cost) {
  // Thread 0 means "none", but its key must not be 0.
  const std::uint64_t key = std::uint64_t{thread.value} + 1;
  Thread* state = threads_.find(key);
  if (state == nullptr) {
    if (meaning.owner_id == 0) return nullptr;
    state = threads_.insert(key, {});
  }
  auto& open = state->open;
  // The bytes of a part of the op that launched earlier may have been unknown.
  const auto with_cost = [&](OpInstance* instance) {
    if (!instance->cost_.bytes && cost.bytes) instance->cost_ = cost;
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
  made->open_ = true;
  open.push_back(made);
  return made;
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
