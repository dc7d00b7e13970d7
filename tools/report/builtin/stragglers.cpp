// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `stragglers`: the ranks that make steps longer, and those for which others wait, and why
// they are late (analyzers/ranks/blame.hpp). Times are those of a step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "analyzers/ranks/pipeline.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/ranks/cause_text.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

/// In a table for people, ranks that cost less, and for which others wait less, are left out.
constexpr double kLeastPct = 1;
/// Others, too, beyond so many.
constexpr std::size_t kMostLines = 15;

struct StragglerLine {
  const ranks::RankId* rank = nullptr;
  const ranks::RankBlame* blame = nullptr;
  const ranks::Cause* cause = nullptr;  ///< Null: none beyond chance.
  std::string host, why;
  double period_ns = 0;

  [[nodiscard]] double of_period_pct(double time_ns) const {
    return period_ns > 0 ? 100 * time_ns / period_ns : 0;
  }
  [[nodiscard]] bool is_minor() const {
    return blame->cost_ns <= 0 && of_period_pct(blame->longest_ns) < kLeastPct;
  }
  [[nodiscard]] Cell of_cause(double ranks::Cause::*field) const {
    return cause != nullptr ? real(cause->*field) : absent();
  }
};

// clang-format off
constexpr std::array<LineColumn<StragglerLine>, 19> kStragglerColumns = {{
    {Column::text("who", "Rank", "rank that makes steps longer, or for which others wait"), [](const StragglerLine& l) { return text(l.rank->label); }},
    {Column::text("host", "Host", "host name of the machine").cut_end(8).drop(4), [](const StragglerLine& l) { return text(l.host); }},
    {Column::time("waited_for_ns", "Waited for", "how long another rank waits for it in a step and computes nothing: the one that waits longest", Column::Type::kReal), [](const StragglerLine& l) { return real(l.blame->longest_ns); }},
    {Column::real("share_pct", "Step", "%", "part of the step's period", 1), [](const StragglerLine& l) { return l.period_ns > 0 ? real(l.of_period_pct(l.blame->longest_ns)) : absent(); }},
    {Column::real("last_pct", "Last", "%", "part of its collectives in which it comes last", 0), [](const StragglerLine& l) { return l.blame->last_pct ? real(*l.blame->last_pct) : absent(); }},
    {Column::text("cause", "Cause", "host: the GPU has nothing to do until the host launches; work: its kernels take longer, or there are more; sizes: they have more to do; copy: copies or sets take longer; clocks: all kernels take longer alike; link: its transfers take longer than those between other ranks; absent: no place differs by more than chance"), [](const StragglerLine& l) { return l.cause != nullptr ? text(ranks::name(l.cause->kind)) : absent(); }},
    {Column::text("why", "Why", "the cause in words").placed(Column::Place::kBelow), [](const StragglerLine& l) { return text(l.why); }},
    {Column::time("excess_ns", "Excess", "what the rank needs more than the others, in a step", Column::Type::kReal), [](const StragglerLine& l) { return l.of_cause(&ranks::Cause::excess_ns); }},
    {Column::time("own_ns", "Own", "what it needs there", Column::Type::kReal), [](const StragglerLine& l) { return l.of_cause(&ranks::Cause::own_ns); }},
    {Column::time("others_ns", "Others", "what the others need there: the median", Column::Type::kReal), [](const StragglerLine& l) { return l.of_cause(&ranks::Cause::others_ns); }},
    {Column::text("layer", "Layer", "where: path of the layers").cut_front(12), [](const StragglerLine& l) { return l.cause != nullptr ? text(l.cause->place.layer) : absent(); }},
    {Column::text("op", "Op", "where: the op, or before which one the host is idle").cut_end(10), [](const StragglerLine& l) { return l.cause != nullptr ? text(l.cause->place.op) : absent(); }},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)"), [](const StragglerLine& l) { return l.cause != nullptr ? text(name(l.cause->place.direction)) : absent(); }},
    {Column::time("all_waits_ns", "All waits", "how long all others wait for it in a step, in total", Column::Type::kReal), [](const StragglerLine& l) { return real(l.blame->waited_for_ns); }},
    {Column::time("waits_ns", "Waits", "how long it waits for others itself", Column::Type::kReal), [](const StragglerLine& l) { return real(l.blame->waits_ns); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const StragglerLine& l) { return text(l.rank->trace->name); }},
    {Column::time("cost_ns", "Cost", "how much longer a step takes than if the rank needed no longer than the others, whether these wait in sight or behind their own work: from a replay of the collectives; absent: nothing beyond chance and 1 % of a step", Column::Type::kReal), [](const StragglerLine& l) { return l.blame->cost_ns > 0 ? estimate(l.blame->cost_ns) : absent(); }},
    {Column::real("cost_pct", "Cost", "%", "part of the step's period", 1), [](const StragglerLine& l) { return l.blame->cost_ns > 0 && l.period_ns > 0 ? estimate(l.of_period_pct(l.blame->cost_ns)) : absent(); }},
    {Column::integer("rank", "Number", "", "rank of the process in its job"), [](const StragglerLine& l) { return l.rank->rank ? number(*l.rank->rank) : absent(); }},
}};
// clang-format on

