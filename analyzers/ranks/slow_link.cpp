// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/slow_link.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "analyzers/ranks/usual_step.hpp"
#include "libprof/base/statistics.hpp"

namespace prof::ranks {
namespace {

constexpr double kSlowLink = 1.3;       // times the transfers of others
constexpr double kLinkNoise = 6;        // of the noise over the steps
constexpr double kLinkSpread = 6;       // of the spread between the others
constexpr std::size_t kLinkOthers = 2;  // of one kind: of fewer nothing is known of their spread
constexpr std::size_t kLinkSteps = 3;
constexpr double kLinkNs = 20'000;  // of a step, in total
constexpr double kLinkOfStep = 0.015;

using Numbers = std::vector<std::uint32_t>;  // of ranks or hosts, sorted

/// Transfers are compared that have one op and size, and as many ranks on as many hosts: op, bytes,
/// and the ranks on each host, sorted. Links inside a host are not those between hosts.
using Kind = std::tuple<std::string_view, double, Numbers>;

/// The transfers of a kind between the same ranks.
struct Route {
  Numbers ranks = {}, hosts = {};
  std::vector<std::uint32_t> collectives = {};              // of JoinedRun::collectives
  std::map<StepNumber, std::vector<double>> of_steps = {};  // how long they take
  double middle_ns = 0, noise_ns = 0;                       // over the steps
};

/// Those of a kind.
struct Alike {
  double bytes = 0;
  bool is_between_hosts = false;
  std::vector<Route> routes = {};
};

Numbers intersection(const Numbers& a, const Numbers& b) {
  Numbers both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

void set_times(Route& route) {
  std::vector<double> middles;
  for (auto& [step, times] : route.of_steps) middles.push_back(median(times));
  route.middle_ns = median(middles);
  route.noise_ns = error_of_median(middles, route.middle_ns);
}

/// The possible owner of the slow link: a rank, or a host in its links to others.
struct Suspect {
  std::uint32_t number = 0;
  bool is_host = false;

  [[nodiscard]] const Numbers& members(const Route& route) const {
    return is_host ? route.hosts : route.ranks;
  }
  [[nodiscard]] bool takes_part(const Route& route) const {
    return std::ranges::binary_search(members(route), number);
  }
};

struct SlowRoute {
  const Route* route = nullptr;
  const Alike* alike = nullptr;
  double others_ns = 0;
};

/// The evidence for and against a suspect.
struct Evidence {
  std::vector<SlowRoute> slow = {};
  std::vector<std::pair<const Alike*, const Route*>> not_slow = {};  // but with it
  std::set<std::uint32_t> cleared = {};  // of members, those that are in fast ones without it
  bool are_others_known = false;         // how they are spread
  bool are_others_slow = false;
};

class LinkFinder {
 public:
  explicit LinkFinder(const JoinedRun& run) : run_(run) {
    for (const RankSummary* summary : run.summaries) steady_.push_back(steady_steps(*summary));
    collect();
  }

  std::optional<SlowLink> find(double period_ns) {
    for (const bool is_host : {false, true}) {
      for (const std::uint32_t number : suspects(is_host)) {
        const Suspect suspect{.number = number, .is_host = is_host};
        const Evidence evidence = evidence_of(suspect);
        if (!is_proved(suspect, evidence)) continue;
        SlowLink found = link_of(suspect, evidence.slow);
        if (found.cause.excess_ns > std::max(kLinkNs, kLinkOfStep * period_ns)) return found;
      }
    }
    return std::nullopt;
  }

 private:
  void collect() {
    std::map<Kind, std::map<Numbers, Route>> kinds;
    for (std::uint32_t i = 0; i < run_.collectives.size(); ++i) {
      const JoinedCollective& one = run_.collectives[i];
      const bool is_known =
          one.rule == WaitRule::kPair || (one.rule == WaitRule::kTogether && one.is_whole);
      // Communicators without an id count as one, although its ranks may have several.
      if (!is_known || !run_.communicators[one.communicator].id || one.transfer_ns <= 0) continue;
      const std::span<const Participant> ranks = run_.of(one);
      const RankCollective& seen = run_.seen_by(ranks.front());
      if (seen.bytes <= 0 || !steady_[ranks.front().rank].contains(seen.step)) continue;
      Route& route = route_of(one, ranks, seen.bytes, kinds);
      route.collectives.push_back(i);
      route.of_steps[seen.step].push_back(static_cast<double>(one.transfer_ns));
    }
    for (auto& [kind, routes] : kinds) {
      Alike made{.bytes = std::get<double>(kind),
                 .is_between_hosts = std::get<Numbers>(kind).size() > 1};
      for (auto& [ranks, route] : routes) {
        if (route.of_steps.size() < kLinkSteps) continue;
        set_times(route);
        made.routes.push_back(std::move(route));
      }
      if (made.routes.size() > 1) kinds_.push_back(std::move(made));
    }
  }

  Route& route_of(const JoinedCollective& one, std::span<const Participant> participants,
                  double bytes, std::map<Kind, std::map<Numbers, Route>>& kinds) const {
    Numbers ranks, hosts, of_hosts;
    for (const Participant& participant : participants) {
      ranks.push_back(participant.rank);
      hosts.push_back(static_cast<std::uint32_t>(run_.run.ranks[participant.rank].host));
    }
    std::ranges::sort(hosts);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (i == 0 || hosts[i] != hosts[i - 1]) of_hosts.push_back(0);
      ++of_hosts.back();
    }
    std::ranges::sort(of_hosts);
    const std::string& op = run_.place_of(participants.front()).op;
    const bool is_one_way = one.rule == WaitRule::kPair && (op == "send" || op == "recv");
    const Kind kind(is_one_way ? "send" : std::string_view(op), bytes, std::move(of_hosts));
    Route& route = kinds[kind][ranks];
    if (route.ranks.empty()) {
      hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
      route.ranks = std::move(ranks);
      route.hosts = std::move(hosts);
    }
    return route;
  }

  /// Those that are in the slowest route of each kind that has a slow one.
  [[nodiscard]] Numbers suspects(bool are_hosts) const {
    std::optional<Numbers> left;
    for (const Alike& alike : kinds_) {
      if (are_hosts && !alike.is_between_hosts) continue;
      const Route& worst = *std::ranges::max_element(alike.routes, {}, &Route::middle_ns);
      std::vector<double> others;
      for (const Route& one : alike.routes) {
        if (&one != &worst) others.push_back(one.middle_ns);
      }
      if (worst.middle_ns < kSlowLink * median(others)) continue;
      const Numbers& members = are_hosts ? worst.hosts : worst.ranks;
      left = left ? intersection(*left, members) : members;
    }
    return left.value_or(Numbers());
  }

  [[nodiscard]] Evidence evidence_of(const Suspect& suspect) const {
    Evidence made;
    for (const Alike& alike : kinds_) {
      if (!suspect.is_host || alike.is_between_hosts) add_evidence(suspect, alike, made);
    }
    return made;
  }

  static void add_evidence(const Suspect& suspect, const Alike& alike, Evidence& made) {
    std::vector<double> others;
    for (const Route& one : alike.routes) {
      if (!suspect.takes_part(one)) others.push_back(one.middle_ns);
    }
    if (others.empty() || others.size() == alike.routes.size()) return;
    const double middle_ns = median(others);
    const double spread_ns = others.size() < kLinkOthers ? 0 : spread_about(others, middle_ns);
    const double limit_ns = std::max(kSlowLink * middle_ns, middle_ns + kLinkSpread * spread_ns);
    const std::size_t before = made.slow.size();
    for (const Route& one : alike.routes) {
      if (!suspect.takes_part(one)) {
        made.are_others_slow |= one.middle_ns >= kSlowLink * middle_ns;
        continue;
      }
      const bool is_slow =
          one.middle_ns > limit_ns && one.middle_ns - middle_ns > kLinkNoise * one.noise_ns;
      if (is_slow) {
        made.slow.push_back({&one, &alike, middle_ns});
      } else {
        made.not_slow.emplace_back(&alike, &one);
      }
    }
    if (made.slow.size() == before) return;
    made.are_others_known |= others.size() >= kLinkOthers;
    for (const Route& one : alike.routes) {
      const Numbers& members = suspect.members(one);
      if (!suspect.takes_part(one)) made.cleared.insert(members.begin(), members.end());
    }
  }

  [[nodiscard]] static bool is_proved(const Suspect& suspect, const Evidence& evidence) {
    if (evidence.slow.empty() || !evidence.are_others_known || evidence.are_others_slow) {
      return false;
    }
    Numbers common = suspect.members(*evidence.slow.front().route);
    for (const SlowRoute& one : evidence.slow) {
      const Numbers& members = suspect.members(*one.route);
      common = intersection(common, members);
      const auto is_clear = [&](std::uint32_t member) {
        return member == suspect.number || evidence.cleared.contains(member);
      };
      if (!std::ranges::all_of(members, is_clear)) return false;
    }
    if (common.size() != 1) return false;
    // A transfer as large would be slow as well; a smaller one may not need a link's whole width.
    return std::ranges::none_of(evidence.not_slow, [&](const auto& fast) {
      return std::ranges::any_of(evidence.slow, [&](const SlowRoute& one) {
        return one.alike->is_between_hosts == fast.first->is_between_hosts &&
               fast.first->bytes >= one.alike->bytes;
      });
    });
  }

  /// In a step of a rank.
  struct Sum {
    double own_ns = 0, others_ns = 0;
  };

  [[nodiscard]] SlowLink link_of(const Suspect& suspect, std::span<const SlowRoute> slow) const {
    SlowLink made;
    std::map<std::uint32_t, double> by_rank;
    for (const SlowRoute& one : slow) {
      for (const std::uint32_t index : one.route->collectives) {
        const double excess_ns =
            static_cast<double>(run_.collectives[index].transfer_ns) - one.others_ns;
        if (excess_ns <= 0) continue;
        made.excess_ns.emplace_back(index, excess_ns);
        for (const std::uint32_t rank : one.route->ranks) by_rank[rank] += excess_ns;
      }
    }
    made.rank = suspect.number;
    double most_ns = 0;
    for (const auto& [rank, excess_ns] : by_rank) {
      if (!suspect.is_host || run_.run.ranks[rank].host != suspect.number) continue;
      if (excess_ns > most_ns) made.rank = rank;
      most_ns = std::max(most_ns, excess_ns);
    }
    made.cause = cause_of(made.rank, slow);
    made.cause.is_of_host = suspect.is_host;
    return made;
  }

  [[nodiscard]] Cause cause_of(std::uint32_t rank, std::span<const SlowRoute> slow) const {
    std::map<StepNumber, Sum> steps;
    std::map<Place, double> places;
    for (const SlowRoute& one : slow) {
      if (!std::ranges::binary_search(one.route->ranks, rank)) continue;
      for (const std::uint32_t index : one.route->collectives) {
        const JoinedCollective& joined = run_.collectives[index];
        const std::span<const Participant> ranks = run_.of(joined);
        const Participant& own = *std::ranges::find(ranks, rank, &Participant::rank);
        const auto own_ns = static_cast<double>(joined.transfer_ns);
        Sum& sum = steps[run_.seen_by(own).step];
        sum.own_ns += own_ns;
        sum.others_ns += one.others_ns;
        places[run_.place_of(own)] += own_ns - one.others_ns;
      }
    }
    Cause made;
    made.kind = CauseKind::kLink;
    made.places = places.size();
    const auto largest =
        std::ranges::max_element(places, {}, [](const auto& of_place) { return of_place.second; });
    made.place = largest->first;
    made.steps = steps.size();
    std::vector<double> own, others;
    for (const auto& [step, sum] : steps) {
      own.push_back(sum.own_ns);
      others.push_back(sum.others_ns);
    }
    made.own_ns = median(own);
    made.others_ns = median(others);
    made.excess_ns = made.own_ns - made.others_ns;
    return made;
  }

  const JoinedRun& run_;
  std::vector<StepNumbers> steady_;  // of each rank
  std::vector<Alike> kinds_;
};

}  // namespace

std::optional<SlowLink> find_slow_link(const JoinedRun& run, double period_ns) {
  // One communicator alone, as of DDP, does not show whose link is slow.
  const auto is_other = [&](const JoinedCollective& one) {
    return one.communicator != run.collectives.front().communicator || one.rule == WaitRule::kPair;
  };
  if (std::ranges::none_of(run.collectives, is_other)) return std::nullopt;
  return LinkFinder(run).find(period_ns);
}

}  // namespace prof::ranks
