// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `advice`: what to change in the program, what that gains in a step, and the rows that show
// it (docs/advice.md). Reads the GPU work of each trace twice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyzers/ranks/roster.hpp"
#include "libprof/base/ascii.hpp"
#include "tools/common/words.hpp"
#include "tools/report/advice/advisor.hpp"
#include "tools/report/advice/step_pass.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/filter/gpu_filter.hpp"
#include "tools/report/query/line_columns.hpp"

namespace prof::reports {
namespace {

struct AdviceLine {
  const TraceIdentity* trace = nullptr;
  std::uint32_t device = 0;
  Advice advice;
  double period_ns = 0;
  std::string show, show_short, holds_for;

  [[nodiscard]] double share_of_middle() const {
    return (advice.gain.low_ns + advice.gain.high_ns) / 2 / period_ns;
  }
  [[nodiscard]] Cell time(double gain_ns) const {
    return advice.is_gain_known ? estimate(gain_ns) : absent();
  }
  [[nodiscard]] Cell share(double gain_ns) const { return time(100 * gain_ns / period_ns); }
};

// clang-format off
constexpr std::array<LineColumn<AdviceLine>, 14> kAdviceColumns = {{
    {Column::text("advice", "Advice", "what to change"), [](const AdviceLine& l) { return text(l.advice.what); }},
    {Column::real("gain_low_pct", "Gain low", "%", "smallest gain, as estimated, as a share of the step without the profiler's time", 1), [](const AdviceLine& l) { return l.share(l.advice.gain.low_ns); }},
    {Column::real("gain_high_pct", "Gain high", "%", "largest gain, likewise", 1), [](const AdviceLine& l) { return l.share(l.advice.gain.high_ns); }},
    {Column::time("gain_low_ns", "Gain low", "the same in time", Column::Type::kReal).drop(3), [](const AdviceLine& l) { return l.time(l.advice.gain.low_ns); }},
    {Column::time("gain_high_ns", "Gain high", "the same in time", Column::Type::kReal).drop(3), [](const AdviceLine& l) { return l.time(l.advice.gain.high_ns); }},
    {Column::text("evidence", "Evidence", "what was seen in a step").wrap(24), [](const AdviceLine& l) { return text(l.advice.evidence); }},
    {Column::text("layers", "Layers", "where; numbered layers are added up").cut_front(12).drop(6), [](const AdviceLine& l) { return text(l.advice.where); }},
    {Column::text("show", "Command", "command that prints the rows behind it").placed(Column::Place::kBelow), [](const AdviceLine& l) { return text(l.show); }},
    {Column::text("show_short", "Show", "that command or, if it is long, the one that runs it by the line's number").placed(Column::Place::kBelow), [](const AdviceLine& l) { return text(l.show_short); }},
    {Column::text("rule", "Rule", "name of the rule"), [](const AdviceLine& l) { return text(l.advice.rule); }},
    {Column::time("period_ns", "Step", "period of the step without the profiler's time, as estimated", Column::Type::kReal), [](const AdviceLine& l) { return estimate(l.period_ns); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const AdviceLine& l) { return text(l.trace->name); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](const AdviceLine& l) { return number(l.device); }},
    {Column::text("holds_for", "Holds for", "ranks that are advised the same; the other columns are of the one that gains most").cut_end(10), [](const AdviceLine& l) { return text(l.holds_for); }},
}};
// clang-format on

ReportInfo advice_info() {
  ReportInfo info{.name = "advice",
                  .help = "what to change in the program, and what that gains in a step",
                  .missing = "nothing was found that gains 1 % of a step, or there is no step",
                  .rows = "GPU work",
                  .has_steps = true,
                  .has_ranges = true,
                  .reads_work = 2,
                  .reads_timeline = true,
                  .row_words = {"capture", "device", "rank"},
                  .words = {"rule"}};
  add_columns(
      kAdviceColumns, info,
      "advice,gain_low_pct,gain_high_pct,gain_low_ns,gain_high_ns,evidence,layers,show_short",
      "holds_for");
  for (const Rule& rule : all_rules()) info.words.words.push_back({rule.name, rule.help});
  return info;
}

/// Adds remarks about facts that the rules cannot know.
void remark(const StepFacts& facts, Tally& tally) {
  if (!facts.step.has_steps) {
    tally.remarks.emplace_back("no steps, so no gains: advice is about what each step repeats");
  } else if (facts.step.all_steps == 1) {
    tally.remarks.emplace_back("one step alone, maybe with the start-up: capture several");
  } else if (!facts.step.is_settled) {
    tally.remarks.emplace_back("still warming up: capture more steps");
  }
  if (!facts.peaks.bytes()) {
    tally.remarks.emplace_back(
        "the peaks of the GPU are not known: rules that compare with them are silent");
  }
}

/// Chooses the GPU of a line, if its trace has others, and the trace.
std::string words_of_place(const DeviceOfTrace& place,
                           const std::map<DeviceOfTrace, StepFacts>& all, const TraceSet& traces) {
  const bool has_others = std::ranges::any_of(all, [&](const auto& other) {
    return other.first.first == place.first && other.first.second != place.second;
  });
  std::string words;
  if (has_others) words += " --device " + std::to_string(place.second);
  for (const TraceMember& trace : traces.members()) {
    if (&trace.identity == place.first) words += " " + tools::shell_word(trace.reader.path());
  }
  return words;
}

/// All traces; of many in one folder, that.
std::string words_of_traces(const TraceSet& traces) {
  constexpr std::size_t kMostPaths = 4;
  const auto folder_of = [](const TraceMember& trace) {
    const std::string path = std::filesystem::path(trace.reader.path()).parent_path();
    return path.empty() ? "." : path;
  };
  const std::string folder = folder_of(traces.members().front());
  const bool is_one_folder = std::ranges::all_of(
      traces.members(), [&](const TraceMember& trace) { return folder_of(trace) == folder; });
  if (traces.size() > kMostPaths && is_one_folder) return " " + tools::shell_word(folder);
  std::string words;
  for (const TraceMember& trace : traces.members())
    words += " " + tools::shell_word(trace.reader.path());
  return words;
}

/// "0 to 3" of ranks, or else the first trace and how many more.
std::string holds_for(const std::vector<AdviceLine>& same) {
  std::vector<std::uint32_t> ranks;
  std::set<const TraceIdentity*> traces;
  for (const AdviceLine& line : same) {
    if (traces.insert(line.trace).second && line.trace->rank) ranks.push_back(*line.trace->rank);
  }
  std::ranges::sort(ranks);
  if (ranks.size() == traces.size()) {
    return (ranks.size() > 1 ? "ranks " : "rank ") + ranks::list_of(ranks);
  }
  const std::string more = fmt::format(" and {} more", traces.size() - 1);
  return same.front().trace->name + (traces.size() > 1 ? more : "");
}

/// Advice that several ranks of a run share becomes one line: that of the rank that gains most.
std::vector<AdviceLine> merged(const std::vector<AdviceLine>& all) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>,
           std::vector<AdviceLine>>
      alike;
  for (const AdviceLine& line : all) {
    alike[{line.trace->run, line.advice.rule, line.advice.what}].push_back(line);
  }
  std::vector<AdviceLine> lines;
  for (const auto& [key, same] : alike) {
    lines.push_back(*std::ranges::max_element(same, {}, &AdviceLine::share_of_middle));
    lines.back().holds_for = holds_for(same);
  }
  std::ranges::stable_sort(lines, std::greater{}, &AdviceLine::share_of_middle);
  return lines;
}

/// A command that does not fit on a line of 80 columns is named by its number.
void name_long_commands(const TraceSet& traces, std::vector<AdviceLine>& lines) {
  constexpr std::size_t kFits = 80 - std::string_view("  Show: ").size();
  const std::string of = words_of_traces(traces);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    AdviceLine& line = lines[i];
    if (line.show.size() > kFits)
      line.show_short = fmt::format("prof-report -r advice --show {}{}", i + 1, of);
  }
}

