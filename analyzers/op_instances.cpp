// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/op_instances.hpp"

#include <algorithm>
#include <cmath>

namespace prof {
namespace {

/// Ops inside one another that own a cost each; further out, an op is taken to be over.
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

CostShare OpInstance::give(Rank rank, std::int64_t weight, bool late) {
  CostShare result;
  result.main = rank == payer();
  if (cost_.flops) result.flops = 0;
  if (cost_.bytes) result.bytes = 0;
  if (cost_.read) result.read = 0;
  if (cost_.written) result.written = 0;
  if (cost_.algorithm_bytes) result.algorithm_bytes = 0;
  if (cost_.bus_bytes) result.bus_bytes = 0;
  if (late || !result.main) return result;

  // The cost up to and with this row less the cost before it, in whole numbers: adds up to the
  // cost.
  const Sum& all = added_[static_cast<std::size_t>(rank)];
  ++given_.rows;
  given_.weight += nonnegative(weight);
  double part = 1;
  if (given_.rows < all.rows) {
    part = all.weight > 0 ? static_cast<double>(given_.weight) / static_cast<double>(all.weight)
                          : static_cast<double>(given_.rows) / static_cast<double>(all.rows);
  }
  const auto next = [&](double cost, double& given) {
    const double up_to_here = given_.rows == all.rows ? cost : std::floor(part * cost);
    const double mine = up_to_here - given;
    given = up_to_here;
    return mine;
  };
  if (cost_.flops) result.flops = next(*cost_.flops, given_flops_);
  if (cost_.read) result.read = next(*cost_.read, given_read_);
  if (cost_.written) result.written = next(*cost_.written, given_written_);
  if (cost_.read && cost_.written) {
    result.bytes = *result.read + *result.written;
  } else if (cost_.bytes) {
    result.bytes = next(*cost_.bytes, given_bytes_);
  }
  result.share = part - given_share_;
  if (cost_.algorithm_bytes) result.algorithm_bytes = result.share * *cost_.algorithm_bytes;
  if (cost_.bus_bytes) result.bus_bytes = result.share * *cost_.bus_bytes;
  given_share_ = part;
  return result;
}

OpInstance* OpInstances::enter(ThreadId thread, const StackMeaning& meaning, ContextCache& contexts,
                               const OpCost& cost) {
  // Thread 0 is "none": its key must not be 0 either.
  const std::uint64_t key = std::uint64_t{thread.value} + 1;
  Thread* state = threads_.find(key);
  if (state == nullptr) {
    if (meaning.owner_id == 0) return nullptr;
    state = threads_.insert(key, {});
  }
  auto& open = state->open;
  // A part of the op that launched before may not have told its bytes.
  const auto with_cost = [&](OpInstance* instance) {
    if (!instance->cost_.bytes && cost.bytes) instance->cost_ = cost;
    return instance;
  };
  if (open.size() == 1 && open.front()->op_id_ == meaning.owner_id) return with_cost(open.front());

  if (!open.empty()) find_owners(meaning, contexts);
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

void OpInstances::find_owners(const StackMeaning& meaning, ContextCache& contexts) {
  owners_.clear();
  if (meaning.owner_id == 0) return;
  owners_.push_back(meaning.owner_id);
  for (RangeId around = meaning.around_owner; around != 0 && owners_.size() < kMaxOwners;) {
    const StackMeaning outer = contexts.meaning(around);
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
