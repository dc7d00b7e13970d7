// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepRanges: the ranges of a trace that are steps, of all threads and of the process. A step holds
// for what is launched inside of it on its thread's stack and, while it is open, for launches of
// all threads that have no step of their own. Which ranges are steps is decided once: those that
// the user names; or those that state a step; or, where none does, an engine's iterations; or calls
// of models; or, without any range, what the program's launches repeat. Around a step may be a
// range that says that the program has neither modules nor ops marked in it. About 100 bytes per
// step. Immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// A step around work.
struct OpenStep {
  std::int64_t number = 0;  ///< As its range states it, or else how many steps began before it.
  std::int64_t end_ns = INT64_MAX;  ///< End of its range, on the host; INT64_MAX: it never ended.
  bool is_found = false;            ///< No range: an estimate from what was launched.
};

class StepRanges {
 public:
  /// Reads all steps. Without steps on threads' stacks, only the process's ranges are read.
  StepRanges(TraceReader& reader, const dialects::Registry& dialects, const RangeOptions& options);

  /// The step open at that time; if several, the one that began last.
  [[nodiscard]] std::optional<OpenStep> open_at(std::int64_t time_ns) const;
  /// The step around what is under a stack whose innermost step is `on_stack`. If that has none,
  /// the one open at that time, on whatever thread.
  [[nodiscard]] std::optional<OpenStep> around(const std::optional<OpenStep>& on_stack,
                                               const std::optional<std::int64_t>& time_ns) const {
    return on_stack || !time_ns ? on_stack : open_at(*time_ns);
  }
  /// Its number.
  [[nodiscard]] std::optional<std::int64_t> number_around(
      const std::optional<OpenStep>& on_stack, const std::optional<std::int64_t>& time_ns) const {
    const auto step = around(on_stack, time_ns);
    return step ? std::optional(step->number) : std::nullopt;
  }
  /// Begin of the first step whose number is wanted; INT64_MAX: there is none.
  template <typename Wants>
  [[nodiscard]] std::int64_t begin_of_first(const Wants& wants) const {
    const auto found = std::ranges::find_if(steps_, wants, &Step::number);
    return found == steps_.end() ? INT64_MAX : found->start_ns;
  }
  /// Its index: steps are numbered from 0, in the order of their begin.
  [[nodiscard]] std::optional<std::uint32_t> index_at(std::int64_t time_ns) const;
  /// Index of the step that this range, on a thread's stack, is.
  [[nodiscard]] std::optional<std::uint32_t> index_of(RangeId range) const {
    const std::uint32_t* const found = on_stacks_.find(range);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  /// A range of that time is around a whole step, so it names no layer. A step that is no range on
  /// a stack has no sharp ends: a tenth of it may lie outside. Of estimated ones it takes two.
  [[nodiscard]] bool is_around_step(std::int64_t begin_ns, std::int64_t end_ns) const;

  [[nodiscard]] bool is_around_step(const RangeRow& range) const {
    return range.end_ns && !index_of(range.id) && is_around_step(range.start_ns, *range.end_ns);
  }

  [[nodiscard]] OpenStep step(std::uint32_t index) const {
    return {steps_[index].number, steps_[index].end_ns, are_found_};
  }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] bool is_marked(std::uint32_t index) const { return steps_[index].is_marked; }
  [[nodiscard]] bool all_marked() const { return all_marked_; }
  /// No ranges: they are estimated from what the program launched.
  [[nodiscard]] bool are_found() const { return are_found_; }

 private:
  struct Step {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t latest_end_ns = 0;  // of this step and all that began before it
    std::int64_t number = 0;
    RangeId on_stack = 0;
    bool is_marked = true;
  };
  class Finder;

  std::vector<Step> steps_;           // by start
  FlatMap<std::uint32_t> on_stacks_;  // by range id
  bool all_marked_ = true;
  bool are_found_ = false;
};

}  // namespace prof
