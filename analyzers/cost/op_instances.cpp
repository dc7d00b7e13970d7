// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/op_instances.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <tuple>

namespace prof {
namespace {

/// Nested ops that each own a cost; ops further out are taken to be complete.
constexpr std::size_t kMaxOwners = 64;

}  // namespace

OpInstance* OpInstance::with_cost(const OpCost& cost, CostSource source) {
  const auto worth = [](const OpCost& known, CostSource from) {
    return std::tuple(from >= CostSource::kInner, known.bytes.has_value(), from);
  };
  if (worth(cost, source) > worth(cost_, cost_from_)) {
    cost_ = cost;
    cost_from_ = source;
  }
  return this;
}

bool OpInstance::add(WorkRole role, std::int64_t weight, const KernelFacts* kernel) {
  ++held_;
  if (complete_) return false;
  added_[static_cast<std::size_t>(role)].add(weight);
  if (gradients_ != nullptr) gradients_->add(role, weight, kernel);
  return true;
}

WorkRole OpInstance::payer() const {
  std::size_t role = 0;
  while (role + 1 < kWorkRoles && added_[role].rows == 0) ++role;
  return static_cast<WorkRole>(role);
}

Quantities OpInstance::rest() const {
  Quantities rest = static_cast<const Quantities&>(cost_);
  if (!flops_inside_ || !rest.flops || *rest.flops <= 0) return rest;
  *rest.flops -= *flops_inside_;
  if (*rest.flops <= 0) rest.flops.reset();
  // Mostly the sum of what it calls: what its own kernels move is not known.
  const bool is_composite = *flops_inside_ > *cost_.flops / 2;
  if (is_composite) rest.bytes = rest.read = rest.written = std::nullopt;
  return rest;
}

CostShare OpInstance::take_share(WorkRole role, std::int64_t weight, bool late) {
  const WorkRole paying = payer();
  if (gradients_ != nullptr && !gradients_->is_settled()) gradients_->settle(paying);
  if (!late && gradients_ != nullptr && gradients_->is_known()) {
    CostShare share = gradients_->take(weight);
    if (!share.main) share.cost = none_beside(cost_);
    return share;
  }
  if (late) return {.main = role == paying, .cost = nothing_of(cost_)};
  if (role != paying) return {.main = false, .cost = none_beside(cost_)};
  const RowSum& all = added_[static_cast<std::size_t>(role)];
  CostShare share = shares_.take(rest(), all, weight);
  // Threads do not show who did how much. The bytes of copies do.
  const bool is_by_threads = role != WorkRole::kCopy && all.rows > 1;
  share.is_estimated = is_by_threads || flops_inside_.has_value() || gradients_ != nullptr;
  return share;
}

void OpInstances::close(OpInstance& instance) {
  instance.complete_ = true;
  instance.open_ = false;
  if (instance.held_ == 0) recycle(&instance);
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
  if (open.size() == 1 && open.front()->op_id_ == meaning.owner_id) {
    return open.front()->with_cost(cost, source);
  }

  if (!open.empty()) find_owners(meaning, stacks);
  const auto over = [&](OpInstance* instance) {
    if (std::ranges::find(owners_, instance->op_id_) != owners_.end()) return false;
    close(*instance);
    return true;
  };
  open.erase(std::remove_if(open.begin(), open.end(), over), open.end());
  if (meaning.owner_id == 0) return nullptr;
  if (OpInstance* const instance = find_open(*state, meaning.owner_id)) {
    return instance->with_cost(cost, source);
  }
  return begin(*state, meaning, cost, source, prepares);
}

void OpInstances::leave(ThreadId thread) {
  Thread* const state = threads_.find(std::uint64_t{thread.value} + 1);
  if (state == nullptr) return;
  for (OpInstance* const instance : state->open) close(*instance);
  state->open.clear();
}

OpInstance* OpInstances::find_open(Thread& state, std::uint64_t owner) {
  if (&state == &replay_state_) {
    const std::uint64_t at = owner - replay_.first_id;
    return at < replay_.instances.size() ? replay_.instances[static_cast<std::size_t>(at)]
                                         : nullptr;
  }
  const auto same = [owner](const OpInstance* one) { return one->op_id() == owner; };
  const auto found = std::ranges::find_if(state.open, same);
  return found != state.open.end() ? *found : nullptr;
}

OpInstance* OpInstances::begin(Thread& state, const StackMeaning& meaning, const OpCost& cost,
                               CostSource source, bool prepares) {
  OpInstance* made = make();
  made->op_id_ = meaning.owner_id;
  made->end_ns_ = meaning.owner_end_ns;
  made->cost_ = cost;
  made->cost_from_ = source;
  made->open_ = true;
  for (const auto& [caller, flops] : state.flops_inside) {
    if (caller == meaning.owner_id) made->flops_inside_ = flops;
  }
  state.open.push_back(made);
  if (prepares) return made;
  const double flops = cost.flops.value_or(0);
  if (meaning.subject_id != 0) count_inside(state, meaning.subject_id, flops);
  if (meaning.caller_id != 0) count_inside(state, meaning.caller_id, flops);
  return made;
}

void OpInstances::follow_replay(std::uint64_t first_id) {
  if (first_id == replay_.first_id) return;
  for (OpInstance* instance : replay_state_.open) close(*instance);
  replay_state_.open.clear();
  replay_.first_id = first_id;
  replay_.instances.clear();
  replay_.kernels.clear();
}

OpInstance* OpInstances::enter_replay(const StackMeaning& meaning, const OpCost& cost,
                                      CostSource source, bool prepares) {
  if (meaning.owner_id == 0) return nullptr;
  if (OpInstance* const known = find_open(replay_state_, meaning.owner_id)) {
    return known->with_cost(cost, source);
  }
  const auto at = static_cast<std::size_t>(meaning.owner_id - replay_.first_id);
  if (at >= replay_.instances.size()) replay_.instances.resize(at + 1);
  return replay_.instances[at] = begin(replay_state_, meaning, cost, source, prepares);
}

std::uint32_t OpInstances::index_in_replay(const StackMeaning& meaning, bool is_kernel) {
  const auto at = static_cast<std::size_t>(meaning.op_id - replay_.first_id);
  if (at >= replay_.kernels.size()) replay_.kernels.resize(at + 1);
  const std::uint32_t result = replay_.kernels[at];
  if (is_kernel) ++replay_.kernels[at];
  return result;
}

void OpInstances::count_inside(Thread& state, std::uint64_t caller, double flops) {
  if (OpInstance* const instance = find_open(state, caller)) {
    instance->flops_inside_ = instance->flops_inside_.value_or(0) + flops;
    return;
  }
  const auto same = [&](const auto& one) { return one.first == caller; };
  auto* found = std::ranges::find_if(state.flops_inside, same);
  if (found == state.flops_inside.end()) {
    found = &state.flops_inside[state.next_inside++ % state.flops_inside.size()];
    *found = {caller, 0};
  }
  found->second += flops;
}

std::uint32_t OpInstances::index(ThreadId thread, const StackMeaning& meaning, OpInstance& instance,
                                 bool is_kernel) {
  std::uint32_t* kernels = &instance.kernels_;
  if (meaning.nested) {
    Thread& state = *threads_.find(std::uint64_t{thread.value} + 1);
    const auto same = [&](const auto& one) { return one.first == meaning.op_id; };
    auto* found = std::ranges::find_if(state.kernels, same);
    if (found == state.kernels.end()) {
      found = &state.kernels[state.next_kernels++ % state.kernels.size()];
      *found = {meaning.op_id, 0};
    }
    kernels = &found->second;
  }
  const std::uint32_t result = *kernels;
  if (is_kernel) ++*kernels;
  return result;
}

void OpInstances::find_owners(const StackMeaning& meaning, StackWalker& stacks) {
  owners_.clear();
  if (meaning.owner_id == 0) return;
  owners_.push_back(meaning.owner_id);
  for (RangeId around = meaning.around_owner; around != 0 && owners_.size() < kMaxOwners;) {
    const StackMeaning& outer = stacks.meaning(around, outer_);
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
  // In its place and without writing zeros first, which takes longer than all that follows.
  std::destroy_at(instance);
  return ::new (static_cast<void*>(instance)) OpInstance;
}

void OpInstances::recycle(OpInstance* instance) { free_.push_back(instance); }

}  // namespace prof
