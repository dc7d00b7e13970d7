// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `ranks`: what a step of each rank is like, and in what it is unlike the others
// (analyzers/ranks/usual_step.hpp).
#include <fmt/format.h>

#include <array>
#include <vector>

#include "analyzers/ranks/usual_step.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/base/statistics.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/ranks/cause_text.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

/// In a table for people, of more ranks only those are shown that are unusual or late.
constexpr std::size_t kMostUsual = 16;
/// Percentage of a step: ranks for which others wait longer are shown.
constexpr double kLatePct = 1;

using ranks::UsualStep;

struct RankLine {
  const UsualStep* step = nullptr;
  const ranks::RankId* rank = nullptr;      ///< Null: the line is of all.
  const ranks::RankBlame* blame = nullptr;  ///< Null: the line is of all.
  std::string who = {}, host = {}, unusual = {};

  [[nodiscard]] Cell part(double time_ns) const {
    return step->period_ns > 0 ? real(100 * step->of_period(time_ns)) : absent();
  }
};

// clang-format off
constexpr std::array<LineColumn<RankLine>, 17> kRankColumns = {{
    {Column::text("who", "Rank", "rank; the line of all has the median period, and means of the rest"), [](const RankLine& l) { return text(l.who); }},
    {Column::text("host", "Host", "host name of the machine").cut_end(8).drop(4), [](const RankLine& l) { return l.rank != nullptr ? text(l.host) : absent(); }},
    {Column::time("period_ns", "Period", "from one step to the next: the median", Column::Type::kReal), [](const RankLine& l) { return l.step->period_ns > 0 ? real(l.step->period_ns) : absent(); }},
    {Column::real("computing_pct", "Computing", "%", "part of the steps in which kernels run that are not collectives", 1), [](const RankLine& l) { return l.part(l.step->in(DeviceState::kComputing)); }},
    {Column::real("copying_pct", "Copying", "%", "part in which copies and sets run, and no kernel", 1).drop(3), [](const RankLine& l) { return l.part(l.step->in(DeviceState::kCopying)); }},
    {Column::real("exposed_pct", "Exposed", "%", "part in which collectives run, and nothing computes", 1), [](const RankLine& l) { return l.part(l.step->in(DeviceState::kCollective)); }},
    {Column::real("waits_pct", "Waits", "%", "part in which it waits for other ranks and computes nothing; of stages of a pipeline, where one has a cause", 1), [](const RankLine& l) { return l.blame != nullptr ? l.part(l.blame->waits_ns) : absent(); }},
    {Column::real("idle_pct", "Idle", "%", "part in which nothing runs; the four add up to 100", 1), [](const RankLine& l) { return l.part(l.step->in(DeviceState::kIdle)); }},
    {Column::real("tflop_per_s", "TFLOP/s", "", "FLOPs of a step over its period", 2).drop(2), [](const RankLine& l) { return l.step->flops > 0 && l.step->period_ns > 0 ? real(l.step->flops / l.step->mean_period_ns / 1e3) : absent(); }},
    {Column::real("mfu_pct", "MFU", "%", "part of the period that the products take at the GPU's peak", 1).drop(1), [](const RankLine& l) { return l.step->product_ns > 0 ? l.part(l.step->product_ns) : absent(); }},
    {Column::real("sm_mhz", "SM", "MHz", "mean clock of the samples", 0).drop(5), [](const RankLine& l) { return real(l.step->sm_mhz); }},
    {Column::real("memory_bytes", "Memory", "B", "most device memory in use in the samples", 0).grouped().drop(6), [](const RankLine& l) { return real(l.step->memory_bytes); }},
    {Column::text("unusual", "Unusual", "what differs from the other ranks by more than these among themselves; of four ranks or more").cut_end(16), [](const RankLine& l) { return text(l.unusual); }},
    {Column::time("waited_for_ns", "Waited for", "how long another rank waits for it in a step and computes nothing: the one that waits longest", Column::Type::kReal), [](const RankLine& l) { return l.blame != nullptr ? real(l.blame->longest_ns) : absent(); }},
    {Column::integer("steps", "Steps", "", "steady steps: the period is their median, all else their mean"), [](const RankLine& l) { return number(l.step->steps); }},
    {Column::integer("rank", "Number", "", "rank of the process in its job"), [](const RankLine& l) { return l.rank != nullptr && l.rank->rank ? number(*l.rank->rank) : absent(); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const RankLine& l) { return l.rank != nullptr ? text(l.rank->trace->name) : absent(); }},
}};
// clang-format on