class AdviceReport : public Report {
 public:
  AdviceReport() : Report(advice_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    StepPass pass(input);
    PROF_TRY(pass.read());
    GpuFilter places(input.filter, input.tally.filter);
    std::vector<AdviceLine> all;
    for (const auto& [place, facts] : pass.facts()) {
      if (!places.takes(*place.first, place.second)) continue;
      remark(facts, input.tally);
      std::ranges::move(ruled_out(facts), std::back_inserter(input.tally.remarks));
      const std::string words = words_of_place(place, pass.facts(), input.traces);
      for (Advice& advice : advise(facts)) {
        AdviceLine line{place.first, place.second, std::move(advice), facts.period_ns, {}, {}, {}};
        line.show =
            fmt::format("prof-report -r {}{}", line.advice.show,
                        line.advice.shows_all_ranks ? words_of_traces(input.traces) : words);
        line.show_short = line.show;
        line.holds_for = holds_for({line});
        all.push_back(std::move(line));
      }
    }
    const bool merges = request.for_people && !request.lines_chosen && input.traces.size() > 1;
    if (merges) all = merged(all);
    const bool names_lines = request.for_people && !request.lines_chosen && input.filter.all() &&
                             input.filter.range_options.are_usual();
    if (names_lines) name_long_commands(input.traces, all);
    LineWriter<AdviceLine> lines(kAdviceColumns, request, sink);
    for (const AdviceLine& line : all) {
      if (!lines.write(line)) return {};
    }
    return {};
  }
};

}  // namespace

void register_advice(Registry& registry) { registry.add(std::make_unique<AdviceReport>()); }

}  // namespace prof::reports
