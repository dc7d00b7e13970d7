// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RanksPass: what reports about several ranks read: each trace summarized by itself, then joined.
// Traces are read by several threads, one trace each at a time: readers and analyzers share
// nothing, and summaries need not be copied between processes. Memory is that of the summaries and
// of as many readers as there are threads at work.
#pragma once

#include <vector>

#include "analyzers/ranks/blame.hpp"
#include "analyzers/ranks/clocks.hpp"
#include "analyzers/ranks/join.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// The ranks of one job, and what they do to each other.
struct RanksOfRun {
  ranks::JoinedRun joined;
  std::vector<ranks::HostClock> clocks;
  ranks::Blame blame;
};

class RanksPass {
 public:
  /// Of all traces, or of those from `first` to before `end`.
  explicit RanksPass(const RowInput& input) : RanksPass(input, 0, input.traces.size()) {}
  RanksPass(const RowInput& input, std::size_t first, std::size_t end)
      : input_(input), first_(first), end_(end) {}
  RanksPass(const RanksPass&) = delete;
  RanksPass& operator=(const RanksPass&) = delete;

  /// Reads the GPU work of each trace once; one that turns out to be damaged is left out. Adds to
  /// the notes who is missing, what was matched by estimate, and how far clocks differ.
  Status read();

  [[nodiscard]] const std::vector<RanksOfRun>& runs() const { return runs_; }

 private:
  Status summarize();

  const RowInput& input_;
  std::size_t first_, end_;  // of the traces
  std::vector<ranks::RankSummary> summaries_;
  std::vector<RanksOfRun> runs_;
};

}  // namespace prof::reports
