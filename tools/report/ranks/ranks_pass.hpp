// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RanksPass: what reports about several ranks read: each trace summarized by itself, then joined.
// Traces are read by several threads, one trace each at a time: readers and analyzers share
// nothing, and summaries need not be copied between processes. Memory is that of the summaries and
// of as many readers as there are threads at work.
#pragma once

#include <memory>
#include <string>
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

/// The results of a pass. The runs refer to the summaries, and to the trace set.
struct RanksRead {
  std::vector<ranks::RankSummary> summaries;
  std::vector<RanksOfRun> runs;
  std::vector<std::string> remarks, warnings;  ///< For the notes of each report.
};

/// The callable that find_rank_waits() returns. If it `keeps`, it has what it or the first pass
/// over all of the traces read for each pass that has it in its input.
class RankWaitsFinder {
 public:
  RankWaitsFinder(const TraceSet& traces, Reading& reading, std::size_t base_traces, bool keeps);

  Result<const RankWaits*> operator()() const;

  [[nodiscard]] bool keeps() const;
  /// The results for all traces; null: not read so far, or they are two sides.
  [[nodiscard]] const std::shared_ptr<const RanksRead>& kept() const;
  void keep(std::shared_ptr<const RanksRead> read) const;

 private:
  [[nodiscard]] Result<RankWaits> read_sides() const;

  struct State;  // shared by copies
  std::shared_ptr<State> state_;
};

class RanksPass {
 public:
  /// Reads all traces, or those from `first` to before `end`.
  explicit RanksPass(const RowInput& input) : RanksPass(input, 0, input.traces.size()) {}
  RanksPass(const RowInput& input, std::size_t first, std::size_t end)
      : input_(input), first_(first), end_(end) {}
  RanksPass(const RanksPass&) = delete;
  RanksPass& operator=(const RanksPass&) = delete;

  /// Reads the GPU work of each trace once, unless the input's find_waits has it; one that turns
  /// out to be damaged is left out. Adds to the notes who is missing, what was matched by estimate,
  /// and how far clocks differ.
  Status read();

  [[nodiscard]] const std::vector<RanksOfRun>& runs() const { return read_->runs; }

 private:
  /// Null: nothing is kept, or what is read is not of all that the traces have.
  [[nodiscard]] const RankWaitsFinder* keeper() const;
  Status summarize(RanksRead& made) const;
  [[nodiscard]] Result<std::shared_ptr<const RanksRead>> read_traces() const;

  const RowInput& input_;
  std::size_t first_, end_;  // of the traces
  std::shared_ptr<const RanksRead> read_ = std::make_shared<const RanksRead>();
};

}  // namespace prof::reports