ReportInfo stragglers_info() {
  ReportInfo info{
      .name = "stragglers",
      .help = "ranks that make steps longer, most first, and why they are late",
      .missing =
          "no rank makes a step 1 % longer, or is late by as much in a collective that the "
          "traces of others have",
      .rows = "GPU work",
      .row_words = {"capture"}};
  add_columns(kStragglerColumns, info,
              "who,host,cost_ns,cost_pct,waited_for_ns,share_pct,last_pct,cause,why");
  return info;
}

/// The order of the ranks: those that cost most first, then those for which others wait longest.
std::vector<std::size_t> order_of(const ranks::Blame& blame) {
  std::vector<std::size_t> order(blame.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t rank) {
    return std::pair(blame.ranks[rank].cost_ns, blame.ranks[rank].longest_ns);
  });
  return order;
}

/// Stages of a pipeline wait for each other though none is late.
void add_bubble(const RanksOfRun& of, Tally& tally) {
  double longest_ns = 0;
  std::size_t longest = 0;
  for (std::size_t rank = 0; rank < of.blame.ranks.size(); ++rank) {
    const ranks::RankBlame& blame = of.blame.ranks[rank];
    if (blame.exposed_waits_ns - blame.waits_ns <= longest_ns) continue;
    longest_ns = blame.exposed_waits_ns - blame.waits_ns;
    longest = rank;
  }
  if (100 * longest_ns < kLeastPct * of.blame.period_ns) return;
  if (ranks::find_stages(of.joined, of.blame).empty()) return;
  tally.remarks.push_back(fmt::format(
      "stages of pipelines wait for each other, {} {} of a step: a bubble, and no rank that is "
      "late; -r pipeline",
      of.joined.run.ranks[longest].label, time_text(longest_ns)));
}

class StragglersReport : public Report {
 public:
  StragglersReport() : Report(stragglers_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    RanksPass pass(input);
    PROF_TRY(pass.read());
    LineWriter<StragglerLine> lines(kStragglerColumns, request, sink);
    const bool leaves_out = request.for_people && !request.lines_chosen;
    std::size_t left_out = 0, printed = 0;
    for (const RanksOfRun& of : pass.runs()) {
      add_bubble(of, input.tally);
      for (const std::size_t rank : order_of(of.blame)) {
        const ranks::RankId& id = of.joined.run.ranks[rank];
        const ranks::RankBlame& blame = of.blame.ranks[rank];
        if (blame.cost_ns <= 0 && blame.longest_ns <= 0) continue;
        StragglerLine line{.rank = &id,
                           .blame = &blame,
                           .host = of.joined.run.hosts[id.host],
                           .why = text_without_cause(blame, of.blame.period_ns) +
                                  text_of_cost(blame, of.blame.period_ns),
                           .period_ns = of.blame.period_ns};
        if (leaves_out && (line.is_minor() || printed >= kMostLines)) {
          ++left_out;
          continue;
        }
        for (const ranks::Cause& cause : blame.causes) {
          line.cause = &cause;
          line.why = to_text(cause) + text_of_cost(blame, of.blame.period_ns);
          ++printed;
          if (!lines.write(line)) return {};
        }
        if (!blame.causes.empty()) continue;
        ++printed;
        if (!lines.write(line)) return {};
      }
    }
    if (left_out > 0) {
      input.tally.remarks.push_back(
          fmt::format("{} not shown, for which others wait less{}; -f csv has them",
                      count_text(left_out, "rank is", "ranks are"),
                      printed >= kMostLines ? "" : fmt::format(" than {} % of a step", kLeastPct)));
    }
    return {};
  }
};

}  // namespace

void register_stragglers(Registry& registry) { registry.add(std::make_unique<StragglersReport>()); }

}  // namespace prof::reports
