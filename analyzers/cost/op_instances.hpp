// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpInstances: which op instances are open on which thread, and how an instance's cost is shared
// among its rows (docs/conventions.md). A thread launches in order, and its ranges nest, so an
// instance is complete when its thread launches work whose stack lacks the instance's range; this
// holds regardless of other threads and streams. Memory: open instances, and completed ones while
// their rows are held. Owned by one cursor, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/checks/contradictions.hpp"
#include "analyzers/cost/cost_shares.hpp"
#include "analyzers/cost/gradient_shares.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/stacks/stack_walker.hpp"

namespace prof {

/// The work from which an op's cost is known: the element types that its text leaves out are those
/// of a kernel's name. The last says most: the main kernels that the op itself launches, rather
/// than an op inside it.
enum class CostSource : std::uint8_t { kCopy, kHelper, kInner, kOwner };

class OpInstance {
 public:
  [[nodiscard]] std::uint64_t op_id() const { return op_id_; }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }

  /// No more rows will share the cost; take_share() may be called.
  void set_complete() { complete_ = true; }

  /// Adds a row; rows that carry the cost share it in proportion to their weights. False: it is
  /// late, the cost is already being distributed. `kernel` is null for copies and sets.
  bool add(WorkRole role, std::int64_t weight, const KernelFacts* kernel = nullptr);

  /// The op computes these gradients; call before the first add(), later it has no effect.
  void set_gradients(const std::shared_ptr<const GradientAttributions>& gradients) {
    if (held_ == 0 && !complete_) gradients_ = std::make_unique<GradientShares>(gradients);
  }

  /// The joint claims of its kernels' names.
  [[nodiscard]] InstanceClaims& claims() { return claims_; }

  /// The next row's share, in the order of add(). Only once complete.
  CostShare take_share(WorkRole role, std::int64_t weight, bool late);

 private:
  friend class OpInstances;

  /// Takes that cost if it is known better than its own. Returns itself.
  OpInstance* with_cost(const OpCost& cost, CostSource source);
  [[nodiscard]] WorkRole payer() const;
  /// The part of its cost that remains after the ops called by this one.
  [[nodiscard]] Quantities rest() const;

  std::uint64_t op_id_ = 0;
  std::int64_t end_ns_ = INT64_MAX;
  OpCost cost_;
  CostSource cost_from_ = CostSource::kCopy;
  InstanceClaims claims_;
  std::array<RowSum, kWorkRoles> added_;
  CostShares shares_;                          // of the payer's rows
  std::optional<double> flops_inside_;         // counted by ops that this one calls
  std::unique_ptr<GradientShares> gradients_;  // null: it computes no gradients apart
  std::uint64_t held_ = 0;                     // rows added and not yet given their share
  bool complete_ = false;
  bool open_ = false;          // on its thread's list
  std::uint32_t kernels_ = 0;  // added so far
};

class OpInstances {
 public:
  /// The work of `thread` now runs under `meaning`: completes instances no longer on its stack.
  /// Returns the instance that owns the work, or null if there is no op. `cost` is the op's; of
  /// several, those of main kernels count, of these the ones with known bytes, of these the ones
  /// from the best source, of these the first. Copies never change it. `prepares`: it is no part of
  /// the cost of the op that calls it.
  OpInstance* enter(ThreadId thread, const StackMeaning& meaning, StackWalker& stacks,
                    const OpCost& cost, CostSource source = CostSource::kOwner,
                    bool prepares = false);

  /// The thread's work now runs under no op: completes its instances.
  void leave(ThreadId thread);

  /// Like enter(), but for the work of a graph's node in the current replay. The instances of a
  /// replay are complete when the next one begins: its branches run beside each other.
  OpInstance* enter_replay(const StackMeaning& meaning, const OpCost& cost, CostSource source,
                           bool prepares);
  /// Ids of the current replay count from `first_id`. Another replay has begun if that is another.
  void follow_replay(std::uint64_t first_id);

  /// The index, from 0, of the kernel just added in its reported op, which may hold several
  /// instances; of other work that of the next kernel.
  std::uint32_t index(ThreadId thread, const StackMeaning& meaning, OpInstance& instance,
                      bool is_kernel);
  std::uint32_t index_in_replay(const StackMeaning& meaning, bool is_kernel);

  /// Call after a row's take_share(). Invalidates the instance if it was the last row.
  void release(OpInstance* instance);

 private:
  struct Thread {
    std::vector<OpInstance*> open;  // outermost first
    // Kernels of the last ops that hold instances of their parts. Such an op is the outermost of
    // its framework, so other work of its thread comes between its rows only if ops are rerun
    // inside a backward node; id 0: none.
    std::array<std::pair<std::uint64_t, std::uint32_t>, 4> kernels;
    std::uint32_t next_kernels = 0;
    // FLOPs counted in ops that the last ones call, before these launch themselves.
    std::array<std::pair<std::uint64_t, double>, 4> flops_inside;
    std::uint32_t next_inside = 0;
  };

  /// The open instances in a replay, by the distance of their ids from the first one.
  struct Replay {
    std::uint64_t first_id = 0;
    std::vector<OpInstance*> instances;
    std::vector<std::uint32_t> kernels;  // of reported ops
  };

  /// The open instance of that owner, or null.
  OpInstance* find_open(Thread& state, std::uint64_t owner);
  /// A new instance of the op that owns the work.
  OpInstance* begin(Thread& state, const StackMeaning& meaning, const OpCost& cost,
                    CostSource source, bool prepares);
  void close(OpInstance& instance);
  /// Fills owners_ with the cost owners on a stack.
  void find_owners(const StackMeaning& meaning, StackWalker& stacks);
  /// Adds the FLOPs of an op to what is counted inside its caller.
  void count_inside(Thread& state, std::uint64_t caller, double flops);
  OpInstance* make();
  void recycle(OpInstance* instance);

  std::vector<std::uint64_t> owners_;  // of the current launch, innermost first
  StackMeaning outer_;                 // the stack of one of them
  FlatMap<Thread> threads_;
  Thread replay_state_;
  Replay replay_;
  std::deque<OpInstance> pool_;  // stable addresses
  std::vector<OpInstance*> free_;
};

}  // namespace prof
