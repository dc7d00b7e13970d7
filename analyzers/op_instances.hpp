// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpInstances: which op instances are open on which thread, and how an instance's cost is shared
// among its rows (docs/conventions.md). A thread launches in order, and ranges of a thread nest, so
// an instance is complete when its thread launches work whose stack does not hold the instance's
// range; this is exact whatever other threads and streams do. Memory: open instances, and completed
// ones as long as rows of theirs are held. Owned by one cursor, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/attribution.hpp"
#include "analyzers/context.hpp"
#include "analyzers/contradictions.hpp"
#include "analyzers/flat_map.hpp"

namespace prof {

/// Who pays of an instance's rows: the first of these that it has.
enum class Rank : std::uint8_t { kProduct, kMain, kHelper, kCopy };
inline constexpr std::size_t kRanks = 4;

/// Where a row stands in its op as reported.
struct OpPlace {
  std::uint32_t sub = 0;  ///< The how manieth kernel, from 0.
  bool first = false;     ///< The first row.
};

/// What one row gets of its instance's cost.
struct CostShare {
  bool main = true;
  double share = 0;
  std::optional<double> flops;
  std::optional<double> bytes, read, written;
  std::optional<double> algorithm_bytes, bus_bytes;
};

class OpInstance {
 public:
  [[nodiscard]] std::uint64_t op_id() const { return op_id_; }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }

  /// No more rows will share the cost; give() may begin.
  void set_complete() { complete_ = true; }

  /// A row of the instance; rows that pay share the cost in proportion to their weights. False: it
  /// comes late, the cost is already being given out.
  bool add(Rank rank, std::int64_t weight);

  /// What its kernels' names say together.
  [[nodiscard]] InstanceClaims& claims() { return claims_; }

  /// The next row's share, in the order of add(). Only when complete.
  CostShare give(Rank rank, std::int64_t weight, bool late);

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
  Sum given_;
  double given_share_ = 0;
  double given_flops_ = 0;
  double given_bytes_ = 0;
  double given_read_ = 0;
  double given_written_ = 0;
  std::uint64_t held_ = 0;  // rows added and not yet given
  bool complete_ = false;
  bool open_ = false;  // on its thread's list
  Place place_;
};

class OpInstances {
 public:
  /// The work of `thread` now runs under `meaning`: completes what is no longer on its stack.
  /// Returns the instance that owns the work, or null if there is no op. `cost` is that of the op;
  /// of several the first whose bytes are known.
  OpInstance* enter(ThreadId thread, const StackMeaning& meaning, ContextCache& contexts,
                    const OpCost& cost);

  /// Where the row just added stands in its op as reported, which may hold several instances.
  OpPlace place(ThreadId thread, const StackMeaning& meaning, OpInstance& instance, bool is_kernel);

  /// After the last give() of a row. The instance may be gone then.
  void release(OpInstance* instance);

 private:
  struct Thread {
    std::vector<OpInstance*> open;  // outermost first
    // Of the last ops that hold instances of their parts. Such an op is the outermost of its
    // framework, so other work of its thread comes between its rows only where ops run again
    // inside a backward node; id 0: none.
    std::array<std::pair<std::uint64_t, OpInstance::Place>, 4> recent;
    std::uint32_t next_recent = 0;
  };

  /// Fills owners_ with the owners of costs on a stack.
  void find_owners(const StackMeaning& meaning, ContextCache& contexts);
  OpInstance* make();
  void recycle(OpInstance* instance);

  std::vector<std::uint64_t> owners_;  // of the launch that is entered, innermost first
  FlatMap<Thread> threads_;
  std::deque<OpInstance> pool_;  // addresses stay
  std::vector<OpInstance*> free_;
};

}  // namespace prof
