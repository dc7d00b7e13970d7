// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// find_steps: the steps of a program that marks none, from what it launches
// (docs/decisions/0018-found-steps.md). They are estimates: a step is what repeats, which layers
// and tokens do, too.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "analyzers/loops/launch_log.hpp"
#include "analyzers/loops/levels.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// Why a loop's turns are steps: each of them does this, the surest first.
enum class StepEvidence : std::uint8_t {
  kUpdates,       ///< It updates weights.
  kReadsBack,     ///< It copies to the host.
  kSends,         ///< It copies from the host.
  kWaits,         ///< The host waits in it.
  kWholeProgram,  ///< The loop is whole turns from its begin to its end: layers have more around.
  kNone,          ///< It may be a layer of one step.
};

/// A loop of the program, by its turns.
struct FoundLoop {
  std::size_t turns = 0;
  std::uint32_t launches = 0;  ///< Of a turn: the median. A graph's launch is one.
  bool is_step = false;
};

/// Times are the host's.
struct FoundStep {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  ///< Of the last launch, where none follows.
};

struct FoundSteps {
  std::vector<FoundStep> steps;  ///< In order. Empty: nothing repeats that is surely a step.
  std::vector<FoundLoop> loops;  ///< By period: the step, and those around it and in it.
  StepEvidence evidence = StepEvidence::kNone;
  double confidence = 0;       ///< 0 to 1. Not calibrated: larger is better.
  std::uint64_t left_out = 0;  ///< The first ones, which were not looked at.
};

/// The steps in what a program launched.
FoundSteps find_steps(const loops::LaunchLog& log, const loops::LayerOf& layer_of);

/// Reads the trace's work once.
Result<FoundSteps> find_steps(TraceReader& reader, const RangeOptions& options);

/// Keeps what was found, by trace. Any thread.
class FoundStepsMemo {
 public:
  /// Finds them at the first call. Damage of the trace is for others to report: it has no steps.
  const FoundSteps& of(TraceReader& reader, const RangeOptions& options);
  /// Null: nobody asked for those of that trace, as it marks its steps.
  [[nodiscard]] const FoundSteps* known(const std::string& path) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, FoundSteps> by_path_;
};

}  // namespace prof
