// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/step_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/report/builtin/step_texts.hpp"
#include "tools/report/filter/gpu_filter.hpp"
#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMostGpus = 8;

std::string period_text(const TypicalStep& step) {
  if (!step.has_steps) return ms_text(step.median_ns) + " ms captured";
  return fmt::format("step {} ms ({})", ms_text(step.median_ns), span_text(step));
}

std::string shares_text(const TypicalStep& step) {
  std::string line;
  for (std::size_t i = 0; i < kDeviceStates; ++i) {
    const double share =
        100 * static_cast<double>(step.state_ns[i]) / static_cast<double>(step.period_ns);
    if (!is_worth_showing(static_cast<DeviceState>(i), share)) continue;
    line += fmt::format("{}{} {:.1f} %", line.empty() ? "" : ", ", kStateTexts[i], share);
  }
  return line;
}

/// Empty: nothing is known of its products.
std::string utilization_text(const TypicalStep& step) {
  const auto pct = step.work.model_products.pct_of(step.period_ns);
  if (!pct) return {};
  const bool is_bound = step.work.model_products.unknown > 0;
  return fmt::format("; MFU {}{:.1f} %", is_bound ? "at least " : "", *pct);
}

}  // namespace

class StepLines::Heard final : public WorkListener {
 public:
  Heard(const TraceMember& trace, StepLines& lines)
      : trace_(trace),
        lines_(lines),
        quiet_{lines.input_.traces, lines.input_.reading, lines.input_.filter, unused_},
        chosen_(trace, quiet_, ChosenTimeline::Detail::kStates) {
    chosen_.begin();
  }

  void add(const AttributedRow& row) override { chosen_.timeline().add(row); }
  /// If there is no place to sort the work, the table lacks these lines.
  void finish(const AttributionCounts& /*counts*/) override {
    if (!chosen_.status()) return;
    if (auto steps = chosen_.typical()) lines_.steps_[&trace_] = *steps;
  }

 private:
  const TraceMember& trace_;
  StepLines& lines_;
  Tally unused_;  // the table itself shows which steps there are
  const RowInput quiet_;
  ChosenTimeline chosen_;
};

StepLines::StepLines(const RowInput& input) : input_(input) {
  input.reading.listen([this](TraceReader& reader) {
    const auto& members = input_.traces.members();
    const auto trace = std::ranges::find_if(
        members, [&](const TraceMember& member) { return &member.reader == &reader; });
    return std::make_unique<Heard>(*trace, *this);
  });
}

StepLines::~StepLines() { input_.reading.listen({}); }

std::vector<std::string> StepLines::lines() const {
  struct GpuLine {
    std::string name, text;
  };
  std::vector<GpuLine> gpus;
  FilterTally unused;
  GpuFilter places(input_.filter, unused);
  for (const TraceMember& trace : input_.traces.members()) {
    const auto steps = steps_.find(&trace);
    if (steps == steps_.end()) continue;
    for (const auto& [device, step] : steps->second) {
      if (step.period_ns <= 0 || !places.takes(trace.identity, device)) continue;
      gpus.push_back({fmt::format("GPU {} of {}: ", device, trace.identity.name),
                      period_text(step) + ": " + shares_text(step) + utilization_text(step)});
    }
  }
  if (gpus.size() == 1 && input_.traces.size() == 1) return {gpus[0].text};
  std::vector<std::string> lines;
  for (const GpuLine& gpu : gpus) {
    if (lines.size() == kMostGpus) {
      lines.push_back(fmt::format("{} other GPUs: -r summary", gpus.size() - kMostGpus));
      break;
    }
    lines.push_back(gpu.name + gpu.text);
  }
  return lines;
}

}  // namespace prof::reports