ReportInfo ranks_info() {
  ReportInfo info{.name = "ranks",
                  .help = "a step of each rank: computing, waits, idle time; unusual ones",
                  .missing = "no work of a GPU",
                  .rows = "GPU work",
                  .row_words = {"capture"}};
  add_columns(kRankColumns, info,
              "who,host,period_ns,computing_pct,copying_pct,exposed_pct,waits_pct,idle_pct,tflop_"
              "per_s,mfu_pct,sm_mhz,memory_bytes,unusual");
  return info;
}

std::string unusual_text(const std::vector<ranks::Unusual>& unusual) {
  std::string text;
  for (const ranks::Unusual& one : unusual) {
    const int digits = std::abs(one.own) >= 100 ? 0 : 1;
    text += fmt::format("{}{} {:.{}f} {} (others {:.{}f})", text.empty() ? "" : ", ",
                        one.measure->word, one.own, digits, one.measure->unit, one.others, digits);
  }
  return text;
}

/// Combines all ranks that have steps into the steps of one: the median period, and means of all
/// else.
UsualStep common_step(const std::vector<UsualStep>& steps) {
  UsualStep made;
  std::vector<double> periods, ranks, sm_mhz, memory_bytes;
  for (const UsualStep& step : steps) {
    if (step.sm_mhz) sm_mhz.push_back(*step.sm_mhz);
    if (step.memory_bytes) memory_bytes.push_back(*step.memory_bytes);
    if (step.steps == 0) continue;
    periods.push_back(step.period_ns);
    ranks.push_back(static_cast<double>(step.steps));
    for (std::size_t i = 0; i < kDeviceStates; ++i) made.state_ns[i] += step.state_ns[i];
    made.mean_period_ns += step.mean_period_ns;
    made.flops += step.flops;
    made.product_ns += step.product_ns;
  }
  if (!sm_mhz.empty()) made.sm_mhz = median(sm_mhz);
  if (!memory_bytes.empty()) made.memory_bytes = median(memory_bytes);
  if (periods.empty()) return made;
  const auto count = static_cast<double>(periods.size());
  made.period_ns = median(periods);
  made.steps = static_cast<std::size_t>(median(ranks));
  for (double& time : made.state_ns) time /= count;
  made.mean_period_ns /= count;
  made.flops /= count;
  made.product_ns /= count;
  return made;
}

class RanksReport : public Report {
 public:
  RanksReport() : Report(ranks_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    RanksPass pass(input);
    PROF_TRY(pass.read());
    LineWriter<RankLine> lines(kRankColumns, request, sink);
    for (const RanksOfRun& of : pass.runs()) {
      if (!write(of, request, lines, input.tally)) break;
    }
    return {};
  }

 private:
  /// False: no more is wanted.
  static bool write(const RanksOfRun& of, const Request& request, LineWriter<RankLine>& lines,
                    Tally& tally) {
    std::vector<UsualStep> steps;
    for (const ranks::RankSummary* summary : of.joined.summaries) {
      steps.push_back(ranks::usual_step(*summary));
    }
    const auto unusual = ranks::find_unusual(steps);
    const bool is_long = request.for_people && !request.lines_chosen && steps.size() > kMostUsual;
    const UsualStep common = common_step(steps);
    RankLine all{.step = &common};
    all.who = fmt::format("all {}", steps.size());
    if (request.for_people && steps.size() > 2 && !lines.write(all)) return false;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const ranks::RankId& id = of.joined.run.ranks[i];
      const ranks::RankBlame& blame = of.blame.ranks[i];
      const bool is_late =
          blame.cost_ns > 0 || 100 * blame.longest_ns > kLatePct * of.blame.period_ns;
      if (is_long && unusual[i].empty() && !is_late) {
        ++left_out;
        continue;
      }
      RankLine line{.step = &steps[i], .rank = &id, .blame = &blame};
      line.who = id.label;
      line.host = of.joined.run.hosts[id.host];
      line.unusual = unusual_text(unusual[i]);
      if (!lines.write(line)) return false;
    }
    if (left_out > 0) {
      tally.remarks.push_back(fmt::format("{} not shown: like the median; -f csv has them",
                                          count_text(left_out, "rank is", "ranks are")));
    }
    return true;
  }
};

}  // namespace

void register_ranks(Registry& registry) { registry.add(std::make_unique<RanksReport>()); }

}  // namespace prof::reports
