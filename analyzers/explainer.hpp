// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Explainer: makes the Explanation of one row while the attributor (attributor.hpp) attributes all
// of them. The row is attributed as always; then its stack is walked again, and the explainer hears
// each range. One thread; for one run over the traces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/compiled/compiled_work.hpp"
#include "analyzers/explanation.hpp"
#include "analyzers/graphs/replay_tracker.hpp"
#include "analyzers/held_rows.hpp"
#include "analyzers/stacks/stack_observer.hpp"
#include "analyzers/stacks/stack_walker.hpp"

namespace prof {

class Explainer final : private StackObserver {
 public:
  /// Explains that row, counted from 1 over the rows of all traces that are attributed one after
  /// the other.
  explicit Explainer(std::uint64_t row) : row_(row) {}

  /// Null: there was no such row.
  [[nodiscard]] const Explanation* explanation() const { return is_done_ ? &made_ : nullptr; }

  // --- For the attributor, in this order.
  void begin_trace(TraceReader& reader) { reader_ = &reader; }
  /// The next row is taken. True: it is the one, and take() follows.
  bool takes_next(const CompiledCounts& before);
  /// The meanings of the row's work: by its launch, by its graph's node (or null), by the call in
  /// compiled code (or null), and the resulting context.
  struct Meanings {
    const StackMeaning& launch;
    const StackMeaning* replayed = nullptr;
    const StackMeaning* site = nullptr;
    const Context& context;
  };
  void take(const GpuRow& row, const Meanings& meant, StackWalker& stacks,
            const ReplayTracker& replays, const CompiledWork& compiled);
  /// The next row is attributed. True: it is the one, and the counts of it alone are to follow.
  bool finishes(const HeldRow& held, std::uint64_t owner);
  void finish(const AttributionCounts& counts);

 private:
  void entered(const RangeRow& range, const StackMeaning& around) override;
  void read(const RangeRow& row, const ParsedText& text) override;
  void followed(Effect effect, RangeId range) override;
  void linked(const ForwardIndex::Found& found, std::optional<std::uint64_t> sequence) override;
  void left(const StackMeaning& now) override;
  void added(Effect effect, const Facts& before, const Facts& after) override;

  [[nodiscard]] std::string text_of(const RangeRow& row) const;
  void count_cost(const HeldRow& held, std::uint64_t owner_id);
  void add_sharing(const HeldRow& held);

  const std::uint64_t row_;
  std::uint64_t taken_ = 0, finished_ = 0;
  TraceReader* reader_ = nullptr;
  const TraceReader* of_row_ = nullptr;  // null: it was not taken yet
  std::uint64_t owner_ = 0;              // of its cost
  Facts facts_;                          // that it is attributed to
  struct Open {
    std::size_t range;
    StackMeaning around;
  };
  std::vector<Open> open_;
  CompiledCounts compiled_;
  Explanation made_;
  bool is_done_ = false;
};

}  // namespace prof
