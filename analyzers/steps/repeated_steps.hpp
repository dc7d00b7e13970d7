// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RepeatedSteps: what work means in steps whose modules and ops the program did not mark. The n-th
// kernel of a thread is what the n-th one is in the step that is repeated (repeat_plan.hpp).
// Memory: a few hundred bytes for each launch of a step that is repeated, until its last repeat.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/base/replay_ids.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/steps/repeat_plan.hpp"
#include "analyzers/steps/step_ranges.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class RepeatedSteps {
 public:
  /// Both must outlive it. `max_entries` bounds its tables.
  RepeatedSteps(TraceReader& reader, const StepRanges& steps, std::size_t max_entries);

  enum class Role : std::uint8_t {
    kNone,      ///< The work means what its own stack says.
    kSource,    ///< So it does, and others repeat it: record() what that is.
    kRepeat,    ///< repeat() says what it means.
    kUnmarked,  ///< Its step is not marked and repeats none.
  };
  /// Where work stands in its step.
  struct Position {
    Role role = Role::kNone;
    RepeatKind kind = RepeatKind::kKernels;
    std::uint32_t step = 0;
    std::uint32_t source = 0;  ///< For a repeat: the step that it repeats.
    ThreadId thread;
    std::uint32_t index = 0;  ///< Among the thread's work of that kind.
  };

  /// Call for all work of a kind, in launch order.
  Position position_of(const GpuRow& row);

  /// Records the meaning of work, with the cost that it carries, but without findings about its
  /// GPU.
  void record(const Position& position, const Attribution& meaning);

  /// Makes of `to` what was recorded where the repeated work stands, but for its step: provenance
  /// `inherited`, ids of its own, and no sequence numbers, which are unknown. False: nothing was.
  bool repeat(const Position& position, Attribution& to);

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  struct Lane {  ///< A thread's work of a kind in a step.
    std::uint32_t launched = 0;
    std::vector<Attribution> meanings;
  };
  using Lanes = std::map<std::pair<std::uint32_t, RepeatKind>, Lane>;

  Lane& lane_of(std::uint32_t step, const Position& position);
  void forget_before(std::uint32_t step);
  std::shared_ptr<const OpAttribution> inherited(const std::shared_ptr<const OpAttribution>& op);

  const StepRanges& steps_;
  const std::size_t max_entries_;
  std::vector<StepRepeats> plan_;  // by step; empty: all are marked
  std::map<std::uint32_t, Lanes> open_;
  std::uint32_t latest_ = 0;  // step that was asked for
  ReplayIds ids_;
  std::uint32_t ids_of_ = StepRepeats::kNone;  // the step whose ids are given out
  std::unordered_map<std::shared_ptr<const OpAttribution>, std::shared_ptr<const OpAttribution>>
      inherited_;
  Status status_;
};

}  // namespace prof
