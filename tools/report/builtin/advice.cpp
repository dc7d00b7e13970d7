// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `advice`: what to change in the program, what that gains in a step, and the rows that show
// it (docs/advice.md). Reads the GPU work of each trace twice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

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
  const Advice* advice = nullptr;
  double period_ns = 0;
  std::string show;

  [[nodiscard]] Cell share(double gain_ns) const { return estimate(100 * gain_ns / period_ns); }
};

// clang-format off
constexpr std::array<LineColumn<AdviceLine>, 12> kAdviceColumns = {{
    {Column::text("advice", "Advice", "what to change"), [](const AdviceLine& l) { return text(l.advice->what); }},
    {Column::real("gain_low_pct", "Gain low", "%", "smallest gain, as estimated, as a share of the step without the profiler's time", 1), [](const AdviceLine& l) { return l.share(l.advice->gain.low_ns); }},
    {Column::real("gain_high_pct", "Gain high", "%", "largest gain, likewise", 1), [](const AdviceLine& l) { return l.share(l.advice->gain.high_ns); }},
    {Column::time("gain_low_ns", "Gain low", "the same in time", Column::Type::kReal).drop(3), [](const AdviceLine& l) { return estimate(l.advice->gain.low_ns); }},
    {Column::time("gain_high_ns", "Gain high", "the same in time", Column::Type::kReal).drop(3), [](const AdviceLine& l) { return estimate(l.advice->gain.high_ns); }},
    {Column::text("evidence", "Evidence", "what was seen in a step").cut_end(16), [](const AdviceLine& l) { return text(l.advice->evidence); }},
    {Column::text("layers", "Layers", "where; numbered layers are added up").cut_front(12).drop(6), [](const AdviceLine& l) { return text(l.advice->where); }},
    {Column::text("show", "Show", "command that prints the rows behind it").placed(Column::Place::kBelow), [](const AdviceLine& l) { return text(l.show); }},
    {Column::text("rule", "Rule", "name of the rule"), [](const AdviceLine& l) { return text(l.advice->rule); }},
    {Column::time("period_ns", "Step", "period of the step without the profiler's time, as estimated", Column::Type::kReal), [](const AdviceLine& l) { return estimate(l.period_ns); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const AdviceLine& l) { return text(l.trace->name); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](const AdviceLine& l) { return number(l.device); }},
}};
// clang-format on

ReportInfo advice_info() {
  ReportInfo info{.name = "advice",
                  .help = "what to change in the program, and what that gains in a step",
                  .missing = "nothing was found that gains 1 % of a step, or there is no step",
                  .rows = "GPU work",
                  .has_steps = true,
                  .has_ranges = true,
                  .row_words = {"capture", "device", "rank"},
                  .table = {0, 1, 2, 3, 4, 5, 6, 7},
                  .of_several = {10, 11},
                  .words = {"rule"}};
  add_columns(kAdviceColumns, info);
  for (const Rule& rule : all_rules()) info.words.words.push_back({rule.name, rule.help});
  return info;
}

/// What the rules cannot know.
void remark(const StepFacts& facts, Tally& tally) {
  if (!facts.step.has_steps) {
    tally.remarks.emplace_back("no steps: shares are of all captured time, with its start-up");
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

/// For a shell.
std::string quoted_path(const std::string& path) {
  const bool is_plain = std::ranges::all_of(path, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./+,:@%=").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain && !path.empty()) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
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
    if (&trace.identity == place.first) words += " " + quoted_path(trace.reader.path());
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
  if (traces.size() > kMostPaths && is_one_folder) return " " + quoted_path(folder);
  std::string words;
  for (const TraceMember& trace : traces.members()) words += " " + quoted_path(trace.reader.path());
  return words;
}

class AdviceReport : public Report {
 public:
  AdviceReport() : Report(advice_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    StepPass pass(input);
    PROF_TRY(pass.read());
    LineWriter<AdviceLine> lines(kAdviceColumns, request, sink);
    GpuFilter places(input.filter, input.tally.filter);
    for (const auto& [place, facts] : pass.facts()) {
      if (!places.takes(*place.first, place.second)) continue;
      remark(facts, input.tally);
      std::ranges::move(ruled_out(facts), std::back_inserter(input.tally.remarks));
      const std::string words = words_of_place(place, pass.facts(), input.traces);
      for (const Advice& advice : advise(facts)) {
        const AdviceLine line{
            place.first, place.second, &advice, facts.period_ns,
            fmt::format("prof-report -r {}{}", advice.show,
                        advice.shows_all_ranks ? words_of_traces(input.traces) : words)};
        if (!lines.write(line)) return {};
      }
    }
    return {};
  }
};

}  // namespace

void register_advice(Registry& registry) { registry.add(std::make_unique<AdviceReport>()); }

}  // namespace prof::reports
