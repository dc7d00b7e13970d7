// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Roster: who is who among the GPUs of several traces, by what their captures recorded, never by
// the order of the files: runs, ranks and hosts; which ranks are missing or doubled. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzers/ranks/rank_summary.hpp"
#include "libprof/store/read/trace_set.hpp"

namespace prof::ranks {

/// A GPU of a run.
struct RankId {
  const TraceIdentity* trace = nullptr;
  std::size_t summary = 0;  ///< Index of the summary.
  std::uint32_t device = 0;
  std::optional<std::uint32_t> rank;  ///< In the job.
  std::string label;                  ///< "rank 3"; of a rank with several GPUs "rank 3 GPU 1".
  std::size_t host = 0;               ///< Index in Run::hosts.
  /// Added to times since the trace's start, gives those of the host's clock.
  std::int64_t base_ns = 0;
};

/// A damaged count must not make a list of billions.
inline constexpr std::uint32_t kMostRanks = 1U << 20;

/// The ranks of one job.
struct Run {
  std::string id;                  ///< See Job::run.
  std::vector<RankId> ranks = {};  ///< By rank.
  std::vector<std::string> hosts = {};
  std::optional<std::uint32_t> world = {};
  std::vector<std::uint32_t> missing = {};
  std::vector<std::string> remarks =
      {};  ///< One line each: duplicates, and traces that cannot be distinguished.
};

/// In the order of their first traces. Summaries without any work are left out.
std::vector<Run> runs_of(const TraceSet& traces, std::span<const RankSummary> summaries);

/// "0, 2 to 5, 9", at most a few parts.
std::string list_of(std::span<const std::uint32_t> numbers);

}  // namespace prof::ranks
