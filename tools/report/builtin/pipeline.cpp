// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `pipeline`: the stages of pipelines, what they compute and their bubbles, from matched
// sends and receives (analyzers/ranks/pipeline.hpp).
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "analyzers/ranks/pipeline.hpp"
#include "analyzers/ranks/usual_step.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/ranks/cause_text.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

/// In a table for people, so many pipelines at most: those with the largest bubble.
constexpr std::size_t kMostPipelines = 2;

struct StageLine {
  const ranks::RankId* rank = nullptr;
  ranks::Stage stage;
  ranks::UsualStep step;
  std::size_t pipeline = 0;

  [[nodiscard]] Cell part(double time_ns) const {
    return step.period_ns > 0 ? real(100 * step.of_period(time_ns)) : absent();
  }
};

// clang-format off
constexpr std::array<LineColumn<StageLine>, 15> kStageColumns = {{
    {Column::integer("pipeline", "Pipeline", "", "ranks that send to each other, from 0").drop(1), [](const StageLine& l) { return number(l.pipeline); }},
    {Column::integer("stage", "Stage", "", "from 0, in the order of the forward pass"), [](const StageLine& l) { return number(l.stage.stage); }},
    {Column::text("who", "Rank", "rank that has it"), [](const StageLine& l) { return text(l.rank->label); }},
    {Column::real("microbatches", "Microbatches", "", "in a step", 0).drop(4), [](const StageLine& l) { return real(l.stage.microbatches); }},
    {Column::time("period_ns", "Period", "from one step to the next: the median over the steps", Column::Type::kReal).drop(2), [](const StageLine& l) { return l.step.period_ns > 0 ? real(l.step.period_ns) : absent(); }},
    {Column::real("computing_pct", "Computing", "%", "part of the period in which its own kernels run", 1).drop(3), [](const StageLine& l) { return l.part(l.step.in(DeviceState::kComputing)); }},
    {Column::real("before_pct", "Before", "%", "part in which it waits for the stages before it and computes nothing", 1), [](const StageLine& l) { return l.part(l.stage.before_ns); }},
    {Column::real("after_pct", "After", "%", "part in which it waits for the stages after it and computes nothing", 1), [](const StageLine& l) { return l.part(l.stage.after_ns); }},
    {Column::real("bubble_pct", "Bubble", "%", "both", 1), [](const StageLine& l) { return l.part(l.stage.bubble_ns()); }},
    {Column::real("least_pct", "Least", "%", "bubble of equal stages, (stages - 1) / (microbatches + stages - 1): without interleaving", 1).drop(6), [](const StageLine& l) { return l.stage.microbatches > 0 ? real(100 * l.stage.least_bubble()) : absent(); }},
    {Column::real("idle_pct", "Idle", "%", "part in which nothing runs", 1).drop(5), [](const StageLine& l) { return l.part(l.step.in(DeviceState::kIdle)); }},
    {Column::integer("rank", "Number", "", "rank of the process in its job"), [](const StageLine& l) { return l.rank->rank ? number(*l.rank->rank) : absent(); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const StageLine& l) { return text(l.rank->trace->name); }},
    {Column::time("computing_ns", "Computing", "how long its own kernels run in a step", Column::Type::kReal), [](const StageLine& l) { return l.step.period_ns > 0 ? real(l.stage.computing_ns) : absent(); }},
    {Column::time("microbatch_ns", "Microbatch", "how long of that for one, forward and backward: without the optimizer", Column::Type::kReal), [](const StageLine& l) { return l.step.period_ns > 0 && l.stage.microbatches > 0 ? real(l.stage.microbatch_ns()) : absent(); }},
}};
// clang-format on

ReportInfo pipeline_info() {
  ReportInfo info{.name = "pipeline",
                  .help = "stages of pipelines: how long each computes, and waits for the others",
                  .missing = "no rank sends to another in the traces of two ranks",
                  .rows = "GPU work",
                  .row_words = {"capture"}};
  add_columns(kStageColumns, info,
              "pipeline,stage,who,microbatches,period_ns,computing_ns,microbatch_ns,computing_pct,"
              "before_pct,after_pct,bubble_pct,least_pct,idle_pct");
  return info;
}

/// For each pipeline, how long its stages wait in all.
std::map<std::uint32_t, double> bubbles_of(const std::vector<ranks::Stage>& stages) {
  std::map<std::uint32_t, double> bubbles;
  for (const ranks::Stage& one : stages) bubbles[one.pipeline] += one.bubble_ns();
  return bubbles;
}

/// Adds a remark on the stage that computes longest, and on the most that equal stages would gain.
void add_longest(const RanksOfRun& of, const std::vector<ranks::Stage>& stages, Tally& tally) {
  const std::optional<ranks::LongestStage> longest = ranks::longest_stage(stages);
  if (!longest) return;
  tally.remarks.push_back(fmt::format(
      "{} (stage {}) computes longest: {} of a step, {:.0f} % more than the mean of the stages; by "
      "computing alone a step takes ~{} at least, and ~{} if stages were equal",
      of.joined.run.ranks[longest->stage.rank].label, longest->stage.stage,
      time_text(longest->stage.computing_ns), 100 * longest->above_mean,
      time_text(longest->least_ns), time_text(longest->balanced_ns)));
}

class PipelineReport : public Report {
 public:
  PipelineReport() : Report(pipeline_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    RanksPass pass(input);
    PROF_TRY(pass.read());
    LineWriter<StageLine> lines(kStageColumns, request, sink);
    const bool leaves_out = request.for_people && !request.lines_chosen;
    for (const RanksOfRun& of : pass.runs()) {
      if (!write(of, leaves_out, lines, input.tally)) break;
    }
    return {};
  }

 private:
  /// False: no more is wanted.
  static bool write(const RanksOfRun& of, bool leaves_out, LineWriter<StageLine>& lines,
                    Tally& tally) {
    const std::vector<ranks::Stage> stages = ranks::find_stages(of.joined, of.blame);
    std::map<std::uint32_t, double> bubbles = bubbles_of(stages);
    std::map<std::uint32_t, std::size_t> numbers;
    for (const auto& [pipeline, bubble] : bubbles) numbers.emplace(pipeline, numbers.size());
    std::size_t left_out = 0;
    for (; leaves_out && bubbles.size() > kMostPipelines; ++left_out) {
      bubbles.erase(
          std::ranges::min_element(bubbles, {}, [](const auto& one) { return one.second; }));
    }
    for (const ranks::Stage& stage : stages) {
      if (!bubbles.contains(stage.pipeline)) continue;
      const StageLine line{.rank = &of.joined.run.ranks[stage.rank],
                           .stage = stage,
                           .step = ranks::usual_step(*of.joined.summaries[stage.rank]),
                           .pipeline = numbers.at(stage.pipeline)};
      if (!lines.write(line)) return false;
    }
    add_longest(of, stages, tally);
    if (left_out > 0) {
      tally.remarks.push_back(fmt::format("{} not shown, whose stages wait less; -f csv has them",
                                          count_text(left_out, "pipeline is", "pipelines are")));
    }
    return true;
  }
};

}  // namespace

void register_pipeline(Registry& registry) { registry.add(std::make_unique<PipelineReport>()); }

}  // namespace prof::reports
