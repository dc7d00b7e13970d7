// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Join: the collectives of a run, each as all its ranks see it. They are matched by communicator
// and sequence number where the library states both; else by alignment (alignment.hpp), which is an
// estimate. From durations alone follows who waits: ranks of a collective that end together differ
// in how long they wait for the last one to come, so the shortest duration is the transfer. No
// clock is needed for that. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/ranks/rank_summary.hpp"
#include "analyzers/ranks/roster.hpp"

namespace prof::ranks {

/// Who waits for whom in a collective.
enum class WaitRule : std::uint8_t {
  kTogether,  ///< All ranks end together: each waits for the last one to come.
  kSizes,     ///< All wait for all, but transfers differ as their sizes do.
  kFromRoot,  ///< All wait for the root.
  kToRoot,    ///< The root waits for all.
  kPair,      ///< Two wait for each other.
  kUnknown,
};

/// By its word; of an all-to-all `kTogether`, which holds if the sizes are equal.
WaitRule wait_rule(std::string_view op);

struct Participant {
  std::uint32_t rank = 0;        ///< Index in Run::ranks.
  std::uint32_t collective = 0;  ///< Index in its summary's collectives.
  std::int64_t wait_ns = 0;
};

struct JoinedCollective {
  std::uint32_t communicator = 0;    ///< Index in JoinedRun::communicators.
  std::uint32_t begin = 0, end = 0;  ///< Range in JoinedRun::participants; at least two, by rank.
  WaitRule rule = WaitRule::kUnknown;
  bool is_estimated = false;  ///< Matched by alignment, or the waits follow from sizes.
  bool is_whole = false;      ///< All ranks of the communicator are there.
  std::int64_t transfer_ns = 0;
  std::optional<std::uint32_t> last;  ///< The rank that the others wait for; of Run::ranks.
  /// The library's count, or the place among those that were aligned.
  std::int64_t sequence = 0;
};

struct JoinedCommunicator {
  std::optional<std::uint64_t> id = {};
  std::optional<std::uint32_t> size = {};  ///< Ranks, also those without a trace.
  std::vector<std::uint32_t> ranks = {};   ///< Those with a trace; of Run::ranks.
  std::string name = {};                   ///< "8 ranks: 0 to 7".
};

struct JoinedRun {
  Run run;
  std::vector<const RankSummary*> summaries;  ///< By index in Run::ranks.
  std::vector<JoinedCommunicator> communicators;
  std::vector<JoinedCollective> collectives;  ///< By communicator, then sequence.
  std::vector<Participant> participants;
  std::uint64_t unmatched = 0;  ///< Collectives of a rank for which no other rank has the same.
  std::uint64_t aligned = 0;    ///< Joined collectives that were matched by alignment.

  [[nodiscard]] std::span<const Participant> of(const JoinedCollective& one) const {
    return std::span(participants).subspan(one.begin, one.end - one.begin);
  }
  [[nodiscard]] const RankCollective& seen_by(const Participant& one) const {
    return summaries[one.rank]->collectives[one.collective];
  }
  [[nodiscard]] const Place& place_of(const Participant& one) const {
    return summaries[one.rank]->places[seen_by(one).place];
  }
};

/// The summaries must outlive it.
JoinedRun join(Run run, std::span<const RankSummary> summaries);

/// Which ranks send to each other, directly or by way of others: for each the first of its
/// pipeline; itself, if it sends to nobody.
std::vector<std::uint32_t> pipelines_of(const JoinedRun& run);

}  // namespace prof::ranks
