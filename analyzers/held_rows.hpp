// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HeldRows: the rows that the attributor (attributor.hpp) has taken and not returned yet, with the
// op instances that they belong to: a row waits until all rows that share its op's cost are known.
// First in, first out. Owned by one cursor, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzers/attributed_work.hpp"
#include "analyzers/cost/op_instances.hpp"
#include "analyzers/kernel_catalog.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/stacks/stack_meaning.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "analyzers/steps/repeated_steps.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// A row whose cost is known once it is settled, and what that takes.
struct HeldRow : AttributedRow {
  OpInstance* instance = nullptr;
  std::int64_t weight = 0;  ///< In its instance's cost.
  std::int64_t blocks = 0;  ///< Blocks of the launch.
  KernelClaims claims;
  WorkRole role = WorkRole::kMain;
  bool late = false;                 ///< Its instance's cost was distributed before it came.
  DomainId unread = kDefaultDomain;  ///< StackMeaning::unread
  RepeatedSteps::Position position;
};

class HeldRows {
 public:
  /// At most that many rows wait. `kernels` and `stacks` must outlive it.
  HeldRows(KernelCatalog& kernels, StackWalker& stacks, std::size_t max_rows);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool is_full() const { return count_ >= max_rows_; }
  /// There is a first row, and what it shares with others is known.
  [[nodiscard]] bool is_ready() const;
  /// No more rows will share the cost of the first row's op.
  void complete_first() { first().instance->set_complete(); }
  /// An op that ended before that time is complete, even if its thread never launches again.
  void complete_ended(std::int64_t time_ns);

  /// A new row, the last one, with what does not depend on its op. Valid until the next one.
  HeldRow& add(const GpuRow& row, const KernelEntry& kernel, const StackMeaning& meaning);
  /// The last row is work of an op, which it joins; in a replay or on its thread.
  void join(const StackMeaning& meaning, bool is_replayed);
  /// The last row's work runs under no op.
  void leave(ThreadId thread) { instances_.leave(thread); }
  /// Ids of the current replay count from that one; instances of another one are complete.
  void follow_replay(std::uint64_t first_id) { instances_.follow_replay(first_id); }

  HeldRow& first() { return rows_[head_]; }
  /// Gives the first row its share of its op's cost.
  void settle_first();
  void remove_first();

 private:
  /// The `index`th row from the back.
  HeldRow& newest(std::size_t index) {
    return rows_[(head_ + count_ - 1 - index) & (rows_.size() - 1)];
  }
  void learn_from_kernel(HeldRow& held);
  void grow();

  KernelCatalog& kernels_;
  StackWalker& stacks_;
  const std::size_t max_rows_;
  OpInstances instances_;
  std::vector<HeldRow> rows_ = std::vector<HeldRow>(64);  // a ring, a power of two
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace prof
