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
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/attribution.hpp"
#include "analyzers/contradictions.hpp"
#include "analyzers/flat_map.hpp"
#include "analyzers/stacks/stack_walker.hpp"

namespace prof {

/// Which of an instance's rows carry its cost: those of the first rank present.
enum class Rank : std::uint8_t { kProduct, kMain, kHelper, kCopy };
inline constexpr std::size_t kRanks = 4;

/// A row's position in its reported op.
struct OpPlace {
  std::uint32_t sub = 0;  ///< Index of the kernel, from 0.
  bool first = false;     ///< It is the first row.
};

/// One row's share of its instance's cost.
struct CostShare {
  bool main = true;
  double share = 0;
  Quantities cost;
};

class OpInstance {
 public:
  [[nodiscard]] std::uint64_t op_id() const { return op_id_; }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }

  /// No more rows will share the cost; take_share() may be called.
  void set_complete() { complete_ = true; }

  /// Adds a row; rows that carry the cost share it in proportion to their weights. False: it is
  /// late, the cost is already being distributed.
  bool add(Rank rank, std::int64_t weight);

  /// What its kernels' names claim together.
  [[nodiscard]] InstanceClaims& claims() { return claims_; }

  /// The next row's share, in the order of add(). Only once complete.
  CostShare take_share(Rank rank, std::int64_t weight, bool late);

 private:
  friend class OpInstances;

  struct Place {
    std::uint32_t rows = 0;
    std::uint32_t kernels = 0;
  };
  struct Sum {
    std::uint64_t rows = 0;
    std::uint64_t weight = 0;
  };

  [[nodiscard]] Rank payer() const;

  std::uint64_t op_id_ = 0;
  std::int64_t end_ns_ = INT64_MAX;
  OpCost cost_;
  InstanceClaims claims_;
  Sum added_[kRanks];
  Sum taken_;
  double taken_share_ = 0;
  PerQuantity<double> taken_cost_;
  std::uint64_t held_ = 0;  // rows added and not yet given their share
  bool complete_ = false;
  bool open_ = false;  // on its thread's list
  Place place_;
};

class OpInstances {
 public:
  /// The work of `thread` now runs under `meaning`: completes instances no longer on its stack.
  /// Returns the instance that owns the work, or null if there is no op. `cost` is the op's; if
  /// several are passed, the first with known bytes counts.
  OpInstance* enter(ThreadId thread, const StackMeaning& meaning, StackWalker& stacks,
                    const OpCost& cost);

  /// The position of the row just added in its reported op, which may hold several instances.
  OpPlace place(ThreadId thread, const StackMeaning& meaning, OpInstance& instance, bool is_kernel);

  /// Call after a row's take_share(). Invalidates the instance if it was the last row.
  void release(OpInstance* instance);

 private:
  struct Thread {
    std::vector<OpInstance*> open;  // outermost first
    // The last ops that hold instances of their parts. Such an op is the outermost of its
    // framework, so other work of its thread comes between its rows only if ops are rerun inside a
    // backward node; id 0: none.
    std::array<std::pair<std::uint64_t, OpInstance::Place>, 4> recent;
    std::uint32_t next_recent = 0;
  };

  /// Fills owners_ with the cost owners on a stack.
  void find_owners(const StackMeaning& meaning, StackWalker& stacks);
  OpInstance* make();
  void recycle(OpInstance* instance);

  std::vector<std::uint64_t> owners_;  // of the current launch, innermost first
  FlatMap<Thread> threads_;
  std::deque<OpInstance> pool_;  // stable addresses
  std::vector<OpInstance*> free_;
};

}  // namespace prof
