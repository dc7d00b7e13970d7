// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page/page_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "libprof/base/check.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

/// So many ranks are all on the page.
constexpr std::size_t kFewRanksOfPage = 8;
constexpr std::size_t kMostLate = 4;
constexpr double kLeastSharePct = 1;  // of a step

const ColumnFilter* rank_filter(const RowFilter& filter) {
  const auto found = std::ranges::find_if(filter.columns, [](const ColumnFilter& one) {
    return one.option != nullptr && one.option->flag == "--rank";
  });
  return found == filter.columns.end() ? nullptr : &*found;
}

/// The traces of the first lines of `stragglers`, each once: with a cause, or with waits for them
/// that are no chance.
class LateTraces final : public RowSink {
 public:
  bool row(std::span<const Cell> cells) override {
    const std::string name(std::get<std::string_view>(cells[0]));
    const double* const share_pct = std::get_if<double>(&cells[2]);
    const bool is_late = std::holds_alternative<std::string_view>(cells[1]) ||
                         (share_pct != nullptr && *share_pct >= kLeastSharePct);
    if (is_late && std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    return names_.size() < kMostLate;
  }
  void total(std::span<const Cell>) override {}
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// A rank's own standing among the others.
struct Waiting {
  std::size_t member = 0;
  double waits_ns = 0;
};

std::vector<Waiting> waiting_ranks(const TraceSet& traces, const RanksOfRun& of) {
  std::vector<Waiting> all;
  for (std::size_t rank = 0; rank < of.blame.ranks.size(); ++rank) {
    const auto member = std::ranges::find(traces.members(), of.joined.run.ranks[rank].trace,
                                          [](const TraceMember& one) { return &one.identity; });
    PROF_CHECK(member != traces.members().end());
    all.push_back({static_cast<std::size_t>(member - traces.members().begin()),
                   of.blame.ranks[rank].waits_ns});
  }
  std::ranges::stable_sort(all, {}, &Waiting::waits_ns);
  return all;
}

std::string label_of(const TraceIdentity& trace) {
  return trace.rank ? fmt::format("rank {}", *trace.rank) : trace.name;
}

void add(std::size_t member, std::vector<std::size_t>& members) {
  if (std::ranges::find(members, member) == members.end()) members.push_back(member);
}

/// The page opens with the first: one that makes others wait, else one as most are.
PageRanks of_interest(const TraceSet& traces, const RanksOfRun& of,
                      std::span<const std::string> late) {
  PageRanks made;
  for (const std::string& name : late) {
    const auto member = std::ranges::find(traces.members(), name,
                                          [](const TraceMember& one) { return one.identity.name; });
    add(static_cast<std::size_t>(member - traces.members().begin()), made.members);
  }
  std::string which;
  for (const std::size_t member : made.members) {
    which += (which.empty() ? "" : ", ") + label_of(traces.members()[member].identity);
  }
  if (!which.empty()) which += late.size() > 1 ? " (late), " : " (the latest), ";
  const std::vector<Waiting> waiting = waiting_ranks(traces, of);
  const std::size_t usual = waiting[waiting.size() / 2].member, longest = waiting.back().member;
  add(usual, made.members);
  add(longest, made.members);
  which += label_of(traces.members()[usual].identity) + " (waits as most do) and " +
           label_of(traces.members()[longest].identity) + " (waits longest)";
  made.remark = fmt::format(
      "of {} ranks the page has {} in full: {}; Ranks compares all, and --rank chooses others",
      grouped(waiting.size()), made.members.size(), which);
  return made;
}

std::optional<PageRanks> chosen_ranks(const TraceSet& traces, const ColumnFilter& filter) {
  PageRanks made;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto rank = traces.members()[i].identity.rank;
    if (rank && filter.matches(std::to_string(*rank))) made.members.push_back(i);
  }
  if (made.members.empty()) return std::nullopt;  // The filter has its own words for that.
  made.remark =
      fmt::format("of {} the page has the {} that --rank chooses in full; Ranks compares all",
                  count_text(traces.size(), "trace", "traces"), made.members.size());
  return made;
}

}  // namespace

Result<std::optional<PageRanks>> page_ranks(const RowInput& input, const Report& stragglers) {
  const TraceSet& traces = input.traces;
  if (const ColumnFilter* const chosen = rank_filter(input.filter); chosen != nullptr) {
    return chosen_ranks(traces, *chosen);
  }
  if (traces.size() <= kFewRanksOfPage) return std::optional<PageRanks>();
  RanksPass pass(input);
  PROF_TRY(pass.read());
  // Several runs, or traces that say of no rank, are no ranks of one program.
  if (pass.runs().size() != 1 || pass.runs().front().blame.ranks.size() <= kFewRanksOfPage) {
    return std::optional<PageRanks>();
  }
  const Result<std::vector<std::size_t>> columns =
      choose_columns(stragglers.info(), "trace,cause,share_pct");
  PROF_CHECK(columns.ok());
  LateTraces late;
  PROF_TRY(stragglers.run(input, {.columns = *columns}, late));
  return std::optional(of_interest(traces, pass.runs().front(), late.names()));
}

FindRankWaits rank_waits_of_part(const TraceSet& part, const TraceSet& all, FindRankWaits of_all) {
  // The waits found refer to texts of all traces.
  return [&part, &all, of_all = std::move(of_all),
          kept = std::make_shared<std::optional<RankWaits>>()]() -> Result<const RankWaits*> {
    Result<const RankWaits*> found = of_all();
    if (!found || *found == nullptr) return found;
    if (*kept) return &**kept;
    RankWaits& made = kept->emplace();
    made.collectives = (*found)->collectives;
    made.is_estimated = (*found)->is_estimated;
    for (const TraceMember& member : part.members()) {
      const auto same = std::ranges::find(all.members(), &member.reader,
                                          [](const TraceMember& one) { return &one.reader; });
      for (const auto& [device, of] : (*found)->devices()) {
        if (device.first == &same->identity) made.of({&member.identity, device.second}) = of;
      }
    }
    return &made;
  };
}

}  // namespace prof::reports
